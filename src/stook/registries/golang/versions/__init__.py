"""Versions of Go modules: validity, order, and pseudo-versions taken apart."""

from stook.registries.golang.versions.pseudo import parse_pseudo
from stook.registries.golang.versions.versions import (
    KEY_LIMIT,
    VersionClass,
    build,
    canonical,
    compare,
    is_incompatible,
    is_prerelease,
    is_pseudo,
    is_valid,
    major,
    order_key,
    version_class,
    version_key,
)

__all__ = [
    "KEY_LIMIT",
    "VersionClass",
    "build",
    "canonical",
    "compare",
    "is_incompatible",
    "is_prerelease",
    "is_pseudo",
    "is_valid",
    "major",
    "order_key",
    "parse_pseudo",
    "version_class",
    "version_key",
]
