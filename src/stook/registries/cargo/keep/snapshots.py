"""Keeping snapshots of crates: one pass over a batch, writing only what changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from stook.engine.ledger import Transaction, chunks, event_id
from stook.engine.ledger.queue.listing import complete_rows
from stook.engine.words import Code, Written
from stook.registries.cargo.keep.changes import Changes, Stored, changes, product_of, ranks
from stook.registries.cargo.keep.enrichment import forget_facts
from stook.registries.cargo.keep.product_rows import StoredProduct, keep_products, stored_products, write_licenses
from stook.registries.cargo.names import page_url, purl
from stook.registries.cargo.records import Known, Release, Snapshot, Unreadable
from stook.registries.cargo.semver import rust_version_key
from stook.registries.cargo.tables import RUST_LIST, RUST_PRODUCT, RUST_VERSION
from stook.registries.store import Marks, Past, decoded, marks_of, write_history

__all__ = ["LANGUAGE", "REPOSITORY", "keep_marks", "keep_snapshots"]

LANGUAGE, REPOSITORY = "rust", "Cargo"

LIST_COLUMNS = (
    "ID CRATE_NAME VERSION DISPLAY_NAME SOURCE RESOLVE_KIND LOCK_TAGS PINNED YANKED CHECKSUM DELETED_AT INDEX_DIGEST"
    " TIMESTAMP"
).split()
LIST_UPDATE = (
    # A line that cannot be read for a while takes nothing from what it told before.
    "DISPLAY_NAME=COALESCE({new}, {old})",
    "LOCK_TAGS",
    "PINNED",
    "YANKED",
    "CHECKSUM=COALESCE({new}, {old})",
    "DELETED_AT",
    "INDEX_DIGEST",
    "TIMESTAMP=COALESCE({new}, {old})",
)
VERSION_COLUMNS = (
    "LANGUAGE REPOSITORY PRODUCT_KEY VERSION NAME DEPENDENCIES FEATURES URL PURL CHECKSUM YANKED RUST_VERSION"
    " RUST_VERSION_KEY LINKS RELEASE_DATE VERSION_KEY SORT_ORDER PROCESSED CREATED TIMESTAMP"
).split()
VERSION_UPDATE = (
    *"NAME DEPENDENCIES FEATURES URL PURL CHECKSUM YANKED RUST_VERSION RUST_VERSION_KEY LINKS".split(),
    *"VERSION_KEY SORT_ORDER TIMESTAMP".split(),
    "RELEASE_DATE=COALESCE({new}, {old})",
    # What is back from the dead is complete if its facts are still there.
    f"PROCESSED=CASE WHEN {{old}} <> {Code.NOT_FOUND:d} THEN {{old}}"
    f" WHEN {RUST_VERSION.name}.FACTS_DIGEST IS NULL THEN {Code.PENDING:d} ELSE {Code.COMPLETE:d} END",
)


@dataclass(slots=True)
class _Rows:
    """Rows of a batch, gathered for one statement a table."""

    listed: list[tuple[Any, ...]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # of the rows listed; empty where a line can be read
    versions: list[tuple[Any, ...]] = field(default_factory=list)
    history: list[tuple[str, Past]] = field(default_factory=list)
    products: dict[str, StoredProduct] = field(default_factory=dict)
    buried: list[tuple[str, str]] = field(default_factory=list)
    grown: set[str] = field(default_factory=set)


def keep_snapshots(transaction: Transaction, snapshots: Sequence[Snapshot], now: datetime) -> Written:
    """Make list, version and product rows say what the snapshots say; what is gone gets a tombstone."""
    latest = {snapshot.known.name: snapshot for snapshot in snapshots}
    stored = _stored(transaction, list(latest))
    marks = marks_of(transaction, LANGUAGE, list(latest))
    products = stored_products(transaction, RUST_PRODUCT, (LANGUAGE, REPOSITORY), list(latest))
    rows, unchanged = _Rows(), Counter[str]()
    rejected: list[tuple[str, str]] = []
    for name, snapshot in latest.items():
        told = changes(snapshot, stored[name])
        # As long as a line cannot be read, each run says so: its tables are not the whole truth.
        rejected += [(f"{name}@{one.version}", one.reason) for one in snapshot.unreadable]
        unchanged["list"] += told.unchanged
        _gather(transaction, rows, snapshot, told, stored[name], marks.get(name, {}), now)
        _gather_product(rows, snapshot, stored[name], products.get(name))
    written = _write(transaction, rows, products, now)
    unchanged["product"] = len(rows.products) - written["product"]
    return Written(written, unchanged, rejected)


def keep_marks(transaction: Transaction, names: Sequence[str], now: datetime) -> int:
    """Make LOCK_TAGS and PINNED of these crates' rows follow from the pins; returns how many rows changed."""
    stored, marks = _stored(transaction, names), marks_of(transaction, LANGUAGE, names)
    changed = []
    for name in names:
        for row in stored[name].values():
            tags = marks.get(name, {}).get(row.version)
            if (row.lock_tags or None) != tags or row.pinned != bool(tags):
                told = {"b_id": event_id(name, row.version), "b_tags": _packed(tags), "b_pinned": int(bool(tags))}
                changed.append(told | {"b_now": now})
    values: dict[str, Any] = {
        "LOCK_TAGS": sa.bindparam("b_tags"),
        "PINNED": sa.bindparam("b_pinned"),
        "LAST_UPDATED": sa.bindparam("b_now"),
    }
    transaction.update(RUST_LIST, values, RUST_LIST.c["ID"] == sa.bindparam("b_id"), changed)
    return len(changed)


def _stored(transaction: Transaction, names: Sequence[str]) -> dict[str, dict[str, Stored]]:
    wanted = "CRATE_NAME VERSION INDEX_DIGEST YANKED CHECKSUM DELETED_AT PROCESSED LOCK_TAGS PINNED".split()
    rows: dict[str, dict[str, Stored]] = {name: {} for name in names}
    for part in chunks(names, 300):
        query = sa.select(*(RUST_LIST.c[name] for name in wanted)).where(RUST_LIST.c["CRATE_NAME"].in_(part))
        for name, version, digest, yanked, checksum, deleted_at, processed, tags, pinned in transaction.execute(query):
            digest = bytes(digest) if digest is not None else None
            known = Stored(
                version, digest, bool(yanked), checksum, deleted_at is not None, processed, decoded(tags), bool(pinned)
            )
            rows[name][version] = known
    return rows


def _gather(
    transaction: Transaction,
    rows: _Rows,
    snapshot: Snapshot,
    told: Changes,
    stored: Mapping[str, Stored],
    marks: Marks,
    now: datetime,
) -> None:
    known = snapshot.known
    moment = transaction.moment(now)
    before = {row.version for row in stored.values() if row.is_release}
    order = ranks(before | {one.version for one in snapshot.releases}) if told.releases else {}
    for release in told.releases:
        rows.listed.append(_list_row(transaction, known, release, marks))
        rows.problems.append("")
        rows.versions.append(_version_row(transaction, known.name, release, order[release.version], moment))
    if before and told.has_new_rows:
        rows.grown.add(known.name)
    rows.listed.extend(_unreadable_row(known, one, stored.get(one.version), marks) for one in told.unreadable)
    rows.problems.extend(one.reason for one in told.unreadable)
    rows.history.extend((known.name, past) for past in told.history)
    rows.buried.extend((known.name, version) for version in told.tombstones)


def _gather_product(
    rows: _Rows, snapshot: Snapshot, stored: Mapping[str, Stored], before: StoredProduct | None
) -> None:
    if not snapshot.releases and not stored and not snapshot.unreadable:
        return
    after = product_of(snapshot, before, stored)
    rows.products[snapshot.known.name] = after
    if before and before.latest and after.latest and before.latest != after.latest:
        rows.history.append((snapshot.known.name, Past(after.latest, "latest_changed", before.latest, after.latest)))


def _write(
    transaction: Transaction,
    rows: _Rows,
    products: Mapping[str, StoredProduct],
    now: datetime,
) -> dict[str, int]:
    replaced = [(name, past.version) for name, past in rows.history if past.kind == "checksum_changed"]
    forget_facts(transaction, RUST_VERSION, (LANGUAGE, REPOSITORY), replaced, now)
    complete_rows(transaction, RUST_LIST, LIST_COLUMNS, rows.listed, LIST_UPDATE, rows.problems, now)
    transaction.upsert(RUST_VERSION, VERSION_COLUMNS, rows.versions, VERSION_UPDATE)
    moved = _reorder(transaction, sorted(rows.grown))
    _bury(transaction, rows.buried, now)
    changed = {name: after for name, after in rows.products.items() if products.get(name) != after}
    keep_products(transaction, RUST_PRODUCT, (LANGUAGE, REPOSITORY), changed, now)
    told_anew = {name for name in changed if name in products} | {name for name, _ in replaced}
    write_licenses(transaction, RUST_PRODUCT, RUST_VERSION, (LANGUAGE, REPOSITORY), sorted(told_anew))
    write_history(transaction, LANGUAGE, rows.history, "index", now)
    return {
        "list": len(rows.listed) + len(rows.buried),
        "version": len(rows.versions) + moved + len(rows.buried),
        "product": len(changed),
        "history": len(rows.history),
    }


def _list_row(transaction: Transaction, known: Known, release: Release, marks: Marks) -> tuple[Any, ...]:
    return (
        event_id(known.name, release.version),
        known.name,
        release.version,
        release.display_name,
        known.source,
        _resolve_kind(known.source),
        _packed(marks.get(release.version)),
        int(release.version in marks),
        int(release.yanked),
        release.checksum,
        None,
        release.digest,
        transaction.moment(release.published),
    )


def _unreadable_row(known: Known, broken: Unreadable, row: Stored | None, marks: Marks) -> tuple[Any, ...]:
    identity = event_id(known.name, broken.version)
    packed = _packed(marks.get(broken.version))
    flags = (int(broken.version in marks), int(row is not None and row.yanked))
    source = (known.source, _resolve_kind(known.source))
    return identity, known.name, broken.version, None, *source, packed, *flags, None, None, broken.digest, None


def _packed(tags: Any) -> str | None:
    return msgspec.json.encode(tags, order="sorted").decode() if tags else None


def _resolve_kind(source: str) -> str:
    if source == "seed":
        return "seed"
    return "lock" if source.endswith("-lock") else "registry"


def _version_row(transaction: Transaction, name: str, release: Release, rank: int, moment: Any) -> tuple[Any, ...]:
    return (
        LANGUAGE,
        REPOSITORY,
        name,
        release.version,
        release.display_name,
        release.dependencies,
        release.features,
        page_url(release.display_name, release.version),
        purl(release.display_name, release.version),
        release.checksum,
        int(release.yanked),
        release.rust_version,
        rust_version_key(release.rust_version),
        release.links,
        transaction.moment(release.published),
        release.key,
        rank,
        0,
        moment,
        moment,
    )


def _reorder(transaction: Transaction, names: Sequence[str]) -> int:
    """Give the versions of packages that have grown their new places; only those that moved are written."""
    table = RUST_VERSION
    by_name: dict[str, dict[str, int]] = defaultdict(dict)
    for part in chunks(names, 300):
        columns = (table.c["PRODUCT_KEY"], table.c["VERSION"], table.c["SORT_ORDER"])
        for name, version, rank in transaction.execute(
            sa.select(*columns).where(*_package(table), table.c["PRODUCT_KEY"].in_(part))
        ):
            by_name[name][version] = rank
    moved = [
        {"b_name": name, "b_version": version, "b_rank": place}
        for name, old in by_name.items()
        for version, place in ranks(list(old)).items()
        if old[version] != place
    ]
    where = (table.c["PRODUCT_KEY"] == sa.bindparam("b_name")) & (table.c["VERSION"] == sa.bindparam("b_version"))
    transaction.update(table, {"SORT_ORDER": sa.bindparam("b_rank")}, sa.and_(*_package(table), where), moved)
    return len(moved)


def _bury(transaction: Transaction, buried: Sequence[tuple[str, str]], now: datetime) -> None:
    """Tombstones: the rows stay, and say since when the authority no longer has them."""
    listed = [{"b_id": event_id(name, version), "b_now": now} for name, version in buried]
    gone: dict[str, Any] = {"DELETED_AT": sa.bindparam("b_now"), "LAST_UPDATED": sa.bindparam("b_now")}
    transaction.update(RUST_LIST, gone, RUST_LIST.c["ID"] == sa.bindparam("b_id"), listed)
    table = RUST_VERSION
    where = (table.c["PRODUCT_KEY"] == sa.bindparam("b_name")) & (table.c["VERSION"] == sa.bindparam("b_version"))
    rows = [{"b_name": name, "b_version": version, "b_now": now} for name, version in buried]
    transaction.update(
        table,
        {"PROCESSED": int(Code.NOT_FOUND), "TIMESTAMP": sa.bindparam("b_now")},
        sa.and_(*_package(table), where),
        rows,
    )


def _package(table: sa.Table) -> list[sa.ColumnElement[bool]]:
    return [table.c["LANGUAGE"] == LANGUAGE, table.c["REPOSITORY"] == REPOSITORY]
