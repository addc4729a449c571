"""Prose in what is not made for people: class lists, program text, style sheets."""

from __future__ import annotations

import re

__all__ = ["prose_in"]

# Between quotes, brackets and ends of lines; what is shorter holds no four words.
_RUN = re.compile(r"[^\"`<>{}\n\\]{12,}+")
_WORD = r"[^\W\d_]{1,40}+[,;:.!?]?+"
_FOUR_WORDS = re.compile(rf"(?<![^\W_]){_WORD}(?: {{1,3}}+{_WORD}){{3}}")
_SPACED = re.compile(rf" {_WORD} {{1,3}}+{_WORD} ")  # a quick look: four words have two words with spaces around them
_UNSPACED = re.compile(r"[^\W\d_\x00-\x7f]{6,}+")  # letters of a script that may do without spaces


def prose_in(text: str) -> str:
    """Return the passages that read like sentences, one a line."""
    if text.isascii() and not _SPACED.search(text):
        return ""
    runs = _RUN.findall(text)
    found = [run.strip() for run in runs if run.count(" ") > 2 and _FOUR_WORDS.search(run)]
    if not text.isascii():
        found += _UNSPACED.findall(text)
    return "\n".join(found)
