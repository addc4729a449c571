"""The pieces that all registries share: table columns, history, reading back, and printing it."""

from stook.registries.store.history import Past, write_history
from stook.registries.store.package_rows import RegistryKey, package_rows
from stook.registries.store.reading import decoded, read_history, read_package
from stook.registries.store.schema import HISTORY, MIGRATIONS

__all__ = [
    "HISTORY",
    "MIGRATIONS",
    "Past",
    "RegistryKey",
    "decoded",
    "package_rows",
    "read_history",
    "read_package",
    "write_history",
]
