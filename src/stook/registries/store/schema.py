"""The registry tables that people read (tables contract), on the ledger's metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Column, Index, Table

from stook.engine.ledger.schema import column, due_index, queue_columns, table, unquoted
from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big, small

__all__ = ["GO_LIST", "GO_PRODUCT", "GO_VERSION", "HISTORY", "MIGRATIONS", "RUST_LIST", "RUST_PRODUCT", "RUST_VERSION"]

MIGRATIONS = Path(__file__).parent / "migrations"
NAME_LENGTH = 512
VERSION_LENGTH = 255


def _package_key() -> list[Column[Any]]:
    return [
        column("LANGUAGE", Identity(16), key=True),
        column("REPOSITORY", Identity(32), key=True),
        column("PRODUCT_KEY", Identity(NAME_LENGTH), key=True),
    ]


def _page_columns() -> list[Column[Any]]:
    """What a registry's page says of a version or a package."""
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


def _version_table(name: str, *own: Column[Any]) -> Table:
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


def _product_table(name: str, *own: Column[Any]) -> Table:
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


RUST_LIST = table(
    "TB_COMP_LIB_RUST_LIST",
    *queue_columns(),
    column("CRATE_NAME", Identity(128), null=False),
    column("DISPLAY_NAME", Identity(128)),
    column("VERSION", Identity(VERSION_LENGTH), null=False),
    column("SOURCE", Identity(128)),
    column("RESOLVE_KIND", Identity(16)),
    column("LOCK_TAGS", Json()),
    column("PINNED", small(), null=False, default="0"),
    column("YANKED", small(), null=False, default="0"),
    column("CHECKSUM", Identity(128)),
    column("DELETED_AT", Moment()),
    column("INDEX_DIGEST", Binary(16, fixed=True)),
)
due_index(RUST_LIST)
Index(unquoted("IX_TB_COMP_LIB_RUST_LIST_NAME"), RUST_LIST.c["CRATE_NAME"])

RUST_VERSION = _version_table(
    "TB_COMP_LIB_VERSION_RUST",
    column("YANKED", small(), null=False, default="0"),
    column("FEATURES", Json()),
    column("SIZE", big()),
    column("CHECKSUM", Identity(128)),
    column("YANK_MESSAGE", LongText()),
    column("RUST_VERSION", Identity(64)),
    column("EDITION", Identity(16)),
    column("LINKS", LongText()),
)

RUST_PRODUCT = _product_table(
    "TB_COMP_LIB_PRODUCT_RUST",
    column("YANKED_COUNT", big(), null=False, default="0"),
)

GO_LIST = table(
    "TB_COMP_LIB_GOLANG_LIST_V2",
    *queue_columns(),
    column("INDEX_PATH", Identity(NAME_LENGTH), null=False),
    column("INDEX_VERSION", Identity(VERSION_LENGTH), null=False),
    column("PRODUCT_KEY", Identity(NAME_LENGTH)),
    column("RESOLVE_KIND", Identity(32)),
    column("DEPRECATED", small(), null=False, default="0"),
    column("FEED", Identity(16)),
    column("SOURCE", Identity(128)),
)
due_index(GO_LIST)

GO_VERSION = _version_table(
    "TB_COMP_LIB_VERSION_GOLANG",
    column("GO_VERSION", Identity(64)),
    column("HAS_GO_MOD", small()),
    column("RETRACTED", small(), null=False, default="0"),
    column("RETRACT_REASON", LongText()),
    column("DEPRECATED", small(), null=False, default="0"),
    column("DEPRECATED_REASON", LongText()),
    column("MOD_SUM", Identity(128)),
    column("ORIGIN", Json()),
)

GO_PRODUCT = _product_table(
    "TB_COMP_LIB_PRODUCT_GOLANG",
    column("LATEST_RAW", Identity(VERSION_LENGTH)),
    column("RETRACTED_COUNT", big(), null=False, default="0"),
    column("DEPRECATED", small(), null=False, default="0"),
    column("DEPRECATED_REASON", LongText()),
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
