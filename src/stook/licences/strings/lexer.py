"""Licence strings cut into names, operators and parentheses, as leniently as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

__all__ = ["Cut", "Sign", "Span", "cut"]

Sign: TypeAlias = Literal["AND", "OR", "WITH", "(", ")", ","]


class Span(msgspec.Struct, frozen=True):
    """A name: characters `start` to `end` of the string."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The pieces of a string; `loose` are the signs that are not SPDX's operators, as they were written."""

    pieces: tuple[Span | Sign, ...]
    loose: frozenset[str]


_PIECE = re.compile(r"(?<!\S)w/(?=\s)|https?://[^\s,;()<>\"']+|[()/|&;,]|[^\s()/|&;,]+", re.IGNORECASE)
_VERSION = re.compile(r"\s*(?:v\b|v?\.?\s?\d|version\b|ver\b|rev\b|release\b|only\b|january\b)", re.IGNORECASE)
_WORDS: dict[str, Sign] = {"and": "AND", "or": "OR", "with": "WITH", "w/": "WITH", "+": "AND"}
_SIGNS: dict[str, Sign] = {"/": "OR", "|": "OR", "&": "AND", ";": ",", ",": ",", "(": "(", ")": ")"}


def cut(text: str) -> Cut:
    """Names and signs of a string, in time linear in its length.

    A comma before a version belongs to the name, as do parentheses that follow a name without an operator.
    """
    raw = list(_raw(text))
    closing = _closing(raw)
    pieces: list[Span | Sign] = []
    loose: set[str] = set()
    place = 0
    while place < len(raw):
        sign, span, word = raw[place]
        last = pieces[-1] if pieces else None
        if sign == "(" and isinstance(last, Span) and place in closing:
            place = closing[place]
            sign, span = None, raw[place][1]
        if sign is None:
            if isinstance(last, Span):
                pieces[-1] = Span(last.start, span.end)
            else:
                pieces.append(span)
        else:
            _add_sign(pieces, loose, sign, word)
        place += 1
    return Cut(tuple(pieces), frozenset(loose))


_Raw: TypeAlias = tuple[Sign | None, Span, str]


def _raw(text: str) -> Iterator[_Raw]:
    """Words and signs, one by one."""
    for match in _PIECE.finditer(text):
        word = match.group().lower()
        sign = _SIGNS.get(word) or _WORDS.get(word)
        if word == "," and _VERSION.match(text, match.end()):
            sign = None
        yield sign, Span(match.start(), match.end()), word


def _closing(raw: list[_Raw]) -> dict[int, int]:
    """The place of the parenthesis that closes each one that is closed."""
    opened: list[int] = []
    closing: dict[int, int] = {}
    for place, (sign, _, _) in enumerate(raw):
        if sign == "(":
            opened.append(place)
        elif sign == ")" and opened:
            closing[opened.pop()] = place
    return closing


def _add_sign(pieces: list[Span | Sign], loose: set[str], sign: Sign, word: str) -> None:
    """Append a sign; two that mean one operator ("||", ", or", "and/or", "w/") become one."""
    last = pieces[-1] if pieces else None
    if word not in {"and", "or", "with", "(", ")"}:
        loose.add(word)
    if last == "," and sign in {"AND", "OR", "WITH", ","}:
        pieces[-1] = sign
    elif sign in {"AND", "OR"} and last == sign:
        loose.add("twice" if word.isalpha() else word)
    elif last == "AND" and word == "/":
        loose.add("and/or")
        pieces[-1] = "OR"
    else:
        pieces.append(sign)
