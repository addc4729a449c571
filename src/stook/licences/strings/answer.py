"""What a licence string was read as, how, and what of it stays unknown."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from stook.licences.expression import Node, terms_of

__all__ = [
    "COMMA",
    "MAX_PARTS",
    "MAX_SHOWN",
    "LicenceAnswer",
    "LicenceNote",
    "Method",
    "NoteCode",
    "UnknownCode",
    "UnknownPart",
    "ids_of",
]


MAX_SHOWN = 200
"""Characters of unknown parts that are kept."""


MAX_PARTS = 20
"""Unknown parts and notes that are kept of a string."""


class Method(StrEnum):
    """How a string was read; of several parts, the least certain way counts."""

    EXACT = "exact"
    """It is an SPDX expression; at most case, spaces and deprecated ids were changed."""
    ALIAS = "alias"
    """It is another name of one licence, or the address of its page."""
    FAMILY = "family"
    """A regular expression of a row matches it."""
    SPLIT = "split"
    """It was cut at operators, of which at least one or its parts are not SPDX's."""
    UNKNOWN = "unknown"
    """There is no expression; `unknown` says why."""


class NoteCode(StrEnum):
    """What was changed beyond spelling."""

    DEPRECATED = "deprecated"
    GUESS = "guess"
    REPAIRED = "repaired"


class LicenceNote(msgspec.Struct, frozen=True, gc=False):
    """Something that a reader of the expression should know."""

    code: NoteCode
    text: str


class UnknownCode(StrEnum):
    """Why a part has no id."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    NO_LICENCE = "no_licence"
    AMBIGUOUS = "ambiguous"
    POINTER = "pointer"
    NOT_LISTED = "not_listed"
    EXCEPTION = "exception"
    OPERATOR = "operator"
    PARENTHESES = "parentheses"


class UnknownPart(msgspec.Struct, frozen=True, gc=False):
    """A part that could not be read; `text` is cut to MAX_SHOWN characters."""

    text: str
    code: UnknownCode
    why: str


class LicenceAnswer(msgspec.Struct, frozen=True, gc=False):
    """A licence string, read.

    `expression` is a canonical SPDX expression, or None if any part is unknown.
    `ids` and `exceptions` are what was recognised, even then: list ids without "+", and LicenseRefs.
    """

    expression: str | None
    ids: tuple[str, ...]
    exceptions: tuple[str, ...]
    method: Method
    notes: tuple[LicenceNote, ...]
    unknown: tuple[UnknownPart, ...]
    list_version: str


COMMA = LicenceNote(NoteCode.GUESS, "a comma between licences is read as OR")


def ids_of(nodes: Sequence[Node]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Licences and exceptions of some trees, each once, from left to right."""
    if not nodes:
        return (), ()
    terms = [term for node in nodes for term in terms_of(node) if term.licence]
    ids = dict.fromkeys(term.id for term in terms)
    exceptions = dict.fromkeys(term.exception for term in terms if term.exception is not None)
    return tuple(ids), tuple(exceptions)
