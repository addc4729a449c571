"""Keeping enrichment: facts that fill rows which are there, and never make one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Table

from stook.engine.ledger import Transaction, chunks
from stook.engine.words import Code, Written
from stook.registries.cargo.keep.product_rows import write_licenses
from stook.registries.cargo.records import Enrichment, ProductFacts, VersionFacts
from stook.registries.store import RegistryKey, package_rows

__all__ = ["forget_facts", "keep_enrichments"]

VERSION_FACTS = (
    "DESCRIPTION",
    "LICENSE",
    "SCM",
    "HOMEPAGE",
    "DOCUMENTATION",
    "DOWNLOADS",
    "SIZE",
    "EDITION",
    "YANK_MESSAGE",
    "PUBLISHED_BY",
    "YANKED_BY",
    "YANKED_AT",
    "BIN_NAMES",
    "HAS_LIB",
)
PRODUCT_FACTS = ("DESCRIPTION", "SCM", "HOMEPAGE", "DOCUMENTATION", "KEYWORDS", "CATEGORIES", "DOWNLOADS")


def keep_enrichments(
    transaction: Transaction,
    product: Table,
    version: Table,
    registry: RegistryKey,
    some: Sequence[Enrichment],
    now: datetime,
) -> Written:
    """Fill version and product rows; those whose facts are the same as last time are not written."""
    names = sorted({one.name for one in some})
    known = _digests(transaction, version, registry, names)
    products = _digests(transaction, product, registry, names)
    version_rows = [row for one in some for row in _version_rows(one, known, now)]
    product_rows = [row for one in some if (row := _product_row(one, products, now))]
    found = sum(1 for one in some for facts in one.versions if (one.name, facts.version) in known)
    transaction.update(version, _version_values(version), _where(version, registry), version_rows)
    transaction.update(product, _values(PRODUCT_FACTS), _where(product, registry), product_rows)
    write_licenses(transaction, product, version, registry, names)
    written = {"version": len(version_rows), "product": len(product_rows)}
    unchanged = {"version": found - len(version_rows), "product": len(names) - len(product_rows)}
    return Written(written, unchanged, [(one.name, f"odd value: {what}") for one in some for what in one.odd])


def forget_facts(
    transaction: Transaction, version: Table, registry: RegistryKey, some: Sequence[tuple[str, str]], now: datetime
) -> None:
    """Versions (package, version) whose content is another: what was told of the old one, its date too, is void."""
    void: dict[str, Any] = dict.fromkeys((*VERSION_FACTS, "RELEASE_DATE", "FACTS_DIGEST", "ENRICHED_AT"))
    values = void | {"PROCESSED": int(Code.PENDING), "TIMESTAMP": sa.bindparam("b_now")}
    rows = [{"b_name": name, "b_version": one, "b_now": now} for name, one in some]
    transaction.update(version, values, _where(version, registry), rows)


def _digests(
    transaction: Transaction, table: Table, registry: RegistryKey, names: Sequence[str]
) -> dict[Any, bytes | None]:
    """The digest of each row's facts, by package, or by package and version."""
    version = (table.c["VERSION"],) if "VERSION" in table.c else ()
    found: dict[Any, bytes | None] = {}
    for part in chunks(names, 300):
        columns = (table.c["PRODUCT_KEY"], *version, table.c["FACTS_DIGEST"])
        query = sa.select(*columns).where(*package_rows(table, registry), table.c["PRODUCT_KEY"].in_(part))
        for *key, digest in transaction.execute(query):
            found[tuple(key) if version else key[0]] = bytes(digest) if digest is not None else None
    return found


def _version_rows(one: Enrichment, known: dict[Any, bytes | None], now: datetime) -> list[dict[str, Any]]:
    rows = []
    for facts in one.versions:
        digest = _digest(facts)
        key = (one.name, facts.version)
        if key in known and known[key] != digest:
            told = {f"b_{name.lower()}": getattr(facts, name.lower()) for name in VERSION_FACTS}
            row = {"b_name": one.name, "b_version": facts.version, "b_published": facts.published}
            rows.append(row | told | {"b_digest": digest, "b_now": now})
    return rows


def _product_row(one: Enrichment, known: dict[Any, bytes | None], now: datetime) -> dict[str, Any] | None:
    digest = _digest(one.product)
    if one.name not in known or known[one.name] == digest:
        return None
    told = {f"b_{name.lower()}": getattr(one.product, name.lower()) for name in PRODUCT_FACTS}
    return {"b_name": one.name} | told | {"b_digest": digest, "b_now": now}


def _values(facts: Sequence[str]) -> dict[str, Any]:
    named: dict[str, Any] = {name: sa.bindparam(f"b_{name.lower()}") for name in facts}
    return named | {"FACTS_DIGEST": sa.bindparam("b_digest"), "TIMESTAMP": sa.bindparam("b_now")}


def _version_values(table: Table) -> dict[str, Any]:
    """The authority's own date wins over the enrichment's; a tombstone stays one."""
    return _values(VERSION_FACTS) | {
        "ENRICHED_AT": sa.bindparam("b_now"),
        "RELEASE_DATE": sa.func.coalesce(
            table.c["RELEASE_DATE"], sa.bindparam("b_published", type_=table.c["RELEASE_DATE"].type)
        ),
        "PROCESSED": sa.case((table.c["PROCESSED"] == Code.NOT_FOUND, Code.NOT_FOUND), else_=Code.COMPLETE),
    }


def _where(table: Table, registry: RegistryKey) -> sa.ColumnElement[bool]:
    version = [table.c["VERSION"] == sa.bindparam("b_version")] if "VERSION" in table.c else []
    return sa.and_(*package_rows(table, registry), table.c["PRODUCT_KEY"] == sa.bindparam("b_name"), *version)


def _digest(facts: VersionFacts | ProductFacts) -> bytes:
    return hashlib.sha256(msgspec.json.encode(facts)).digest()[:16]
