"""Conventions of the two ecosystems: names, version texts, compatible series, and the types that purl and VERS use.

Version orders come from outside: this product knows no registry. A `VersionOrder` gives for a version, written as OSV
writes it (Go without its `v`), a key whose byte order is the precedence, or None for what it cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias, assert_never

__all__ = ["Ecosystem", "PackageVersion", "VersionOrder", "bare_version", "lookup_name", "package_type", "series"]

VersionOrder: TypeAlias = Callable[[str], bytes | None]
"""Keys are not empty and do not begin with 0xff: both ends of that space stand for the open ends of ranges."""

_GO_DISTRIBUTION = frozenset({"stdlib", "toolchain"})  # versioned by the tags of Go itself
_GO_TAG = re.compile(r"go([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-?(alpha|beta|rc|pre)\.?([0-9]*))?", re.ASCII)
_NUMBERS = re.compile(r"([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?", re.ASCII)


class Ecosystem(StrEnum):
    """Ecosystems as OSV spells them."""

    CRATES = "crates.io"
    GO = "Go"


class PackageVersion(NamedTuple):
    """One package at one version, both as their source spells them; a plain triple of texts serves as well."""

    ecosystem: str
    name: str
    version: str


def lookup_name(ecosystem: str, name: str) -> str:
    """The name under which advisories are filed and looked up.

    crates.io allows one crate among names that differ in case or in `-` and `_`; Go paths compare as written.
    """
    return name.lower().replace("_", "-") if ecosystem == Ecosystem.CRATES else name


def bare_version(ecosystem: str, name: str, version: str) -> str:
    """The version as OSV writes it: Go without `v`; `go1.22rc1` of Go itself as `1.22.0-rc.1`."""
    if ecosystem != Ecosystem.GO:
        return version
    if name in _GO_DISTRIBUTION and version.startswith("go"):
        return _semantic(version)
    return version[1:] if version[:1] == "v" else version


def _semantic(tag: str) -> str:
    """A tag of Go as golang/vuln's GoTagToSemver reads it; any other text is left alone."""
    match = _GO_TAG.fullmatch(tag)
    if match is None:
        return tag
    major, minor, patch, stage, number = match.groups()
    release = f"{major}.{minor or 0}.{patch or 0}"
    return f"{release}-{stage}{'.' + number if number else ''}" if stage else release


def series(ecosystem: str, name: str, version: str) -> tuple[int, ...] | None:
    """Versions of one series are compatible by promise; None where the text does not begin with a number.

    crates.io: the numbers up to the first that is not zero (Cargo's caret rule). Go: the major version, and for Go
    itself its minor releases. Numbers of more than 20 digits are no versions of either.
    """
    match = _NUMBERS.match(version)
    if match is None or any(len(digits or "") > 20 for digits in match.groups()):
        return None
    major, minor, patch = (int(digits or "0") for digits in match.groups())
    if ecosystem == Ecosystem.GO:
        return (major, minor) if name in _GO_DISTRIBUTION else (major,)
    if major:
        return (major,)
    return (0, minor) if minor else (0, 0, patch)


def package_type(ecosystem: Ecosystem) -> str:
    """The type that purl and VERS use."""
    match ecosystem:
        case Ecosystem.CRATES:
            return "cargo"
        case Ecosystem.GO:
            return "golang"
        case _:
            assert_never(ecosystem)
