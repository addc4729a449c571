"""The registry tables, and what all registries write and read alike."""

from stook.registries.store.history import Past, write_history
from stook.registries.store.package_rows import RegistryKey, package_rows
from stook.registries.store.reading import decoded, read_history, read_package
from stook.registries.store.schema import (
    GO_LIST,
    GO_PRODUCT,
    GO_VERSION,
    HISTORY,
    MIGRATIONS,
    RUST_LIST,
    RUST_PRODUCT,
    RUST_VERSION,
)

__all__ = [
    "GO_LIST",
    "GO_PRODUCT",
    "GO_VERSION",
    "HISTORY",
    "MIGRATIONS",
    "RUST_LIST",
    "RUST_PRODUCT",
    "RUST_VERSION",
    "Past",
    "RegistryKey",
    "decoded",
    "package_rows",
    "read_history",
    "read_package",
    "write_history",
]
