"""Index lines of every generation: what is read, and what is kept aside with its reason."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import FailureCode, Malformed
from stook.registries.cargo.index import LONGEST_LINE, MOST_LINES, MOST_UNREADABLE, read_index_file
from stook.registries.cargo.records import Release, Unreadable
from stook.testing import sample_world
from stook.testing.cargo_routes import index_file

CHECKSUM = "c0ffee" * 10 + "beef"


def line(version: str = "1.0.0", **more: Any) -> bytes:
    """One index line of the crate `oar`; a value of `...` takes the key away."""
    facts = {"name": "oar", "vers": version, "deps": [], "cksum": CHECKSUM, "features": {}, "yanked": False} | more
    return json.dumps({key: value for key, value in facts.items() if value is not ...}).encode() + b"\n"


def dep(name: str = "mast", **more: Any) -> dict[str, Any]:
    """One dependency as the index has it."""
    return {
        "name": name,
        "req": "^1",
        "features": [],
        "optional": False,
        "default_features": True,
        "target": None,
    } | more


def release(body: bytes) -> Release:
    """The one release of a file that has nothing else."""
    file = read_index_file("oar", body)
    assert not file.unreadable
    (only,) = file.releases
    return only


def broken(body: bytes) -> Unreadable:
    """The one unreadable entry of a file that has nothing else."""
    file = read_index_file("oar", body)
    assert not file.releases
    (only,) = file.unreadable
    return only


@pytest.mark.parametrize(
    ("more", "column", "expected"),
    [
        ({}, "yanked", False),
        ({"yanked": True}, "yanked", True),
        ({"yanked": None}, "yanked", False),
        ({"yanked": ...}, "yanked", False),
        ({"links": "z"}, "links", "z"),
        ({"links": None}, "links", None),
        ({"rust_version": "1.70"}, "rust_version", "1.70"),
        ({"pubtime": "2024-02-29T23:59:59Z"}, "published", datetime(2024, 2, 29, 23, 59, 59)),
        ({"pubtime": "2024-03-01T01:00:00+02:00"}, "published", datetime(2024, 2, 29, 23)),
        ({"pubtime": None}, "published", None),
        ({"name": "OAR"}, "display_name", "OAR"),
        ({"features": ...}, "features", "{}"),
        ({"features": {"a": ["b"]}}, "features", '{"a":["b"]}'),
        ({"v": 1}, "checksum", CHECKSUM),
        ({"v": None}, "checksum", CHECKSUM),
        ({"brand_new_key": [1]}, "checksum", CHECKSUM),
    ],
)
def test_columns(more: dict[str, Any], column: str, expected: object) -> None:
    """Each optional key means what the index specification says, absent and null included."""
    assert getattr(release(line(**more)), column) == expected


@pytest.mark.parametrize(
    ("features", "features2", "merged"),
    [
        ({"a": ["x"]}, {"b": ["dep:y"]}, {"a": ["x"], "b": ["dep:y"]}),
        ({"a": ["x"]}, {"a": ["y?/z"]}, {"a": ["x", "y?/z"]}),
        ({}, {"only": ["dep:new"]}, {"only": ["dep:new"]}),
    ],
)
def test_features2(features: dict[str, list[str]], features2: dict[str, list[str]], merged: dict[str, Any]) -> None:
    """The features of a line are both maps together, a key of both with the values of both."""
    assert json.loads(release(line(features=features, features2=features2, v=2)).features) == merged


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (dep(kind="normal"), {"name": "mast", "package": "mast", "kind": "normal"}),
        (dep(kind=None), {"kind": "normal"}),
        (dep(), {"kind": "normal", "registry": None, "target": None}),
        (dep(kind="Dev"), {"kind": "normal"}),
        (dep(kind=""), {"kind": "normal"}),
        (dep(kind="runtime"), {"kind": "normal"}),
        (dep(kind="dev"), {"kind": "dev"}),
        (dep(kind="build"), {"kind": "build"}),
        (dep("alias", package="mast-rs"), {"name": "alias", "package": "mast-rs"}),
        (dep("mast", package=None), {"name": "mast", "package": "mast"}),
        (dep("_alias", package="mast"), {"name": "_alias", "package": "mast"}),
        (dep(default_features=False, optional=True), {"default_features": False, "optional": True}),
        ({"name": "mast", "req": "*"}, {"default_features": True, "optional": False, "features": []}),
        (
            dep(target="cfg(unix)", registry="https://r.example"),
            {"target": "cfg(unix)", "registry": "https://r.example"},
        ),
        (dep(artifact=["bin"], public=True), {"name": "mast"}),
    ],
)
def test_dependency(given_: dict[str, Any], expected: dict[str, Any]) -> None:
    """A dependency has all nine keys: the name in the code, and the real crate beside it."""
    (row,) = json.loads(release(line(deps=[given_])).dependencies)
    assert set(row) == set("name package req kind optional default_features features target registry".split())
    assert row | expected == row


def test_dependencies_are_sorted() -> None:
    """Dependencies stand by kind, name and requirement, whatever the line's order."""
    deps = [dep("b", req="^2"), dep("a", kind="dev"), dep("b", req="^1"), dep("z", kind="build"), dep("a")]
    rows = json.loads(release(line(deps=deps)).dependencies)
    told = [(row["kind"], row["name"], row["req"]) for row in rows]
    assert told == sorted(told)
    assert len(told) == 5


@pytest.mark.parametrize(
    ("raw", "version", "reason"),
    [
        (line(v=3), "1.0.0", "schema 3"),
        (line(v=3, deps="new shape"), "1.0.0", "unreadable index line for '1.0.0'"),
        (line(name="paddle"), "1.0.0", "another crate: 'paddle'"),
        (line(name="\u212aoar"), "1.0.0", "another crate"),
        (line(cksum="c0ffee"), "1.0.0", "checksum"),
        (line(cksum="g" * 64), "1.0.0", "checksum"),
        (line(cksum="\0" * 64), "1.0.0", "checksum"),
        (line(cksum="é" * 64), "1.0.0", "checksum"),
        (line(deps=...), "1.0.0", "deps"),
        (line(deps=[{"name": "mast"}]), "1.0.0", "req"),
        (line(yanked="no"), "1.0.0", "yanked"),
        (line(pubtime="yesterday"), "1.0.0", "not a time: 'yesterday'"),
        (line(pubtime="0001-01-01T00:00:00+23:00"), "1.0.0", "not a time"),
        (line(rust_version="1.70\0"), "1.0.0", "rust_version"),
        (line(rust_version="1" * 80), "1.0.0", "rust_version"),
        (line("1.0"), None, "not a semantic version: '1.0'"),
        (line("01.0.0"), None, "not a semantic version"),
        (line(f"1.0.0-{'1' * 300}"), None, "not a semantic version"),
        (line(f"1.0.0+{'b' * 400}"), None, "version of 406 characters"),
        (line(vers=...), None, "vers"),
        (b"{this line is not JSON\n", None, "unreadable index line"),
        (b'{"name":"oar","vers":"1.0\n', None, "unreadable index line"),
        (b'{"name":"oar","vers":"1.0.0","deps":[],"cksum":"\xff\xfe"}\n', "1.0.0", "unreadable index line"),
        (b"[]\n", None, "unreadable index line"),
        (b"\xef\xbb\xbf{}\n", None, "unreadable index line"),
    ],
)
def test_unreadable(raw: bytes, version: str | None, reason: str) -> None:
    """What is no release is kept aside, under its version where that can be told, with the reason."""
    found = broken(raw)
    assert reason in found.reason
    assert len(found.version) <= 255
    if version is None:
        assert found.version.startswith("line-")
    else:
        assert found.version == version


def test_nul_characters_do_not_get_in() -> None:
    """Words with a NUL, which PostgreSQL cannot hold, arrive without it."""
    found = release(line(links="z\0", features={"a\0": ["b\0"]}, deps=[dep(target="t\0")]))
    assert "\0" not in f"{found.links}{json.loads(found.features)}{json.loads(found.dependencies)}"


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\n\n \n", b""])
def test_line_ends(ending: bytes) -> None:
    """CRLF, blank lines and a missing last line end change nothing."""
    body = line("1.0.0").rstrip() + b"\n" + line("1.1.0").rstrip() + ending
    file = read_index_file("oar", body)
    assert [one.version for one in file.releases] == ["1.0.0", "1.1.0"]
    assert file.unreadable == ()


def test_empty_file() -> None:
    """A file without lines tells nothing, of no crate."""
    assert read_index_file("oar", b"") == read_index_file("oar", b"\n\r\n")
    assert read_index_file("oar", b"").is_foreign


@pytest.mark.parametrize("keep", [1, 20, len(line("2.0.0")) - 3])
def test_a_torn_file(keep: int) -> None:
    """A file that ends within a line is known to be cut; one that lacks the last line end only is whole."""
    assert read_index_file("oar", line() + line("2.0.0")[:keep]).is_torn
    for body in (line(), line().rstrip(), line() + b" ", b"{garbage\n" + line()):
        assert not read_index_file("oar", body).is_torn


@pytest.mark.parametrize(
    ("body", "is_foreign"),
    [
        (b"Please sign in.\n", True),
        (b"{}\n[]\n", True),
        (line(name="paddle"), True),
        (line(name="paddle") + line(), False),
        (line(v=3), False),
        (line("1.0"), False),
        (line(name="OAR", cksum=...), False),
    ],
)
def test_a_file_that_is_none(body: bytes, is_foreign: bool) -> None:
    """A body without a line about the crate is not its file, be the lines about it readable or not."""
    assert read_index_file("oar", body).is_foreign is is_foreign


def test_two_lines_for_one_version() -> None:
    """Of two lines for one version the later counts, and the earlier is kept aside (wright 0.2.2)."""
    later = "d" * 64
    file = read_index_file("oar", line() + line(cksum=later))
    assert [one.checksum for one in file.releases] == [later]
    (aside,) = file.unreadable
    assert aside.version.startswith("1.0.0#")
    assert "later line" in aside.reason


def test_the_same_line_twice() -> None:
    """A line repeated byte for byte is one version and no anomaly."""
    file = read_index_file("oar", line() + line())
    assert (len(file.releases), file.unreadable) == (1, ())


def test_a_broken_line_does_not_displace_a_good_one() -> None:
    """A version that one line tells well and another badly stays a release; both bad ones are kept."""
    file = read_index_file("oar", line(v=3) + line() + line(v=4))
    assert [one.version for one in file.releases] == ["1.0.0"]
    assert len({one.version for one in file.unreadable}) == 2
    assert all(one.version.startswith("1.0.0#") for one in file.unreadable)


def test_versions_that_differ_by_case_or_build() -> None:
    """`rc.1` and `RC.1` are two versions, and so are two builds of one."""
    body = line("1.0.0-rc.1") + line("1.0.0-RC.1") + line("1.0.0+a") + line("1.0.0+b")
    assert len(read_index_file("oar", body).releases) == 4


def test_digest_follows_the_bytes() -> None:
    """An unchanged line keeps its digest, any other byte changes it."""
    assert release(line()).digest == release(line()).digest
    assert release(line()).digest != release(line(yanked=True)).digest


def test_every_file_of_the_sample_world() -> None:
    """The sample world's files are read: each line is a release or has its reason."""
    for crate in sample_world().crates.values():
        body = index_file(crate)
        file = read_index_file(crate.name.lower(), body)
        assert len(file.releases) + len(file.unreadable) == len(body.splitlines())
        assert all(one.reason for one in file.unreadable)


@given(st.binary(max_size=300) | st.builds(lambda a, b: line() + a + b"\n" + b, st.binary(), st.binary()))
def test_any_bytes(body: bytes) -> None:
    """No bytes make reading fail; every entry has a version of its own that fits its column."""
    file = read_index_file("oar", body)
    versions = [one.version for one in file.releases] + [one.version for one in file.unreadable]
    assert len(versions) == len(set(versions))
    assert all(0 < len(version) <= 255 and version.isascii() for version in versions)


def test_a_byte_order_mark_hides_no_version() -> None:
    """An editor's mark at the beginning of the file belongs to no line."""
    file = read_index_file("oar", b"\xef\xbb\xbf" + line() + b"\n")
    assert [release.version for release in file.releases] == ["1.0.0"]
    assert not file.unreadable


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b'{"name":"oar","vers":"1.0.0","deps":' + b"[" * 5000 + b"]" * 5000 + b"}", "unreadable"),
        (b"[" * 100_000, "unreadable"),
        (b'{"name":"oar","vers":"1.0.0","x":"' + b"y" * LONGEST_LINE + b'"}', "a line of"),
    ],
    ids=["deep", "deeper", "long"],
)
def test_a_hostile_line_costs_itself(raw: bytes, reason: str) -> None:
    """A line that is nested too deep or too long is kept aside with its reason; the others are read."""
    file = read_index_file("oar", raw + b"\n" + line("1.1.0") + b"\n")
    assert [release.version for release in file.releases] == ["1.1.0"]
    assert reason in file.unreadable[0].reason


@pytest.mark.parametrize("body", [b"{}\n" * (MOST_UNREADABLE + 1), b"\n" * (MOST_LINES + 1)])
def test_junk_without_end_is_refused(body: bytes) -> None:
    """A file of junk is refused with a code before it takes time or memory."""
    with pytest.raises(Malformed) as caught:
        read_index_file("oar", body)
    assert caught.value.code is FailureCode.TOO_LARGE
