"""The columns that the tables of all registries share, and the history table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Column, Index, Table

from stook.engine.ledger.schema import column, table, unquoted
from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big, small

__all__ = ["HISTORY", "MIGRATIONS", "NAME_LENGTH", "PIN", "VERSION_LENGTH", "product_table", "version_table"]

MIGRATIONS = Path(__file__).parent / "migrations"
"""The branch `registries`, which holds the tables of all registries as they began."""
NAME_LENGTH = 512
VERSION_LENGTH = 255


def _package_key() -> list[Column[Any]]:
    return [
        column("LANGUAGE", Identity(16), key=True),
        column("REPOSITORY", Identity(32), key=True),
        column("PRODUCT_KEY", Identity(NAME_LENGTH), key=True),
    ]


def _page_columns() -> list[Column[Any]]:
    """The facts of a registry's page about a version or a package."""
    return [
        column("URL", LongText()),
        column("SCM", Json()),
        column("HOMEPAGE", LongText()),
        column("DOCUMENTATION", LongText()),
        column("KEYWORDS", Json()),
        column("CATEGORIES", Json()),
        column("DOWNLOADS", big()),
        column("PURL", LongText()),
    ]


def version_table(name: str, *own: Column[Any]) -> Table:
    """A table with one row a version, and a registry's own columns."""
    return table(
        name,
        *_package_key(),
        column("VERSION", Identity(VERSION_LENGTH), key=True),
        column("NAME", Identity(NAME_LENGTH), null=False),
        column("DESCRIPTION", LongText()),
        column("LICENSE", LongText()),
        column("STANDARD_LICENSE", Json()),
        column("LICENSE_IDS", Json()),
        column("LICENSE_AI", Json()),
        column("DEPENDENCIES", Json()),
        *_page_columns(),
        column("RELEASE_DATE", Moment()),
        column("VERSION_KEY", Binary(VERSION_LENGTH), null=False),
        column("SORT_ORDER", big()),
        column("PROCESSED", small(), null=False, default="0"),
        column("FACTS_DIGEST", Binary(16, fixed=True)),
        *own,
        column("CREATED", Moment(), null=False),
        column("TIMESTAMP", Moment(), null=False),
    )


def product_table(name: str, *own: Column[Any]) -> Table:
    """A table with one row a package, and a registry's own columns."""
    return table(
        name,
        *_package_key(),
        column("NAME", Identity(NAME_LENGTH), null=False),
        column("DESCRIPTION", LongText()),
        column("LATEST_VERSION", Identity(VERSION_LENGTH)),
        column("LATEST_STABLE", Identity(VERSION_LENGTH)),
        column("VERSION_COUNT", big(), null=False, default="0"),
        column("LICENSE", LongText()),
        *_page_columns(),
        column("OWNERS", Json()),
        column("COMP_STATUS", small(), null=False, default="0"),
        column("PATH", LongText()),
        column("FACTS_DIGEST", Binary(16, fixed=True)),
        *own,
        column("CREATED", Moment(), null=False),
        column("TIMESTAMP", Moment(), null=False),
    )


HISTORY = table(
    "TB_COMP_LIB_HISTORY",
    column("ID", Binary(24, fixed=True), key=True),
    column("LANGUAGE", Identity(16), null=False),
    column("PRODUCT_KEY", Identity(NAME_LENGTH), null=False),
    column("VERSION", Identity(VERSION_LENGTH), null=False),
    column("KIND", Identity(32), null=False),
    column("OLD", LongText()),
    column("NEW", LongText()),
    column("SEEN_AT", Moment(), null=False),
    column("SOURCE", Identity(128)),
)
Index(unquoted("IX_TB_COMP_LIB_HISTORY_KEY"), HISTORY.c["PRODUCT_KEY"], HISTORY.c["SEEN_AT"])

PIN = table(
    "TB_COMP_LIB_PIN",
    column("ORIGIN", Identity(1024), key=True),
    column("TAG", Identity(255), key=True),
    column("LANGUAGE", Identity(16), key=True),
    column("PRODUCT_KEY", Identity(NAME_LENGTH), key=True),
    column("VERSION", Identity(VERSION_LENGTH), key=True),
    column("SOURCE", Identity(512), key=True),
    column("PROJECT", LongText(), null=False),
    column("CHECKSUM", Identity(128)),
    column("DIRECT", small()),
    column("STATE", Identity(32)),
    column("SEEN_AT", Moment(), null=False),
)
"""What locks name: a row for each version that a project pins at a tag (see `store.pins`)."""
Index(unquoted("IX_TB_COMP_LIB_PIN_KEY"), PIN.c["LANGUAGE"], PIN.c["PRODUCT_KEY"])
