"""What a snapshot changes against what is stored: decided here, written elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stook.engine.words import Code
from stook.registries.cargo.keep.product_rows import StoredProduct
from stook.registries.cargo.latest import Candidate, default_version, latest_stable
from stook.registries.cargo.names import page_url, purl
from stook.registries.cargo.records import Release, Snapshot, Unreadable
from stook.registries.cargo.semver import build_order, parse_semver
from stook.registries.store import Past

__all__ = [
    "Changes",
    "Stored",
    "changes",
    "product_of",
    "ranks",
]


@dataclass(frozen=True, slots=True)
class Stored:
    """One row of a list table, as far as a snapshot is compared with it."""

    version: str
    digest: bytes | None
    yanked: bool
    checksum: str | None
    is_deleted: bool
    processed: int
    lock_tags: Any = None  # project to tags, as locks name this version
    pinned: bool = False

    @property
    def is_release(self) -> bool:
        """Whether the row ever told of a version that could be read; then that version has its row too."""
        return self.checksum is not None


@dataclass(slots=True)
class Changes:
    """Rows to write for one package, and the rows found equal."""

    releases: list[Release] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    tombstones: list[str] = field(default_factory=list)
    history: list[Past] = field(default_factory=list)
    unchanged: int = 0
    has_new_rows: bool = False


def changes(snapshot: Snapshot, stored: Mapping[str, Stored]) -> Changes:
    """Compare; the first snapshot of a package is where its history begins, and writes none."""
    told = Changes()
    known = [row for row in stored.values() if row.is_release]
    for release in snapshot.releases:
        _compare_release(told, snapshot, release, stored.get(release.version), not known)
    for broken in snapshot.unreadable:
        _compare_unreadable(told, snapshot, broken, stored.get(broken.version))
    present = {one.version for one in snapshot.releases} | {one.version for one in snapshot.unreadable}
    if known and all(row.is_deleted for row in known) and told.history:
        _tell_return(told, [row for row in known if row.version not in present])
    gone = [row for row in stored.values() if row.version not in present and not row.is_deleted]
    if any(one.may_be_any for one in snapshot.unreadable):
        gone = [row for row in gone if not row.is_release]
    _bury(told, gone, bool(present))
    return told


def _tell_return(told: Changes, missing: Sequence[Stored]) -> None:
    """A package that is back is one entry, as its deletion was, and one for each version that is not back with it."""
    others = [past for past in told.history if past.kind != "restored"]
    told.history = [Past("", "restored"), *others, *(Past(row.version, "deleted", row.checksum) for row in missing)]


def _compare_release(told: Changes, snapshot: Snapshot, release: Release, row: Stored | None, is_first: bool) -> None:
    if row is None or not row.is_release:
        told.has_new_rows = True
        told.releases.append(release)
        if not is_first:
            told.history.append(Past(release.version, "published", None, release.checksum))
        return
    if not snapshot.rewrite and row.digest == release.digest and not row.is_deleted:
        told.unchanged += 1
        return
    told.releases.append(release)
    told.history.extend(_differences(release, row))


def _differences(release: Release, row: Stored) -> list[Past]:
    past = []
    if row.is_deleted:
        past.append(Past(release.version, "restored"))
    if row.checksum != release.checksum:
        past.append(Past(release.version, "checksum_changed", row.checksum, release.checksum))
    if row.yanked != release.yanked:
        past.append(Past(release.version, "yanked" if release.yanked else "unyanked"))
    return past


def _compare_unreadable(told: Changes, snapshot: Snapshot, broken: Unreadable, row: Stored | None) -> None:
    if (
        row
        and row.digest == broken.digest
        and not row.is_deleted
        and row.processed == Code.MALFORMED
        and not snapshot.rewrite
    ):
        told.unchanged += 1
        return
    told.unreadable.append(broken)
    if row and row.is_release and row.is_deleted:  # it is there again, whoever can read it
        told.history.append(Past(broken.version, "restored"))


def _bury(told: Changes, gone: Sequence[Stored], is_alive: bool) -> None:
    """Rows whose lines are gone. A package that is gone as a whole is one entry of the history."""
    told.tombstones.extend(row.version for row in gone if row.is_release or row.processed == Code.MALFORMED)
    if is_alive:
        told.history.extend(Past(row.version, "deleted", row.checksum) for row in gone if row.is_release)
    elif any(row.is_release for row in gone):
        told.history.append(Past("", "deleted"))


def product_of(snapshot: Snapshot, before: StoredProduct | None, stored: Mapping[str, Stored]) -> StoredProduct:
    """The product row that follows from a snapshot; a package without versions counts as deleted upstream.

    A stored version whose line cannot be read for a while is alive, and counts as it was last read.
    """
    releases = snapshot.releases
    candidates = [Candidate(one.version, one.key, one.is_prerelease, one.yanked) for one in releases]
    candidates += _hidden(snapshot, stored)
    latest = default_version(candidates)
    fallback = before.name if before else snapshot.known.name
    name = next((one.display_name for one in releases if one.version == latest), fallback)
    return StoredProduct(
        name=name,
        latest=latest,
        latest_stable=latest_stable(candidates),
        versions=len(candidates),
        yanked=sum(one.yanked for one in candidates),
        status=1 if candidates else 9 if not snapshot.unreadable else 0,
        url=page_url(name),
        purl=purl(name),
    )


def _hidden(snapshot: Snapshot, stored: Mapping[str, Stored]) -> list[Candidate]:
    """Stored versions behind lines that cannot be read now."""
    read = {one.version for one in snapshot.releases}
    unreadable = {one.version for one in snapshot.unreadable}
    may_be_any = any(one.may_be_any for one in snapshot.unreadable)
    found = []
    for row in stored.values():
        is_hidden = row.version in unreadable or may_be_any
        if is_hidden and row.is_release and not row.is_deleted and row.version not in read:
            semver = parse_semver(row.version)
            if semver:
                found.append(Candidate(row.version, semver.key, semver.is_prerelease, row.yanked))
    return found


def ranks(versions: Iterable[str]) -> dict[str, int]:
    """SORT_ORDER of each version: its place in the order, 0 the lowest."""
    keyed = [(semver.key, build_order(text), text) for text in set(versions) if (semver := parse_semver(text))]
    return {text: place for place, (_, _, text) in enumerate(sorted(keyed))}
