"""The tables of crates: the list of versions, and what is known of versions and crates."""

from __future__ import annotations

from sqlalchemy import Index

from stook.engine.ledger.schema import column, due_index, queue_columns, table, unquoted
from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big, small
from stook.registries.store.schema import VERSION_LENGTH, product_table, version_table

__all__ = ["RUST_LIST", "RUST_PRODUCT", "RUST_VERSION"]

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

RUST_VERSION = version_table(
    "TB_COMP_LIB_VERSION_RUST",
    column("YANKED", small(), null=False, default="0"),
    column("FEATURES", Json()),
    column("SIZE", big()),
    column("CHECKSUM", Identity(128)),
    column("YANK_MESSAGE", LongText()),
    column("RUST_VERSION", Identity(64)),
    column("EDITION", Identity(16)),
    column("LINKS", LongText()),
    column("PUBLISHED_BY", LongText()),
    column("YANKED_BY", LongText()),
    column("YANKED_AT", Moment()),
    column("BIN_NAMES", Json()),
    column("HAS_LIB", small()),
    column("RUST_VERSION_KEY", Binary(64)),
    column("ENRICHED_AT", Moment()),
)

RUST_PRODUCT = product_table(
    "TB_COMP_LIB_PRODUCT_RUST",
    column("YANKED_COUNT", big(), null=False, default="0"),
)
