"""Crates that are stored under a name which crates.io would not tell from another."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from stook.registries.cargo.names import canonical, uniqueness_key
from stook.registries.cargo.tables import RUST_PRODUCT

__all__ = ["spelt_alike"]


def spelt_alike(connection: sa.Connection, names: Sequence[str]) -> dict[str, str]:
    """For each name the stored crate that differs from it in case and separators only.

    For messages, never for look-ups: it reads the whole product table once.
    """
    if not names:
        return {}
    keys = {uniqueness_key(name): name for name in names}
    stored = RUST_PRODUCT.c["PRODUCT_KEY"]
    folded = sa.func.replace(stored, "-", "_")
    rows = sa.select(stored, RUST_PRODUCT.c["NAME"]).where(folded.in_(list(keys)), RUST_PRODUCT.c["COMP_STATUS"] != 9)
    found = {keys[uniqueness_key(key)]: (key, spelt) for key, spelt in connection.execute(rows)}
    return {name: spelt for name, (key, spelt) in found.items() if key != canonical(name)}
