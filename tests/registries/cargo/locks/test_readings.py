"""The union over tags."""

from __future__ import annotations

import pytest

from stook.registries.cargo.locks import How, LockedPackage, Origin, OtherPackage, TagReading
from stook.registries.cargo.locks.readings import unite


def package(
    name: str, version: str, source: str = "r", checksum: str = "", origin: Origin = Origin.REGISTRY
) -> LockedPackage:
    """A package of a lock."""
    return LockedPackage(name, version, source, checksum, origin)


def reading(tag: str, *packages: LockedPackage) -> TagReading:
    """A tag whose lock has these packages."""
    return TagReading(tag, "", How.COMMITTED, "", 0.0, packages)


def test_crates_keep_the_tags_in_the_order_of_the_run() -> None:
    """A crate lists its tags as asked for, and each version its own, whatever the versions' order."""
    union = unite(
        "p", [reading("v2", package("a", "1.9.0"), package("a", "0.1.0")), reading("v1", package("a", "1.10.0"))]
    )
    crate = union.crates["a"]
    assert crate.tags == ("v2", "v1")
    assert crate.versions == {"0.1.0": ("v2",), "1.10.0": ("v1",), "1.9.0": ("v2",)}
    assert union.source == "p-lock"


def test_same_version_from_two_sources_is_one_version() -> None:
    """The public index in both spellings gives one version with all its tags, in order."""
    union = unite("p", [reading("t1", package("a", "1.0.0", "z")), reading("t2", package("a", "1.0.0", "b"))])
    assert union.crates["a"].versions == {"1.0.0": ("t1", "t2")}


def test_two_checksums_are_noted() -> None:
    """A version whose checksum differs between tags is kept with the first tag's, and a note says so."""
    union = unite(
        "p", [reading("t1", package("a", "1.0.0", "z", "01")), reading("t2", package("a", "1.0.0", "b", "02"))]
    )
    assert union.crates["a"].checksums == {"1.0.0": "01"}
    assert union.notes == ("the locks give 2 checksums for a 1.0.0; the first tag's is kept",)


def test_nothing_is_dropped_silently() -> None:
    """Git packages and those of other registries are listed with their source, sourceless ones as members."""
    git = package("g", "1.0.0", "git+https://example.org/g#01", origin=Origin.GIT)
    other = package("o", "1.0.0", "sparse+https://r.example/", origin=Origin.OTHER_REGISTRY)
    union = unite("p", [reading("t", git, other, package("p", "0.1.0", "", origin=Origin.PATH))])
    assert [(row.name, row.source) for row in union.others] == [("g", git.source), ("o", other.source)]
    assert union.members == (OtherPackage("p", "0.1.0", "path", ("t",)),)
    assert union.crates == {}


@pytest.mark.parametrize(
    ("project", "source"),
    [("my app", "my app-lock"), ("café 2", "caf%C3%A9 2-lock"), ("x" * 300, f"{'x' * 123}-lock")],
)
def test_a_source_fits_its_column(project: str, source: str) -> None:
    """Whatever a project is called, its SOURCE is ASCII and not too long, and is still a lock's."""
    assert unite(project, ()).source == source
