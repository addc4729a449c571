"""Keeping modules: version rows, and what each module's latest says of all of them, one module at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from stook.engine.ledger import Transaction
from stook.engine.words import Written
from stook.registries.golang.keep.changes import Changes, Known, changes
from stook.registries.golang.keep.pages import follow_latest
from stook.registries.golang.keep.rows import (
    KEY,
    Announced,
    announced_at,
    lock_products,
    stored_versions,
    write_facts,
    write_products,
    write_tombstones,
    write_versions,
)
from stook.registries.golang.records import GoAbsence, GoModule, GoRelease
from stook.registries.store import write_history

__all__ = ["keep_modules"]


@dataclass(slots=True)
class _Batch:
    """Records by module."""

    releases: dict[str, dict[str, GoRelease]] = field(default_factory=lambda: defaultdict(dict))
    absent: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    modules: dict[str, GoModule] = field(default_factory=dict)

    def add(self, record: GoRelease | GoAbsence | GoModule) -> None:
        match record:
            case GoRelease():
                self.releases[record.path][record.version] = record
            case GoAbsence():
                self.absent[record.path].add(record.version)
            case GoModule():
                self.modules[record.path] = record


def keep_modules(
    transaction: Transaction, records: Sequence[GoRelease | GoAbsence | GoModule], now: datetime
) -> Written:
    """Make version and product rows say what visits found; rows that say so already are left alone."""
    batch = _Batch()
    for record in records:
        batch.add(record)
    paths = sorted({*batch.releases, *batch.absent, *batch.modules})
    told = _compare(transaction, batch, paths, now)
    _write(transaction, told, now)
    moved = follow_latest(transaction, [path for path, one in told.items() if one.product or one.releases], now)
    return _counted(told, moved)


def _compare(transaction: Transaction, batch: _Batch, paths: Sequence[str], now: datetime) -> dict[str, Changes]:
    products = lock_products(transaction, paths, list(batch.releases), now)
    stored = stored_versions(transaction, paths)
    fresh = [
        (path, version)
        for path, some in batch.releases.items()
        if path in products
        for version in some
        if version not in stored[path]
    ]
    announced: dict[str, dict[str, Announced]] = defaultdict(dict)
    for (path, version), moment in announced_at(transaction, fresh).items():
        announced[path][version] = moment
    told = {}
    for path in paths:
        known = Known(stored[path], *products.get(path, (None, None)))
        releases = batch.releases.get(path, {})
        told[path] = changes(known, releases, batch.absent.get(path, ()), batch.modules.get(path), announced[path], now)
    return told


def _write(transaction: Transaction, told: dict[str, Changes], now: datetime) -> None:
    write_versions(
        transaction, {(row[0].path, row[0].version): row for one in told.values() for row in one.releases}, now
    )
    write_facts(
        transaction, {(path, version): facts for path, one in told.items() for version, facts in one.facts.items()}, now
    )
    write_tombstones(transaction, [(path, version) for path, one in told.items() for version in one.tombstones], now)
    write_products(transaction, {path: one.product for path, one in told.items() if one.product}, now)
    write_history(
        transaction, KEY[0], [(path, past) for path, one in told.items() for past in one.history], "proxy", now
    )


def _counted(told: dict[str, Changes], moved: int) -> Written:
    written: Counter[str] = Counter()
    unchanged: Counter[str] = Counter()
    for one in told.values():
        written["version"] += len(one.releases) + len(one.facts) + len(one.tombstones)
        written["history"] += len(one.history)
        written["product"] += one.product is not None
        unchanged["version"] += one.unchanged
    written["product"] += moved
    return Written(written, unchanged)
