"""Exceptions: what stands after WITH, and how ids that changed are noted."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from stook.licences.strings.answer import MAX_SHOWN, LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.strings.index import NameIndex
from stook.licences.strings.names import exception_key

__all__ = ["Addition", "deprecation", "document_prefix", "find_addition", "listing"]

_TAIL = r"[A-Za-z0-9.-]+"
_REFERENCE = re.compile(rf"(documentref-{_TAIL}:)?additionref-({_TAIL})", re.IGNORECASE)


class Addition(msgspec.Struct, frozen=True):
    """An exception, or an AdditionRef."""

    id: str
    method: Method
    notes: tuple[LicenceNote, ...] = ()


def find_addition(text: str, index: NameIndex) -> Addition | UnknownPart:
    """The exception that has a name; a name without version is enough if only one exception has it."""
    match = _REFERENCE.fullmatch(text)
    if match is not None:
        return Addition(f"{document_prefix(match[1])}AdditionRef-{match[2]}", Method.EXACT)
    found = index.exceptions.get(text.lower())
    method = Method.EXACT if found else Method.ALIAS
    if found is None:
        key = exception_key(text)
        found = index.exceptions.get(key, set())
    if len(found) == 1:
        return _addition(next(iter(found)), method, index)
    why = f"it may be {listing(found)}" if found else "the list has no such exception"
    return UnknownPart(text[:MAX_SHOWN], UnknownCode.EXCEPTION, why)


def _addition(short: str, method: Method, index: NameIndex) -> Addition:
    successor = index.successors.get(short)
    if successor is None:
        return Addition(short, method)
    return Addition(successor, method, (deprecation(short, successor),))


def deprecation(short: str, successor: str) -> LicenceNote:
    """The note that an id was replaced."""
    return LicenceNote(NoteCode.DEPRECATED, f"{short} is deprecated and read as {successor}")


def document_prefix(prefix: str | None) -> str:
    """The "DocumentRef-…:" of a reference, in the only case that it may have."""
    return f"DocumentRef-{prefix[12:]}" if prefix else ""


def listing(shorts: Iterable[str]) -> str:
    """Some ids, for a reason."""
    names = sorted(shorts)
    return ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
