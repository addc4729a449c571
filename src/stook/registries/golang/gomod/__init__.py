"""go.mod files: their syntax, what they say, and their checksum."""

from stook.registries.golang.gomod.gomod import (
    GoMod,
    ModuleVersion,
    Replacement,
    Requirement,
    Retraction,
    is_synthetic,
    module_path,
    parse_lax,
    parse_strict,
    read,
)

__all__ = [
    "GoMod",
    "ModuleVersion",
    "Replacement",
    "Requirement",
    "Retraction",
    "is_synthetic",
    "module_path",
    "parse_lax",
    "parse_strict",
    "read",
]
