"""Product rows: what snapshots decide of them, and the licence of the latest version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Table

from stook.engine.ledger import Transaction, chunks
from stook.registries.store import RegistryKey, package_rows

__all__ = ["StoredProduct", "keep_products", "stored_products", "write_licenses"]

OWN = ("NAME", "LATEST_VERSION", "LATEST_STABLE", "VERSION_COUNT", "YANKED_COUNT", "COMP_STATUS", "URL", "PURL")


@dataclass(frozen=True, slots=True)
class StoredProduct:
    """The part of a product row that its registry's authority decides, in the order of OWN."""

    name: str
    latest: str | None
    latest_stable: str | None
    versions: int
    yanked: int
    status: int
    url: str
    purl: str


def stored_products(
    transaction: Transaction, table: Table, registry: RegistryKey, names: Sequence[str]
) -> dict[str, StoredProduct]:
    """What the product rows of these packages say now."""
    found: dict[str, StoredProduct] = {}
    for part in chunks(names, 300):
        columns = (table.c["PRODUCT_KEY"], *(table.c[name] for name in OWN))
        query = sa.select(*columns).where(*package_rows(table, registry), table.c["PRODUCT_KEY"].in_(part))
        found |= {row[0]: StoredProduct(*row[1:]) for row in transaction.execute(query)}
    return found


def keep_products(
    transaction: Transaction, table: Table, registry: RegistryKey, changed: Mapping[str, StoredProduct], now: datetime
) -> None:
    """Write the part of product rows that snapshots decide."""
    moment = transaction.moment(now)
    rows = [(*registry, name, *astuple(one), moment, moment) for name, one in changed.items()]
    columns = ["LANGUAGE", "REPOSITORY", "PRODUCT_KEY", *OWN, "CREATED", "TIMESTAMP"]
    transaction.upsert(table, columns, rows, [*OWN, "TIMESTAMP"])


def write_licenses(
    transaction: Transaction, product: Table, version: Table, registry: RegistryKey, names: Sequence[str]
) -> None:
    """A package's licence is that of its latest version, whichever of the two was learnt last."""
    latest = (
        sa.select(version.c["LICENSE"])
        .where(*package_rows(version, registry))
        .where(version.c["PRODUCT_KEY"] == product.c["PRODUCT_KEY"])
        .where(version.c["VERSION"] == product.c["LATEST_VERSION"])
        .scalar_subquery()
    )
    for part in chunks(sorted(names), 300):
        rows = sa.update(product).where(*package_rows(product, registry), product.c["PRODUCT_KEY"].in_(part))
        transaction.execute(rows.values(LICENSE=latest))
