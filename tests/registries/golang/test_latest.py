"""The latest version, retractions and deprecation, by the go command's rule."""

from __future__ import annotations

import pytest

from stook.registries.golang.gomod.gomod import Retraction
from stook.registries.golang.latest import NO_REASON, Need, find_latest, reasons, tagged_versions

from .answering import answer  # noqa: TID252

M = "example.com/m"
OLD, NEW = "v0.0.0-20190101000000-abcdefabcdef", "v0.0.0-20200101000000-abcdefabcdef"
FAKE = b"module example.com/m\n"
REAL = b"module example.com/m\n\ngo 1.21\n"


def _retracting(text: str) -> bytes:
    return REAL + f"retract {text}\n".encode()


# name, list, @latest, .mod by version (REAL where missing), version, raw
CASES: list[tuple[str, list[str], str, dict[str, bytes], str, str]] = [
    ("a release before a prerelease", ["v1.0.0", "v1.1.0-rc.1"], "", {}, "v1.0.0", "v1.0.0"),
    ("the highest of prereleases", ["v1.0.0-alpha", "v1.0.0-beta"], "", {}, "v1.0.0-beta", "v1.0.0-beta"),
    ("@latest for an empty list", [], NEW, {}, NEW, NEW),
    ("the newer of two pseudo-versions", [NEW, OLD], "", {}, NEW, NEW),
    (
        "incompatible behind a version without go.mod",
        ["v1.0.0", "v2.0.0+incompatible"],
        "",
        {"v1.0.0": FAKE},
        "v2.0.0+incompatible",
        "v2.0.0+incompatible",
    ),
    ("compatible with go.mod before incompatible", ["v1.0.0", "v2.0.0+incompatible"], "", {}, "v1.0.0", "v1.0.0"),
    ("a latest that retracts itself", ["v1.1.0", "v1.2.0"], "", {"v1.2.0": _retracting("v1.2.0")}, "v1.1.0", "v1.2.0"),
    ("all retracted", ["v1.0.0", "v1.9.0"], "", {"v1.9.0": _retracting("[v1.0.0, v1.9.0]")}, "", "v1.9.0"),
    ("a prerelease's retractions", ["v1.0.0", "v1.1.0-p"], "", {"v1.1.0-p": _retracting("v1.0.0")}, "v1.0.0", "v1.0.0"),
    ("a wrong major in the list", ["v1.0.0", "v2.0.0"], "", {}, "v2.0.0", "v2.0.0"),
    # Beyond the oracle's ten:
    ("a compatible prerelease with go.mod", ["v1.0.0-pre", "v2.0.0+incompatible"], "", {}, "v1.0.0-pre", "v1.0.0-pre"),
    (
        "only incompatible ones",
        ["v2.0.0+incompatible", "v10.0.0+incompatible"],
        "",
        {},
        "v10.0.0+incompatible",
        "v10.0.0+incompatible",
    ),
    ("a list's own times", [f"{OLD} 2022-01-01T00:00:00Z", f"{NEW} 2021-01-01T00:00:00Z"], "", {}, OLD, OLD),
    ("the first of equal times", [f"{NEW} 2021-01-01T00:00:00Z", f"{OLD} 2021-01-01T00:00:00Z"], "", {}, NEW, NEW),
    ("a time that is none", [f"{NEW} yesterday", OLD], "", {}, OLD, OLD),
    ("a pseudo-version without a date", ["v0.0.0-20191399000000-abcdefabcdef", OLD], "", {}, OLD, OLD),
    ("an @latest that retracts itself", [], NEW, {NEW: _retracting("v0.0.0-0\nretract [v0.0.0-0, v0.0.1]")}, "", NEW),
    ("nothing", [], "", {}, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("listing", "latest", "mods", "version", "raw"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_latest(listing: list[str], latest: str, mods: dict[str, bytes], version: str, raw: str) -> None:
    """Which version is the latest, with and without heeding retractions, as the go command was seen to answer."""
    known = {line.split()[0]: REAL for line in [*listing, latest] if line} | mods
    found = answer(find_latest(M, "\n".join(listing).encode()), known, latest)
    assert (found.version, found.raw) == (version, raw)
    assert bool(found.problem) == (version in ("", "v2.0.0"))


def test_asks_little_and_once() -> None:
    """An ordinary module costs one .mod; a version looked at twice is asked for once."""
    asked: list[Need] = []
    answer(find_latest(M, b"v1.0.0\nv1.1.0\n"), {"v1.1.0": REAL}, asked=asked)
    assert asked == [Need("mod", "v1.1.0")]
    asked.clear()
    answer(find_latest(M, b"v1.0.0\nv2.0.0+incompatible\n"), {"v1.0.0": REAL}, asked=asked)
    assert asked == [Need("mod", "v1.0.0")]
    asked.clear()
    answer(find_latest(M, b""), {NEW: REAL}, NEW, asked)
    assert asked == [Need("latest"), Need("mod", NEW)]


def test_what_the_raw_latest_says() -> None:
    """Retractions with reasons and the deprecation come from the raw latest's go.mod, whatever path it declares."""
    ranges = b"retract [v1.0.0, v1.1.0] // bad\nretract v1.1.0 // worse\nretract v1.2.0\n"
    body = b"// Deprecated: moved\nmodule example.org/other\n" + ranges
    found = answer(find_latest(M, b"v0.9.0\nv1.0.0\nv1.1.0\nv1.2.0\n"), {"v1.2.0": body})
    assert found.version == "v0.9.0"
    assert found.deprecated == "moved"
    assert found.retracted == {"v1.0.0": ("bad",), "v1.1.0": ("bad", "worse"), "v1.2.0": (NO_REASON,)}
    assert reasons("v1.0.1-0.20200101000000-abcdefabcdef", found.retractions) == ("bad",)
    assert reasons("v0.9.0", found.retractions) == ()


def test_bounds_that_are_no_versions() -> None:
    """A bound that is no version lies below all versions."""
    assert reasons("v1.0.0", [Retraction("foo", "v2.0.0", "x")]) == ("x",)
    assert reasons("v1.0.0", [Retraction("v0.1.0", "foo", "x")]) == ()


@pytest.mark.parametrize(
    ("listing", "mods", "raw", "problem"),
    [
        (b"v1.0.0\n", {}, "v1.0.0", "no .mod of v1.0.0"),
        (
            b"v1.0.0\n",
            {"v1.0.0": b"module a b\n"},
            "v1.0.0",
            "v1.0.0: go.mod line 1: module needs 1 argument(s), not 2",
        ),
        (b"v1.0.0\nv2.0.0+incompatible\n", {}, "", "no .mod of v1.0.0"),
        (
            b"v1.0.0\nv1.1.0\nv2.0.0+incompatible\n",
            {"v1.1.0": _retracting("v1.1.0")},
            "v1.1.0",
            "no .mod of v1.0.0",
        ),
    ],
)
def test_missing_and_broken_mods(listing: bytes, mods: dict[str, bytes], raw: str, problem: str) -> None:
    """What cannot be read is said, and hides nothing that is known."""
    found = answer(find_latest(M, listing), mods)
    assert (found.raw, found.problem) == (raw, problem)


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"Version":"master"}', b'{"Version":1}', b"\xff"])
def test_unreadable_latest(body: bytes) -> None:
    """An answer of @latest that names no version ends the search with the reason."""
    asking = find_latest(M, b"")
    assert next(asking) == Need("latest")
    with pytest.raises(StopIteration) as end:
        asking.send(body)
    assert end.value.value.version == ""
    assert "@latest" in end.value.value.problem


def test_tagged_versions() -> None:
    """Of a list count the first words that are versions, but no pseudo-versions, in order."""
    listing = (
        f"v1.10.0\r\n\nv1.9.0 2020-01-01T00:00:00Z\nmaster\n{NEW}\nv2.0.0+incompatible\nv1.9.0-RC1\nv01.0.0\nv3\x1c\n"
    )
    assert tagged_versions(listing.encode()) == ["v1.9.0-RC1", "v1.9.0", "v1.10.0", "v2.0.0+incompatible"]
