"""The pieces that all registries share: table columns, history, reading back, and printing it."""

from stook.registries.store.history import Past, write_history
from stook.registries.store.package_rows import RegistryKey, package_rows
from stook.registries.store.pins import REGISTRY, Marks, Pin, PinnedProject, marks_of, packages_of, pins_of, write_pins
from stook.registries.store.reading import decoded, read_history, read_package
from stook.registries.store.schema import HISTORY, MIGRATIONS, PIN

__all__ = [
    "HISTORY",
    "MIGRATIONS",
    "PIN",
    "REGISTRY",
    "Marks",
    "Past",
    "Pin",
    "PinnedProject",
    "RegistryKey",
    "decoded",
    "marks_of",
    "package_rows",
    "packages_of",
    "pins_of",
    "read_history",
    "read_package",
    "write_history",
    "write_pins",
]
