"""Reading the registry tables back: what `show` and the demo print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Table

from stook.engine.words import Code
from stook.registries.store.package_rows import RegistryKey, package_rows
from stook.registries.store.schema import HISTORY

__all__ = ["Package", "decoded", "read_history", "read_package"]

_JSON = frozenset(
    {
        "DEPENDENCIES",
        "FEATURES",
        "SCM",
        "KEYWORDS",
        "CATEGORIES",
        "OWNERS",
        "STANDARD_LICENSE",
        "LICENSE_IDS",
        "LICENSE_AI",
        "ORIGIN",
        "REPLACES",
        "EXCLUDES",
        "TOOLS",
        "BIN_NAMES",
    }
)
_INNER = frozenset({"RUST_VERSION_KEY", "VERSION_KEY", "FACTS_DIGEST", "PATH"})


@dataclass(frozen=True, slots=True)
class Package:
    """A package as stored: its product row, its versions, its history from the newest back.

    Versions that are alive come first; both these and those that are gone from the highest down.
    """

    product: dict[str, Any]
    versions: list[dict[str, Any]] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)


def read_package(
    connection: sa.Connection, product: Table, version: Table, registry: RegistryKey, name: str, only: str | None = None
) -> Package | None:
    """The package of that key, with all versions or the one asked for; None when it is not stored."""
    key = sa.select(product).where(*package_rows(product, registry), product.c["PRODUCT_KEY"] == name)
    row = connection.execute(key).mappings().first()
    if row is None:
        return None
    wanted = sa.select(version).where(*package_rows(version, registry), version.c["PRODUCT_KEY"] == name)
    if only is not None:
        wanted = wanted.where(version.c["VERSION"] == only)
    gone = sa.case((version.c["PROCESSED"] == Code.NOT_FOUND, 1), else_=0)
    versions = connection.execute(wanted.order_by(gone, version.c["SORT_ORDER"].desc())).mappings().all()
    return Package(_plain(row), [_plain(one) for one in versions], read_history(connection, registry[0], [name]))


def read_history(
    connection: sa.Connection, language: str, names: Sequence[str] | None = None, limit: int = 50
) -> list[dict[str, Any]]:
    """The newest entries of the history, of some packages or of all."""
    table = HISTORY
    wanted = sa.select(table).where(table.c["LANGUAGE"] == language)
    if names is not None:
        wanted = wanted.where(table.c["PRODUCT_KEY"].in_(names))
    rows = connection.execute(wanted.order_by(table.c["ID"].desc()).limit(limit)).mappings()
    return [{name: value for name, value in _plain(row).items() if name != "ID"} for row in rows]


def _plain(row: Any) -> dict[str, Any]:
    """JSON columns as values, and without the columns that only the store reads."""
    named = {str(name).upper(): value for name, value in row.items()}
    return {name: decoded(value) if name in _JSON else value for name, value in named.items() if name not in _INNER}


def decoded(packed: Any) -> Any:
    """A JSON column's value, whether the driver hands out text or values."""
    return msgspec.json.decode(packed) if isinstance(packed, str | bytes) else packed
