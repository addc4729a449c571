"""Licence strings, as people write them, to SPDX expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from stook.licences.answer import LicenceAnswer, LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.expression import Junction, Node, Term, terms_of
from stook.licences.index import NameIndex, RejectedPattern
from stook.licences.lookup import MAX_SHOWN, Lookup
from stook.licences.names import STRAIGHT, later_as_plus
from stook.licences.parts import Parts, read_parts
from stook.licences.rows import LicenceRow, list_version
from stook.licences.rules import default_rules

__all__ = ["MAX_LICENCE", "Normaliser"]

MAX_LICENCE = 8192
"""Characters of a licence string; a longer one is unknown."""

_CACHED = 65536  # answers that a normaliser remembers
_DRESS = re.compile(
    r"(?:(?:dual|double|triple)[- ]?)?licen[cs]ed under (?:the )?(?:terms of (?:the )?)?(?:either (?:of )?)?|either (?:of )?",
    re.IGNORECASE,
)
_OPTION = re.compile(r"[,\s]*\(?at your (?:own )?(?:option|choice|discretion)\)?[.\s]*$", re.IGNORECASE)
_OUTER = " '\"`,;"


class Normaliser:
    """Reads licence strings by the names of some rows; safe to share, as it only remembers what it has read."""

    def __init__(self, rows: Iterable[LicenceRow]) -> None:
        rules = default_rules()
        self._index = NameIndex(rows, rules)
        self._lookup = Lookup(self._index, rules)
        self._version = list_version()
        self._exact = {short: Term(short) for short in self._index.ids.values() if short not in rules.successors}
        self._remembered = lru_cache(_CACHED)(self._read)

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
        node = self._plain(text)
        if node is not None:
            return self._answer(node, Method.EXACT)
        tidy = _tidy(text)
        if not tidy:
            return self._unknown(text, UnknownCode.EMPTY, "there is no text")
        leaf = self._lookup.whole(tidy)
        if leaf is not None and leaf.node is not None:
            return self._answer(leaf.node, leaf.method, leaf.notes)
        if leaf is not None and leaf.unknown is not None:
            return LicenceAnswer(None, (), (), Method.UNKNOWN, (), (leaf.unknown,), self._version)
        return self._of_parts(read_parts(later_as_plus(_undressed(tidy)), self._lookup))

    def _plain(self, text: str) -> Node | None:
        """The quick way of what most strings are: ids of the list, spelled as in it, joined by one operator."""
        words = text.split(" ")
        if len(words) == 1:
            return self._exact.get(text)
        operator = words[1]
        if (operator != "OR" and operator != "AND") or len(words) % 2 == 0:
            return None
        if any(word != operator for word in words[3::2]):
            return None
        terms = dict.fromkeys(self._exact.get(word) for word in words[::2])
        operands = tuple(term for term in terms if term is not None)
        if len(operands) < len(terms):
            return None
        return Junction(operator, operands) if len(operands) > 1 else operands[0]

    def _of_parts(self, parts: Parts) -> LicenceAnswer:
        ids, exceptions = _ids_of(parts.terms)
        notes, unknown = tuple(parts.notes), tuple(parts.unknown)
        if parts.node is None:
            return LicenceAnswer(None, ids, exceptions, Method.UNKNOWN, notes, unknown, self._version)
        return LicenceAnswer(str(parts.node), ids, exceptions, _method_of(parts), notes, (), self._version)

    def _answer(self, node: Node, method: Method, notes: tuple[LicenceNote, ...] = ()) -> LicenceAnswer:
        ids, exceptions = _ids_of([node])
        return LicenceAnswer(str(node), ids, exceptions, method, notes, (), self._version)

    def _unknown(self, text: str, code: UnknownCode, why: str) -> LicenceAnswer:
        part = UnknownPart(text[:MAX_SHOWN], code, why)
        return LicenceAnswer(None, (), (), Method.UNKNOWN, (), (part,), self._version)


def _tidy(text: str) -> str:
    """Without what stands around the licence: spaces, quotes, the path of a trove classifier."""
    if not text.isascii():
        text = text.translate(STRAIGHT)
    text = " ".join(text.split())
    if "::" in text:
        text = text.rpartition("::")[2]
    return text.strip(_OUTER)


def _undressed(text: str) -> str:
    """Without "dual-licensed under either of" in front and "at your option" behind."""
    dress = _DRESS.match(text)
    return _OPTION.sub("", text[dress.end() :] if dress is not None else text)


def _ids_of(nodes: Iterable[Node]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Licences and exceptions of some trees, each once, from left to right."""
    terms = [term for node in nodes for term in terms_of(node) if term.licence]
    ids = dict.fromkeys(term.id for term in terms)
    exceptions = dict.fromkeys(term.exception for term in terms if term.exception is not None)
    return tuple(ids), tuple(exceptions)


def _method_of(parts: Parts) -> Method:
    if len(parts.methods) == 1 and len(parts.terms) == 1:
        return next(iter(parts.methods))
    if parts.methods == {Method.EXACT} and not parts.is_loose and not _is_repaired(parts):
        return Method.EXACT
    return Method.SPLIT


def _is_repaired(parts: Parts) -> bool:
    return any(note.code is NoteCode.REPAIRED for note in parts.notes)
