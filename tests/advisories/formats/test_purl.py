"""Package URLs, with packageurl-python as the oracle."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packageurl import PackageURL

from stook.advisories import PackageVersion
from stook.advisories.formats import parse_purl, purl_of
from stook.engine.errors import Malformed

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)
paths = st.lists(st.from_regex(r"[A-Za-z0-9~_][A-Za-z0-9._~+-]{0,10}", fullmatch=True), min_size=1, max_size=4)
versions = st.from_regex(r"[0-9]{1,2}\.[0-9]\.[0-9](-[a-z0-9.]{1,9})?(\+[a-z.0-9]{1,9})?", fullmatch=True)


@settings(deadline=None)
@given(names, versions)
def test_crates(name: str, version: str) -> None:
    """What we write, the library writes, and both read it back."""
    package = PackageVersion("crates.io", name, version)
    purl = purl_of(package)
    assert purl == PackageURL("cargo", None, name, version).to_string()
    assert parse_purl(purl).package == package


@settings(deadline=None)
@given(paths, versions)
def test_modules(segments: list[str], version: str) -> None:
    """Go paths keep their case, the version has its v, and the library reads the same parts."""
    path = "/".join(["example.com", *segments])
    purl = purl_of(PackageVersion("Go", path, version))
    parsed = PackageURL.from_string(purl)
    assert f"{parsed.namespace}/{parsed.name}".lower() == path.lower()
    assert parsed.version == f"v{version}"
    assert parse_purl(purl).package == PackageVersion("Go", path, f"v{version}")


@pytest.mark.parametrize(
    ("purl", "package"),
    [
        ("pkg:cargo/serde_json@1.0.0", ("crates.io", "serde_json", "1.0.0")),
        ("pkg://cargo/serde_json@1.0.0", ("crates.io", "serde_json", "1.0.0")),
        ("PKG:Cargo/serde_json", ("crates.io", "serde_json", "")),
        ("pkg:cargo/boring@0.16.2%2B1.7.2", ("crates.io", "boring", "0.16.2+1.7.2")),
        ("pkg:golang/github.com/Sirupsen/logrus@v1.0.0", ("Go", "github.com/Sirupsen/logrus", "v1.0.0")),
        ("pkg:golang/example.com/a@v1.0.0?type=module#cmd/x", ("Go", "example.com/a", "v1.0.0")),
        ("pkg:golang/example.com/a@v5.1.0#v5", ("Go", "example.com/a/v5", "v5.1.0")),
        ("pkg:golang/example.com/a@v1.1.0#v5", ("Go", "example.com/a", "v1.1.0")),
        ("pkg:golang/example.com/a/v5@v5.1.0#v5", ("Go", "example.com/a/v5", "v5.1.0")),
        ("pkg:golang/std@go1.21.3", ("Go", "stdlib", "go1.21.3")),
        ("pkg:npm/%40scope/a@1.0.0", None),
    ],
)
def test_readings(purl: str, package: tuple[str, str, str] | None) -> None:
    """Spellings that occur, and other types."""
    assert parse_purl(purl).package == package


@pytest.mark.parametrize(
    ("purl", "source"),
    [
        ("pkg:cargo/a@1.0.0", ""),
        ("pkg:cargo/a@1.0.0?repository_url=https://crates.io", ""),
        ("pkg:cargo/a@1.0.0?download_url=file://.", "file://."),
        ("pkg:cargo/a@1.0.0?vcs_url=git%2Bhttps://git.test/a%40abc", "git+https://git.test/a@abc"),
        ("pkg:cargo/a@1.0.0?repository_url=https://crates.io.evil.test/x", "https://crates.io.evil.test/x"),
    ],
)
def test_other_sources(purl: str, source: str) -> None:
    """A purl tells when the package is not the public registry's."""
    assert parse_purl(purl).other_source == source


@pytest.mark.parametrize(
    "purl", ["", "cargo/a@1", "pkg:cargo", "pkg:cargo/", "pkg:cargo/@1.0.0", "pkg:cargo/ns/a@1", "pkg:/a", "x" * 5000]
)
def test_what_is_none(purl: str) -> None:
    """Anything else is an error."""
    with pytest.raises(Malformed):
        parse_purl(purl)


def test_other_ecosystems_have_no_purl_here() -> None:
    """We write two types."""
    with pytest.raises(Malformed):
        purl_of(PackageVersion("npm", "a", "1.0.0"))
