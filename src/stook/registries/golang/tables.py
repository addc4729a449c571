"""The tables of Go modules: the list of announced versions, and what is known of versions and modules."""

from __future__ import annotations

from stook.engine.ledger.schema import column, due_index, queue_columns, table
from stook.engine.ledger.types import Identity, Json, LongText, Moment, big, small
from stook.registries.store.schema import NAME_LENGTH, VERSION_LENGTH, product_table, version_table

__all__ = ["GO_LIST", "GO_PRODUCT", "GO_VERSION"]

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

GO_VERSION = version_table(
    "TB_COMP_LIB_VERSION_GOLANG",
    column("GO_VERSION", Identity(64)),
    column("HAS_GO_MOD", small()),
    column("RETRACTED", small(), null=False, default="0"),
    column("RETRACT_REASON", LongText()),
    column("DEPRECATED", small(), null=False, default="0"),
    column("DEPRECATED_REASON", LongText()),
    column("MOD_SUM", Identity(128)),
    column("ORIGIN", Json()),
    column("TOOLCHAIN", Identity(64)),
    column("REPLACES", Json()),
    column("EXCLUDES", Json()),
    column("TOOLS", Json()),
    column("MOD_ERROR", LongText()),
    column("ENRICHED_AT", Moment()),
)

GO_PRODUCT = product_table(
    "TB_COMP_LIB_PRODUCT_GOLANG",
    column("LATEST_RAW", Identity(VERSION_LENGTH)),
    column("RETRACTED_COUNT", big(), null=False, default="0"),
    column("DEPRECATED", small(), null=False, default="0"),
    column("DEPRECATED_REASON", LongText()),
    column("LATEST_REASON", LongText()),
    column("LISTED_COUNT", big()),
    column("SERIES", Identity(NAME_LENGTH)),
    column("MOVED_TO", Identity(NAME_LENGTH)),
    column("MOVED_SINCE", Identity(VERSION_LENGTH)),
    column("LISTED_SINCE", Moment()),
)
