"""The version and product rows of Go modules: read as they stand, and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from stook.engine.ledger import Transaction, chunks, event_id
from stook.engine.words import Code
from stook.registries.golang.keep.addresses import page_url, purl
from stook.registries.golang.paths import split_path
from stook.registries.golang.records import GoRelease
from stook.registries.golang.tables import GO_LIST, GO_PRODUCT, GO_VERSION
from stook.registries.golang.versions.versions import version_key
from stook.registries.store import package_rows

__all__ = [
    "KEY",
    "Announced",
    "Facts",
    "ModuleRow",
    "Row",
    "announced_at",
    "lock_products",
    "named",
    "other_module",
    "rows_of",
    "stored_alive",
    "stored_versions",
    "write_facts",
    "write_products",
    "write_tombstones",
    "write_versions",
]

KEY = ("go", "Golang")
FACTS = ("SORT_ORDER", "RETRACTED", "RETRACT_REASON", "DEPRECATED", "DEPRECATED_REASON")
VERSION_COLUMNS = (
    "LANGUAGE REPOSITORY PRODUCT_KEY VERSION NAME DEPENDENCIES URL PURL RELEASE_DATE VERSION_KEY GO_VERSION HAS_GO_MOD"
    " MOD_SUM ORIGIN SCM TOOLCHAIN REPLACES EXCLUDES TOOLS MOD_ERROR FACTS_DIGEST PROCESSED CREATED TIMESTAMP"
).split()
VERSION_UPDATE = (
    *"DEPENDENCIES VERSION_KEY GO_VERSION HAS_GO_MOD MOD_SUM ORIGIN TOOLCHAIN REPLACES EXCLUDES TOOLS".split(),
    *"MOD_ERROR FACTS_DIGEST TIMESTAMP".split(),
    *FACTS,
    "RELEASE_DATE=COALESCE({new}, {old})",
    "SCM=COALESCE({new}, {old})",
    # What is back from the dead is complete if its licence is still there.
    f"PROCESSED=CASE WHEN {{old}} <> {Code.NOT_FOUND:d} THEN {{old}}"
    f" WHEN {GO_VERSION.name}.LICENSE IS NULL THEN {Code.PENDING:d} ELSE {Code.COMPLETE:d} END",
)
KEPT = (
    "LATEST_VERSION LATEST_STABLE LATEST_RAW VERSION_COUNT RETRACTED_COUNT DEPRECATED DEPRECATED_REASON COMP_STATUS"
    " LATEST_REASON LISTED_COUNT MOVED_TO MOVED_SINCE LISTED_SINCE"
).split()
PRODUCT_COLUMNS = [*"LANGUAGE REPOSITORY PRODUCT_KEY NAME URL PURL SERIES".split(), *KEPT, "CREATED", "TIMESTAMP"]


class Facts(NamedTuple):
    """What the module as a whole says of one version, in the order of FACTS."""

    rank: int | None
    retracted: bool
    reason: str | None
    deprecated: bool
    deprecated_reason: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """A version row as far as anything is compared with it."""

    version: str
    key: bytes
    digest: bytes | None
    mod_sum: str | None
    is_gone: bool
    facts: Facts


class ModuleRow(NamedTuple):
    """The part of a product row that the proxy decides, in the order of KEPT; `status` 0 is one never described."""

    latest: str | None
    stable: str | None
    raw: str | None
    versions: int
    retracted: int
    deprecated: int
    deprecated_reason: str | None
    status: int
    latest_reason: str | None = None
    listed: int | None = None
    moved_to: str | None = None
    moved_since: str | None = None
    listed_since: datetime | None = None  # when all that the proxy listed was announced for the first time


EMPTY = ModuleRow(None, None, None, 0, 0, 0, None, 0)


def lock_products(
    transaction: Transaction, paths: Sequence[str], released: Sequence[str], now: datetime
) -> dict[str, tuple[ModuleRow, datetime]]:
    """The product rows and when they were made, locked until the transaction ends.

    That lets one transaction at a time decide what a module's rows say. Modules that get their first version have no
    row to lock yet: `released` get one. Those made here and now are left out.
    """
    moment = transaction.moment(now)
    rows = [(*_names(path), *EMPTY, moment, moment) for path in sorted(released)]
    transaction.insert_missing(GO_PRODUCT, PRODUCT_COLUMNS, rows)
    table = GO_PRODUCT
    columns = [table.c[name] for name in ("PRODUCT_KEY", *KEPT, "CREATED")]
    found: dict[str, tuple[ModuleRow, datetime]] = {}
    for part in chunks(sorted(paths), 300):
        query = sa.select(*columns).where(*rows_of(table, part)).order_by(table.c["PRODUCT_KEY"]).with_for_update()
        for path, *kept, created in transaction.execute(query):
            if tuple(kept) != EMPTY:
                found[path] = ModuleRow(*kept), created
    return found


def stored_versions(transaction: Transaction, paths: Sequence[str]) -> dict[str, dict[str, Row]]:
    """All version rows of these modules."""
    table = GO_VERSION
    wanted = ("PRODUCT_KEY", "VERSION", "VERSION_KEY", "FACTS_DIGEST", "MOD_SUM", "PROCESSED", *FACTS)
    found: dict[str, dict[str, Row]] = {path: {} for path in paths}
    for part in chunks(sorted(paths), 300):
        query = sa.select(*(table.c[name] for name in wanted)).where(*rows_of(table, part))
        for path, version, key, digest, mod_sum, processed, *facts in transaction.execute(query):
            rank, retracted, reason, deprecated, deprecated_reason = facts
            told = Facts(rank, bool(retracted), reason, bool(deprecated), deprecated_reason)
            known = bytes(digest) if digest is not None else None
            found[path][version] = Row(version, bytes(key), known, mod_sum, processed == Code.NOT_FOUND, told)
    return found


def stored_alive(connection: sa.Connection, path: str) -> list[str]:
    """The versions of a module whose rows are alive."""
    table = GO_VERSION
    alive = sa.select(table.c["VERSION"]).where(*rows_of(table, [path]), table.c["PROCESSED"] != Code.NOT_FOUND)
    return list(connection.execute(alive).scalars())


def other_module(connection: sa.Connection, path: str) -> str | None:
    """The path of another module that the proxy listed and that is stored; None where there is none."""
    name = GO_PRODUCT.c["PRODUCT_KEY"]
    listed = sa.select(name).where(*package_rows(GO_PRODUCT, KEY), GO_PRODUCT.c["LISTED_COUNT"] > 0)
    for side in (name > path, name < path):
        if found := connection.execute(listed.where(side).order_by(name).limit(1)).scalar():
            return str(found)
    return None


class Announced(NamedTuple):
    """When the index says that it announced a version, if it did, and when we learnt of the version."""

    at: datetime | None
    learnt: datetime


def announced_at(transaction: Transaction, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Announced]:
    """When these versions were announced."""
    table = GO_LIST
    ids = {event_id(path, version): (path, version) for path, version in pairs}
    found: dict[tuple[str, str], Announced] = {}
    for part in chunks(sorted(ids), 500):
        query = sa.select(*(table.c[name] for name in ("ID", "TIMESTAMP", "CREATED"))).where(table.c["ID"].in_(part))
        found |= {ids[bytes(identity)]: Announced(*times) for identity, *times in transaction.execute(query)}
    return found


def write_versions(
    transaction: Transaction, rows: Mapping[tuple[str, str], tuple[GoRelease, bytes, Facts]], now: datetime
) -> None:
    """Versions as the proxy has them, new or changed."""
    packed = [_version_row(transaction, *rows[key], now) for key in sorted(rows)]
    transaction.upsert(GO_VERSION, [*VERSION_COLUMNS, *FACTS], packed, VERSION_UPDATE)


def _version_row(transaction: Transaction, one: GoRelease, digest: bytes, facts: Facts, now: datetime) -> Sequence[Any]:
    at = transaction.moment(now)
    head = (*KEY, one.path, one.version, one.path, one.dependencies)
    links = (page_url(one.path, one.version), purl(one.path, one.version))
    told = (transaction.moment(one.published), version_key(one.version), one.go_version or None, int(one.has_go_mod))
    rank, retracted, reason, deprecated, deprecated_reason = facts
    of_module = (rank, int(retracted), reason, int(deprecated), deprecated_reason)
    of_mod = (one.toolchain or None, one.replaces, one.excludes, one.tools, one.mod_error or None)
    return (*head, *links, *told, one.mod_sum, one.origin, one.scm, *of_mod, digest, 0, at, at, *of_module)


def write_facts(transaction: Transaction, rows: Mapping[tuple[str, str], Facts], now: datetime) -> None:
    """What the module says anew of versions whose own documents are the same."""
    changed = []
    for (path, version), facts in sorted(rows.items()):
        told = {f"b_{name.lower()}": value for name, value in zip(FACTS, facts, strict=True)}
        told |= {"b_retracted": int(facts.retracted), "b_deprecated": int(facts.deprecated)}
        changed.append({"b_name": path, "b_version": version, "b_now": now} | told)
    values: dict[str, Any] = {name: sa.bindparam(f"b_{name.lower()}") for name in FACTS}
    transaction.update(GO_VERSION, values | {"TIMESTAMP": sa.bindparam("b_now")}, named(GO_VERSION), changed)


def write_tombstones(transaction: Transaction, pairs: Sequence[tuple[str, str]], now: datetime) -> None:
    """The rows stay, and say that the authority no longer has them."""
    rows = [{"b_name": path, "b_version": version, "b_now": now} for path, version in sorted(pairs)]
    gone = {"PROCESSED": int(Code.NOT_FOUND), "TIMESTAMP": sa.bindparam("b_now")}
    transaction.update(GO_VERSION, gone, named(GO_VERSION), rows)


def write_products(transaction: Transaction, products: Mapping[str, ModuleRow], now: datetime) -> None:
    """Product rows, new or changed."""
    at = transaction.moment(now)
    rows = [
        (*_names(path), *one[:-1], transaction.moment(one.listed_since), at, at)
        for path, one in sorted(products.items())
    ]
    transaction.upsert(GO_PRODUCT, PRODUCT_COLUMNS, rows, ["SERIES", *KEPT, "TIMESTAMP"])


def _names(path: str) -> tuple[str, ...]:
    """The columns that follow from the path alone; a series is the path without its major version."""
    return (*KEY, path, path, page_url(path), purl(path), split_path(path)[0])


def rows_of(table: sa.Table, paths: Sequence[str]) -> list[sa.ColumnElement[bool]]:
    """The condition for the rows of these modules."""
    return [*package_rows(table, KEY), table.c["PRODUCT_KEY"].in_(paths)]


def named(table: sa.Table) -> sa.ColumnElement[bool]:
    """The condition for the row that the parameters b_name and b_version name."""
    version = [table.c["VERSION"] == sa.bindparam("b_version")] if "VERSION" in table.c else []
    return sa.and_(*package_rows(table, KEY), table.c["PRODUCT_KEY"] == sa.bindparam("b_name"), *version)
