"""Module paths: validity, splitting, major versions, escapes."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import Malformed
from stook.registries.golang.paths import (
    check_path,
    escape_path,
    escape_version,
    is_valid_path,
    major_problem,
    path_problem,
    proxy_path,
    split_path,
    unescape_path,
    unescape_version,
)

VALID = [
    "github.com/Azure/azure-sdk-for-go",
    "golang.org/x/text",
    "example.com",
    "example.com/v2",
    "example.com/a..b",
    "example.com/_x/~y",
    "example.com/x/v10",
    "example.com/va",
    "example.com/v",
    "gopkg.in/yaml.v3",
    "gopkg.in/x.v0",
    "gopkg.in/a/b.v2-unstable",
    "9fans.net/go",
    "a-b.c/com10",
    "example.com/a~b",
]
INVALID = [
    "", "/", "example.com/", "/x", "example.com//x", "example/x", "Example.com/x", "-a.com/x", "exa_mple.com/x",
    "example.com/.x", "example.com/x.", "example.com/.", "example.com/..", "example.com/a b", "example.com/a@b",
    "example.com/a+b", "example.com/é", "example.com/CON", "example.com/aux.x", "con.example.com",
    "example.com/Lpt9/x", "example.com/a~1", "example.com/a~12.x", "example.com/v1", "example.com/v0",
    "example.com/v02", "example.com/x/v2.1", "gopkg.in/x", "gopkg.in/x.v01", "gopkg.in/x.v0-unstable",
    "gopkg.in/yaml/v2", "example.com/x\n", "example.com/x!y", ".com/x", "a./x",
]  # fmt: skip
BELONGS = [
    ("example.com/m", "v0.1.0", True),
    ("example.com/m", "v1.9.0", True),
    ("example.com/m", "v2.0.0", False),
    ("example.com/m", "v2.0.0+incompatible", True),
    ("example.com/m", "v1.2.3+incompatible", True),
    ("example.com/m/v2", "v2.0.0", True),
    ("example.com/m/v2", "v3.0.0", False),
    ("example.com/m/v2", "v2.0.0+incompatible", True),
    ("gopkg.in/check.v1", "v0.0.0-20161208181325-20d25e280405", True),
    ("gopkg.in/check.v1", "v0.1.0", False),
    ("gopkg.in/yaml.v2", "v2.2.1", True),
    ("gopkg.in/yaml.v2-unstable", "v2.0.0-20161208181325-20d25e280405", True),
    ("example.com/m/v1", "v1.0.0", False),
    ("example.com/m", "nonsense", False),
]

elements = st.from_regex(r"[A-Za-z][-_A-Za-z0-9]{0,8}", fullmatch=True)
valid_paths = st.builds(lambda host, rest: "/".join([host, *rest]), st.just("example.com"), st.lists(elements)).filter(
    is_valid_path
)
plain = st.text(st.sampled_from("abcXYZ019.-+_~"), min_size=1, max_size=20)


@pytest.mark.parametrize("path", VALID)
def test_valid(path: str) -> None:
    """A path that the go command accepts is accepted."""
    assert is_valid_path(path)
    assert path_problem(path) == ""


@pytest.mark.parametrize("path", INVALID)
def test_invalid(path: str) -> None:
    """A path that the go command refuses is refused, with a reason."""
    assert not is_valid_path(path)
    assert path_problem(path)
    with pytest.raises(Malformed, match="invalid module path"):
        check_path(path)


@given(st.text(st.sampled_from("ab1vV2.~/-conAUX_gpkgi"), max_size=24))
def test_fast_and_slow_check_agree(path: str) -> None:
    """The one-match check never says other than the rule by rule one."""
    assert is_valid_path(path) == (path_problem(path) == "")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("example.com/v2", ("example.com", "/v2", True)),
        ("example.com/m", ("example.com/m", "", True)),
        ("example.com/m/v10", ("example.com/m", "/v10", True)),
        ("example.com/m/v1", ("example.com/m/v1", "", False)),
        ("example.com/m/v02", ("example.com/m/v02", "", False)),
        ("example.com/m/v2.0", ("example.com/m/v2.0", "", False)),
        ("example.com/mv2", ("example.com/mv2", "", True)),
        ("gopkg.in/yaml.v2", ("gopkg.in/yaml", ".v2", True)),
        ("gopkg.in/yaml.v2-unstable", ("gopkg.in/yaml", ".v2-unstable", True)),
        ("gopkg.in/yaml", ("gopkg.in/yaml", "", False)),
    ],
)
def test_split(path: str, expected: tuple[str, str, bool]) -> None:
    """The major suffix is told from the rest as SplitPathVersion does."""
    assert split_path(path) == expected


@pytest.mark.parametrize(("path", "version", "belongs"), BELONGS)
def test_major(path: str, version: str, belongs: bool) -> None:
    """A version belongs to a path exactly where CheckPathMajor says so."""
    assert (major_problem(path, version) == "") == belongs


@pytest.mark.parametrize(
    ("path", "version", "endpoint", "expected"),
    [
        ("github.com/Azure/go", "v1.0.0-RC1", "mod", "/github.com/%21azure/go/@v/v1.0.0-%21r%21c1.mod"),
        ("example.com/m", "v2.0.0+incompatible", "info", "/example.com/m/@v/v2.0.0+incompatible.info"),
        ("example.com/a~b", "", "list", "/example.com/a~b/@v/list"),
        ("example.com/m", "", "latest", "/example.com/m/@latest"),
    ],
)
def test_proxy_path(path: str, version: str, endpoint: str, expected: str) -> None:
    """Capitals of path and version become `!` and a small letter, sent as the go command sends them."""
    assert proxy_path(path, endpoint, version) == expected


@given(valid_paths)
def test_path_escape_is_reversible(path: str) -> None:
    """Escaping a path loses nothing, and leaves no capital."""
    escaped = escape_path(path)
    assert escaped == escaped.lower()
    assert unescape_path(escaped) == path
    assert unquote(proxy_path(path, "list")) == f"/{escaped}/@v/list"


@given(plain.filter(lambda text: not text.endswith(".")))
def test_version_escape_is_reversible(version: str) -> None:
    """Escaping a version loses nothing, and leaves no capital."""
    escaped = escape_version(version)
    assert escaped == escaped.lower()
    assert unescape_version(escaped) == version


@given(valid_paths, valid_paths)
def test_escapes_never_meet(one: str, other: str) -> None:
    """Two paths have the same escape only if they are one."""
    assert (escape_path(one) == escape_path(other)) == (one == other)


@pytest.mark.parametrize(
    "escaped", ["example.com/A", "example.com/a!", "example.com/!1", "example.com/!!a", "example.com/é"]
)
def test_bad_escapes(escaped: str) -> None:
    """What no escaping can have made is refused."""
    with pytest.raises(Malformed):
        unescape_path(escaped)


@pytest.mark.parametrize("version", ["", "v1!", "a/b", ".", "v1.", "con", "é", "a\n", "a:b", "nul.x"])
def test_versions_nobody_can_ask_for(version: str) -> None:
    """A version that is no file name is never put in a URL."""
    with pytest.raises(Malformed):
        escape_version(version)


def test_bad_unescaped_version() -> None:
    """A version that unescapes to no file name is refused."""
    with pytest.raises(Malformed):
        unescape_version("a/b")
