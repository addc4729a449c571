"""Long YAML files of many equal rows, read a row at a time so that a bad row costs only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

__all__ = ["SCALAR", "index_scalar", "scan_rows", "unquote"]

# A colon or a blank inside, never at the end: so index rows look as the original writes them.
_PLAIN = r"[A-Za-z_][A-Za-z0-9_/.@+(),;-]*(?:[:\x20][A-Za-z0-9_/.@+(),;-]+)*"
SCALAR = rf'({_PLAIN}|"(?:[^"\\\n]|\\[^\n])*")'
"""A plain scalar or a JSON string, as a group of a pattern."""
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_LONGEST_WORD = 5
_IS_PLAIN = re.compile(_PLAIN)


def index_scalar(text: str, quoted: str) -> str:
    """The text plain where a block map can hold it so; else as `quoted`."""
    return text if _IS_PLAIN.fullmatch(text) and text.lower() not in _WORDS else quoted


def unquote(scalar: str) -> str | None:
    """The text of a scalar that `SCALAR` matched; None if its escapes are not JSON's or the word is no text."""
    if not scalar.startswith('"'):
        return None if len(scalar) <= _LONGEST_WORD and scalar.lower() in _WORDS else scalar
    try:
        text = json.loads(scalar, strict=False)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def scan_rows(text: str, row: re.Pattern[str], start: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str] | str]]:
    """The rows of a document with their places: a match of `row`, or the text of a row that does not match.

    Both patterns begin at the beginning of a line; `start` is the beginning of any row.
    """
    place = 4 if text.startswith("---\n") else 0
    for match in row.finditer(text, place):
        if match.start() != place:
            yield from _others(text, place, match.start(), start)
        yield match.start(), match
        place = match.end()
    yield from _others(text, place, len(text), start)


def _others(text: str, place: int, end: int, start: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The rows of a stretch without one that matches."""
    while place < end:
        following = start.search(text, place + 1, end)
        until = following.start() if following else end
        yield place, text[place:until]
        place = until
