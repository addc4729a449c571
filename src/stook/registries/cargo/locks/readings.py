"""What locks taught: packages of one tag, and the union over all tags of a project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import quote

from stook.engine.errors import FailureCode
from stook.registries.cargo.locks.child import without_credentials

__all__ = [
    "CrateInLocks",
    "How",
    "LockReading",
    "LockedPackage",
    "Origin",
    "OtherPackage",
    "TagReading",
    "unite",
]

LONGEST_SOURCE = 128  # what SOURCE holds, and ASCII only: a folder may have any name


class Origin(StrEnum):
    """Where a lock says that a package comes from; only REGISTRY ones are on crates.io."""

    REGISTRY = "registry"
    OTHER_REGISTRY = "other registry"
    GIT = "git"
    PATH = "path"


class How(StrEnum):
    """How a tag's lock was come by."""

    COMMITTED = "committed lock"
    GENERATED = "generated"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """One package of a lock, spelt as there; `source` and `checksum` are empty where the lock has none.

    `is_direct`: a package of the project itself requires it; None where the lock does not tell.
    """

    name: str
    version: str
    source: str
    checksum: str
    origin: Origin
    is_direct: bool | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TagReading:
    """One tag: `commit` is empty outside git; `reason` (at most 500 characters) and `code` say why it failed."""

    tag: str
    commit: str
    how: How
    reason: str
    seconds: float
    packages: tuple[LockedPackage, ...] = ()
    code: FailureCode | None = None


@dataclass(frozen=True, slots=True)
class CrateInLocks:
    """A crate of the registry: the tags that name it, in the order of the run, and each version with its own."""

    name: str
    tags: tuple[str, ...]
    versions: Mapping[str, tuple[str, ...]]
    checksums: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OtherPackage:
    """A package that is not collected, with the source the lock gives (`path` for none)."""

    name: str
    version: str
    source: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LockReading:
    """All tags of a project, in the order asked for, and their union (sorted by name, then by version as text).

    `others` come from git or another registry. `members` have no source: the project's own packages and path crates,
    which a lock does not tell apart. `origin` tells projects of one name apart. `notes` are sentences for the report.
    """

    project: str
    readings: tuple[TagReading, ...]
    crates: Mapping[str, CrateInLocks]
    others: tuple[OtherPackage, ...]
    members: tuple[OtherPackage, ...]
    origin: str = ""
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The SOURCE of the list rows that come from here: ASCII, the rest percent-encoded, cut to what fits."""
        plain = re.sub("[^ -~]+", lambda found: quote(found[0]), self.project)
        return f"{plain[: LONGEST_SOURCE - len('-lock')]}-lock"

    @property
    def failed(self) -> tuple[TagReading, ...]:
        return tuple(reading for reading in self.readings if reading.how is How.FAILED)


def unite(project: str, readings: Sequence[TagReading], notes: Sequence[str] = (), origin: str = "") -> LockReading:
    """The union of all tags; two checksums for one version of a crate give a note, and the first tag's is kept."""
    tagged = _tagged(readings)
    order = [reading.tag for reading in readings]
    crates: dict[str, list[LockedPackage]] = {}
    for package in tagged:
        if package.origin is Origin.REGISTRY:
            crates.setdefault(package.name, []).append(package)
    return LockReading(
        project=project,
        readings=tuple(readings),
        crates={name: _crate(name, packages, tagged, order) for name, packages in crates.items()},
        others=_others(tagged, (Origin.OTHER_REGISTRY, Origin.GIT)),
        members=_others(tagged, (Origin.PATH,)),
        origin=origin or project,
        notes=(*notes, *_conflicts(tagged)),
    )


def _tagged(readings: Sequence[TagReading]) -> dict[LockedPackage, tuple[str, ...]]:
    tags: dict[LockedPackage, dict[str, None]] = {}
    for reading in readings:
        for package in reading.packages:
            tags.setdefault(package, {})[reading.tag] = None
    ordered = sorted(tags, key=lambda package: (package.name, package.version, package.source))
    return {package: tuple(tags[package]) for package in ordered}


def _crate(
    name: str,
    packages: Sequence[LockedPackage],
    tagged: Mapping[LockedPackage, tuple[str, ...]],
    order: Sequence[str],
) -> CrateInLocks:
    versions: dict[str, set[str]] = {}
    checksums: dict[str, str] = {}
    for package in sorted(packages, key=lambda package: order.index(tagged[package][0])):
        if package.checksum:
            checksums.setdefault(package.version, package.checksum)
    for package in packages:
        versions.setdefault(package.version, set()).update(tagged[package])
    named = set().union(*versions.values())
    return CrateInLocks(
        name=name,
        tags=_in_order(named, order),
        versions={version: _in_order(tags, order) for version, tags in versions.items()},
        checksums={version: checksums[version] for version in versions if version in checksums},
    )


def _in_order(tags: set[str], order: Sequence[str]) -> tuple[str, ...]:
    return tuple(tag for tag in order if tag in tags)


def _others(
    tagged: Mapping[LockedPackage, tuple[str, ...]],
    origins: Sequence[Origin],
) -> tuple[OtherPackage, ...]:
    return tuple(
        OtherPackage(package.name, package.version, without_credentials(package.source) or Origin.PATH.value, tags)
        for package, tags in tagged.items()
        if package.origin in origins
    )


def _conflicts(tagged: Mapping[LockedPackage, tuple[str, ...]]) -> Iterator[str]:
    sums: dict[tuple[str, str], set[str]] = {}
    for package in tagged:
        if package.checksum and package.origin is Origin.REGISTRY:
            sums.setdefault((package.name, package.version), set()).add(package.checksum)
    for (name, version), found in sums.items():
        if len(found) > 1:
            yield f"the locks give {len(found)} checksums for {name} {version}; the first tag's is kept"
