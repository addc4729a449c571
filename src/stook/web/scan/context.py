"""Context: whether a text speaks about injection, and whether it only quotes what a rule found."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

__all__ = ["LineCounter", "find_fences", "is_fenced", "is_quoted"]

_REACH = 600  # characters in which the other quotation mark is looked for
_PAIRS = (('"', '"'), ("`", "`"), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("“", "“"))


class LineCounter:
    """Tells the line of positions that are asked for in ascending order, in one pass over the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1

    def at(self, position: int) -> int:
        """The line of a position, from 1."""
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line


def find_fences(text: str) -> Sequence[int]:
    """The positions of the fences of code blocks."""
    fences: list[int] = []
    position = text.find("```")
    while position >= 0:
        fences.append(position)
        position = text.find("```", position + 3)
    return fences


def is_fenced(start: int, fences: Sequence[int]) -> bool:
    """Whether a position stands in a block of code."""
    return bisect_right(fences, start) % 2 == 1


def is_quoted(text: str, start: int, end: int, fences: Sequence[int]) -> bool:
    """Whether a stretch of text stands in quotation marks, code, a table row or a quoted paragraph (Markdown)."""
    if is_fenced(start, fences):
        return True
    low = max(0, start - _REACH)
    break_before = text.rfind("\n\n", low, start)
    before = text[max(low, break_before + 2 if break_before >= 0 else 0) : start]
    break_after = text.find("\n\n", end, end + _REACH)
    after = text[end : break_after if break_after >= 0 else end + _REACH]
    line = before[before.rfind("\n") + 1 :].lstrip()
    if line.startswith(("|", ">", "    ", "\t")):
        return True
    return any(_is_open(before, *pair) and pair[1] in after for pair in _PAIRS)


def _is_open(before: str, opening: str, closing: str) -> bool:
    if opening == closing:
        return before.count(opening) % 2 == 1
    return before.rfind(opening) > before.rfind(closing)
