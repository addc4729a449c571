"""Prose in what is not made for people: class lists, program text, style sheets."""

from __future__ import annotations

import re

__all__ = ["prose_in"]

# Between quotes, brackets and ends of lines; what is shorter holds no four words.
_RUN = re.compile(r"[^\"`<>{}\n\\]{12,}+")
_WORD = r"[^\W\d_]{1,40}+[,;:.!?]?+"
_FOUR_WORDS = re.compile(rf"(?<![^\W_]){_WORD}(?:[ \t]{{1,3}}+{_WORD}){{3}}")
_UNSPACED = re.compile(r"[^\W\d_\x00-\x7f]{6}")  # letters of a script that may do without spaces


def prose_in(text: str) -> str:
    """Return the passages that read like sentences, one a line."""
    return "\n".join(run.strip() for run in _RUN.findall(text) if _is_prose(run))


def _is_prose(run: str) -> bool:
    if run.count(" ") >= 3 and _FOUR_WORDS.search(run):
        return True
    return not run.isascii() and _UNSPACED.search(run) is not None
