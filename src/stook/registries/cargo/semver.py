"""Semantic Versioning 2.0 as crates.io reads it: validity, order, and an order that SQL can use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = ["MAX_KEY", "Semver", "build_order", "parse_semver", "rust_version_key"]

MAX_KEY = 255
"""Bytes that VERSION_KEY holds; the registry's limit of 150 characters keeps real keys below 224."""

# semver.org's grammar: no leading zeros in numbers, no empty identifiers; ASCII only.
_NUMBER = r"(?:0|[1-9][0-9]*)"
_FIELD = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_GRAMMAR = re.compile(
    rf"(?P<core>{_NUMBER}\.{_NUMBER}\.{_NUMBER})"
    rf"(?:-(?P<pre>{_FIELD}(?:\.{_FIELD})*))?"
    r"(?:\+(?P<build>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?",
)
_LARGEST = str(2**64 - 1)  # cargo keeps numbers in 64 bits and skips versions beyond
_LONGEST_FIELD = 255  # the key has one byte for a number's length


@dataclass(frozen=True, slots=True)
class Semver:
    """A valid version; `key` orders by precedence under memcmp, `build` never counts."""

    text: str
    is_prerelease: bool
    build: str
    key: bytes


@lru_cache(maxsize=65536)
def parse_semver(text: str) -> Semver | None:
    """The version, or None when cargo would not take it for one.

    The key follows crates.io's `semver_ord_v2` column: each number as a length byte and its digits,
    then 3 for a release, or the pre-release fields (1 length digits | 2 text) closed by 0.
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        return None
    core, pre, build = match.group("core", "pre", "build")
    numbers = core.split(".")
    if any(_is_too_large(number) for number in numbers):
        return None
    if pre is not None and any(len(field) > _LONGEST_FIELD for field in pre.split(".")):
        return None
    head = b"".join(_numeric(number) for number in numbers)
    tail = b"\x03" if pre is None else b"".join(_field(field) for field in pre.split(".")) + b"\x00"
    key = head + tail
    return Semver(text, pre is not None, build or "", key) if len(key) <= MAX_KEY else None


def build_order(version: str) -> list[tuple[Any, ...]]:
    """Tells versions apart that have one precedence, as cargo does: by the fields of their build metadata.

    Numbers stand below texts and count by value, then by their leading zeros; no metadata is the lowest.
    """
    return [_build_field(field) for field in version.partition("+")[2].split(".")]


def _build_field(field: str) -> tuple[Any, ...]:
    if not field or field.isdigit():
        value = field.lstrip("0")
        return (0, len(value), value, len(field))
    return (1, field)


def _is_too_large(digits: str) -> bool:
    """Whether a number without leading zeros is beyond 64 bits; compared as text, as it may have any length."""
    return (len(digits), digits) > (len(_LARGEST), _LARGEST)


def _numeric(digits: str) -> bytes:
    return bytes((len(digits),)) + digits.encode()


def _field(field: str) -> bytes:
    if field.isdigit():
        return b"\x01" + _numeric(field)
    return b"\x02" + field.encode()


LONGEST_RUST_KEY = 64  # bytes, what the column holds


def rust_version_key(text: str | None) -> bytes | None:
    """The sortable key of a `rust_version`, which may leave out its last numbers; None for what is no version."""
    if not text:
        return None
    parsed = parse_semver(text + ".0" * max(2 - text.partition("-")[0].count("."), 0))
    return parsed.key if parsed and len(parsed.key) <= LONGEST_RUST_KEY else None
