"""Rows of the licence table: ids of the SPDX list, and the names by which they are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from stook.licences.rules import LicenceRules, default_rules

__all__ = ["LicenceRow", "default_rows", "list_version", "literal", "pattern_of"]

LIST = Path(__file__).parent / "data" / "licences.jsonl"

_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
_ANCHORS = re.compile(r"^\^|(?<!\\)\$$")
_ESCAPE = re.compile(r"\\([^A-Za-z0-9])")


class LicenceRow(msgspec.Struct, frozen=True):
    """A row of TB_LICENSE_V2; an exception is a row like a licence.

    `mapping` are regular expressions, each of which must match a whole name, ignoring case.
    One without special characters, or with all of them escaped, is a plain name: it also finds what has the same key.
    """

    id: int
    name_short: str
    name: str
    mapping: tuple[str, ...] = ()
    url: str | None = None


class _Head(msgspec.Struct, frozen=True):
    version: str
    sources: tuple[str, ...]


class _Entry(msgspec.Struct, frozen=True):
    id: int
    name_short: str
    name: str
    exception: bool
    aliases: tuple[str, ...]
    pages: tuple[str, ...]


@lru_cache(maxsize=1)
def default_rows() -> tuple[LicenceRow, ...]:
    """The SPDX list with the names and pages that the package knows; numbers stay the same for good."""
    rules = default_rules()
    return tuple(
        LicenceRow(
            entry.id,
            entry.name_short,
            entry.name,
            tuple(_mapping(entry, rules)),
            f"https://spdx.org/licenses/{entry.name_short}.html",
        )
        for entry in _entries()
    )


def list_version() -> str:
    """The version of the SPDX list that the package ships, such as 3.29.0."""
    return msgspec.json.decode(_lines()[0], type=_Head).version


def pattern_of(name: str) -> str:
    """The expression that matches exactly this name."""
    return _SPECIAL.sub(r"\\\g<0>", name)


def literal(pattern: str) -> str | None:
    """The name that a plain expression is; None if it is more than a name."""
    pattern = _ANCHORS.sub("", pattern)
    if _SPECIAL.search(_ESCAPE.sub("", pattern)):
        return None
    return _ESCAPE.sub(r"\1", pattern)


def _mapping(entry: _Entry, rules: LicenceRules) -> Iterator[str]:
    names: Iterable[str] = (*rules.aliases.get(entry.name_short, ()), *entry.aliases)
    yield from map(pattern_of, names)
    yield from (pattern_of(f"https://{page}") for page in entry.pages)
    yield from rules.regexes.get(entry.name_short, ())


def _entries() -> Iterator[_Entry]:
    decoder = msgspec.json.Decoder(_Entry)
    return map(decoder.decode, _lines()[1:])


def _lines() -> list[bytes]:
    return LIST.read_bytes().splitlines()
