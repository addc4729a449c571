"""Keeping what pkg.go.dev says: it fills rows which are there, and never makes one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from stook.engine.ledger import Transaction, chunks
from stook.engine.words import Code, Written
from stook.registries.golang.keep.rows import KEY, lock_products, named, rows_of
from stook.registries.golang.records import GoPage
from stook.registries.golang.tables import GO_PRODUCT, GO_VERSION
from stook.registries.store import decoded, package_rows

__all__ = ["follow_latest", "keep_pages"]

COMPARED = ("LICENSE", "LICENSE_IDS", "SCM", "RELEASE_DATE", "ORIGIN", "PROCESSED")
FILLED = COMPARED[:4]
FOLLOWED = ("LICENSE", "SCM")


def keep_pages(transaction: Transaction, pages: Sequence[GoPage], now: datetime) -> Written:
    """Fill version rows: licences as published types; repository and commit time where the proxy told none."""
    wanted = {(one.path, one.version): one for one in pages}
    paths = sorted({path for path, _ in wanted})
    lock_products(transaction, paths, (), now)
    stored = _stored(transaction, list(wanted))
    rows = []
    for (path, version), before in sorted(stored.items()):
        after = _filled(wanted[path, version], before)
        if after != _plain(before):
            told = dict(zip(("b_license", "b_ids", "b_scm", "b_date", "b_processed"), after, strict=True))
            packed = {"b_ids": _packed(told["b_ids"]), "b_scm": _packed(told["b_scm"])}
            rows.append(told | packed | {"b_name": path, "b_version": version, "b_now": now})
    names = zip(("license", "ids", "scm", "date", "processed"), (*FILLED, "PROCESSED"), strict=True)
    values: dict[str, Any] = {name: sa.bindparam(f"b_{parameter}") for parameter, name in names}
    values |= {"TIMESTAMP": sa.bindparam("b_now"), "ENRICHED_AT": sa.bindparam("b_now")}
    transaction.update(GO_VERSION, values, named(GO_VERSION), rows)
    moved = follow_latest(transaction, paths, now)
    return Written({"version": len(rows), "product": moved}, {"version": len(stored) - len(rows)})


def _stored(transaction: Transaction, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    table = GO_VERSION
    columns = [table.c[name] for name in ("PRODUCT_KEY", "VERSION", *COMPARED)]
    found = {}
    for part in chunks(sorted(pairs), 200):
        some = [sa.and_(table.c["PRODUCT_KEY"] == path, table.c["VERSION"] == version) for path, version in part]
        for path, version, *values in transaction.execute(
            sa.select(*columns).where(*package_rows(table, KEY), sa.or_(*some))
        ):
            found[path, version] = dict(zip(COMPARED, values, strict=True))
    return found


def _filled(one: GoPage, before: dict[str, Any]) -> tuple[Any, ...]:
    """What the row must say, JSON columns as values; a tombstone stays one."""
    origin = decoded(before["ORIGIN"]) or {}
    scm = before["SCM"] if origin.get("URL") else one.scm
    is_gone = before["PROCESSED"] == Code.NOT_FOUND
    state = int(Code.NOT_FOUND if is_gone else Code.COMPLETE)
    date = before["RELEASE_DATE"] or one.published
    return (", ".join(one.licenses) or None, list(one.licenses) or None, decoded(scm), date, state)


def _plain(before: dict[str, Any]) -> tuple[Any, ...]:
    return (
        before["LICENSE"],
        decoded(before["LICENSE_IDS"]),
        decoded(before["SCM"]),
        before["RELEASE_DATE"],
        before["PROCESSED"],
    )


def _packed(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def follow_latest(transaction: Transaction, paths: Sequence[str], now: datetime) -> int:
    """A module's licence and repository are those of its latest version, whichever was learnt last."""
    rows = [row for part in chunks(sorted(paths), 300) for row in _astray(transaction, part, now)]
    values: dict[str, Any] = {
        "LICENSE": sa.bindparam("b_license"),
        "SCM": sa.bindparam("b_scm"),
        "TIMESTAMP": sa.bindparam("b_now"),
    }
    transaction.update(GO_PRODUCT, values, named(GO_PRODUCT), rows)
    return len(rows)


def _astray(transaction: Transaction, paths: Sequence[str], now: datetime) -> Iterable[dict[str, Any]]:
    """Product rows that say something else than their latest version does."""
    product, version = GO_PRODUCT, GO_VERSION
    same = (version.c["PRODUCT_KEY"] == product.c["PRODUCT_KEY"]) & (
        version.c["VERSION"] == product.c["LATEST_VERSION"]
    )
    joined = product.outerjoin(version, sa.and_(*package_rows(version, KEY), same))
    said, wanted = ([table.c[name].label(f"{table.name}_{name}") for name in FOLLOWED] for table in (product, version))
    query = sa.select(product.c["PRODUCT_KEY"], *said, *wanted).select_from(joined).where(*rows_of(product, paths))
    for path, *told in transaction.execute(query.order_by(product.c["PRODUCT_KEY"])).all():
        before, after = [(one, decoded(scm)) for one, scm in (told[:2], told[2:])]
        if before != after:
            yield {"b_name": path, "b_license": after[0], "b_scm": _packed(after[1]), "b_now": now}
