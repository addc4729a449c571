"""The registry tables, and what all registries write and read alike."""

from stook.registries.store.enrichment import forget_facts, keep_enrichments
from stook.registries.store.history import Past, write_history
from stook.registries.store.product import StoredProduct, keep_products, package_rows, stored_products, write_licenses
from stook.registries.store.reading import decoded, read_history, read_package
from stook.registries.store.schema import (
    GO_LIST,
    GO_PRODUCT,
    GO_VERSION,
    HISTORY,
    RUST_LIST,
    RUST_PRODUCT,
    RUST_VERSION,
)

__all__ = [
    "GO_LIST",
    "GO_PRODUCT",
    "GO_VERSION",
    "HISTORY",
    "RUST_LIST",
    "RUST_PRODUCT",
    "RUST_VERSION",
    "Past",
    "StoredProduct",
    "decoded",
    "forget_facts",
    "keep_enrichments",
    "keep_products",
    "package_rows",
    "read_history",
    "read_package",
    "stored_products",
    "write_history",
    "write_licenses",
]
