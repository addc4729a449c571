"""Which crates a project's lock names, tag by tag: read where a lock is committed, resolved in isolation where not."""

from stook.registries.cargo.locks.lockfile import parse_lock
from stook.registries.cargo.locks.presets import Preset, load_presets
from stook.registries.cargo.locks.read import read_locks
from stook.registries.cargo.locks.readings import (
    CrateInLocks,
    How,
    LockedPackage,
    LockReading,
    Origin,
    OtherPackage,
    TagReading,
)

__all__ = [
    "CrateInLocks",
    "How",
    "LockReading",
    "LockedPackage",
    "Origin",
    "OtherPackage",
    "Preset",
    "TagReading",
    "load_presets",
    "parse_lock",
    "read_locks",
]
