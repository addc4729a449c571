"""Licence strings, as people write them, to SPDX expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from stook.licences.rows import LicenceRow, list_version
from stook.licences.rules import default_rules
from stook.licences.strings.answer import (
    MAX_PARTS,
    MAX_SHOWN,
    LicenceAnswer,
    Method,
    NoteCode,
    UnknownCode,
    UnknownPart,
    ids_of,
)
from stook.licences.strings.index import NameIndex, RejectedPattern
from stook.licences.strings.lookup import Lookup
from stook.licences.strings.names import STRAIGHT, later_as_plus
from stook.licences.strings.parts import Parts, read_parts
from stook.licences.strings.quick import QuickReader, answer_of

__all__ = ["MAX_LICENCE", "Normaliser"]

MAX_LICENCE = 8192
"""Characters of a licence string; a longer one is unknown."""

_CACHED = 65536  # answers that a normaliser remembers
# What is written around expressions: "dual-licensed under either of … at your option".
_DRESS = re.compile(
    r"(?:(?P<times>dual|double|triple)[- ]?)?licen[cs]ed under (?:the )?(?:terms of (?:the )?)?(?:either (?:of )?)?"
    r"|either (?:of )?",
    re.IGNORECASE,
)
_OPTION = re.compile(r"[,\s]{0,3}\(?at your (?:own )?(?:option|choice|discretion)\)?[.\s]{0,3}$", re.IGNORECASE)
_OUTER = " '\"`,;"


class Normaliser:
    """Reads licence strings by the names of some rows; safe to share, as it only remembers what it has read."""

    def __init__(self, rows: Iterable[LicenceRow]) -> None:
        rules = default_rules()
        self._index = NameIndex(rows, rules)
        self._lookup = Lookup(self._index)
        self._version = list_version()
        self._remembered = lru_cache(_CACHED)(self._read)
        self._quick = QuickReader(self._lookup, self._version).read

    @property
    def rejected(self) -> Sequence[RejectedPattern]:
        """Expressions of rows that could not be compiled."""
        return self._index.rejected

    def normalise(self, text: str) -> LicenceAnswer:
        """The expression that a licence string means, or why there is none. Never raises; time linear in the text."""
        if len(text) > MAX_LICENCE:
            return self._unknown(text, UnknownCode.TOO_LONG, f"it has more than {MAX_LICENCE} characters")
        return self._remembered(text) if len(text) <= MAX_SHOWN else self._read(text)

    def _read(self, text: str) -> LicenceAnswer:
        tidy = _tidy(text)
        if not tidy:
            return self._unknown(text, UnknownCode.EMPTY, "there is no text")
        if len(tidy) <= MAX_SHOWN:
            answer = self._quick(tidy)
            if answer is not None:
                return answer
        leaf = self._lookup.known(tidy) or self._lookup.by_aside(tidy) if len(tidy) <= MAX_SHOWN else None
        if leaf is not None and leaf.node is not None:
            return answer_of(leaf, self._version)
        bare = _OPTION.sub("", tidy)
        dress = _DRESS.match(bare)
        bare = bare if dress is None else bare[dress.end() :]
        is_choice = dress is not None and dress["times"] is not None
        parts = read_parts(bare, self._lookup, is_choice)
        parts.is_loose |= bare != tidy
        return self._of_parts(parts)

    def _of_parts(self, parts: Parts) -> LicenceAnswer:
        ids, exceptions = ids_of(parts.terms)
        notes, unknown = tuple(parts.notes)[:MAX_PARTS], tuple(dict.fromkeys(parts.unknown))[:MAX_PARTS]
        if parts.node is None:
            return LicenceAnswer(None, ids, exceptions, Method.UNKNOWN, notes, unknown, self._version)
        return LicenceAnswer(str(parts.node), ids, exceptions, _method_of(parts), notes, (), self._version)

    def _unknown(self, text: str, code: UnknownCode, why: str) -> LicenceAnswer:
        part = UnknownPart(text[:MAX_SHOWN], code, why)
        return LicenceAnswer(None, (), (), Method.UNKNOWN, (), (part,), self._version)


def _tidy(text: str) -> str:
    """Without what stands around the licence: spaces, quotes, the path of a trove classifier."""
    if not text.isascii():
        text = text.translate(STRAIGHT)
    text = " ".join(text.split())
    if " :: " in text:
        text = text.rpartition(" :: ")[2]
    text = text.strip(_OUTER)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1].strip()
    return later_as_plus(text)


def _method_of(parts: Parts) -> Method:
    if len(parts.methods) == 1 and len(parts.terms) == 1:
        return next(iter(parts.methods))
    if parts.methods == {Method.EXACT} and not parts.is_loose and not _is_repaired(parts):
        return Method.EXACT
    return Method.SPLIT


def _is_repaired(parts: Parts) -> bool:
    return any(note.code is NoteCode.REPAIRED for note in parts.notes)
