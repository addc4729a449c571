"""Escapes: text that stays text in Markdown (CommonMark 0.31, section 2.4)."""

from __future__ import annotations

import re

__all__ = ["code_span", "escape_inline", "escape_line_start"]

_INLINE = re.compile(
    r"[`*\[\]]|\\(?=[!-/:-@\[-`{-~\s]|$)|<(?=[A-Za-z/!?]|$)|&(?=#?\w{1,32};|#?\w{0,32}$)|(?<![^\W_])_|_(?![^\W_])|~(?=~|$)|(?<=~)~"
)
_LINE_START = re.compile(r"([#>|=]|[-+](?=[ \t]|$|[-+ ]*$)|~{3})|(\d{1,9})([.)])(?=\s|$)")
_BACKTICKS = re.compile(r"`+")


def escape_inline(text: str) -> str:
    """Escape what would begin emphasis, code, a link, an image, HTML or an entity."""
    return _INLINE.sub(r"\\\g<0>", text)


def escape_line_start(line: str) -> str:
    """Escape what would begin a heading, a quote, a list, a table, a rule or a fence."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    return "\\" + line if found[1] else f"{found[2]}\\{line[len(found[2]) :]}"


def code_span(text: str) -> str:
    """Return inline code, fenced by more backticks than stand in it."""
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(text)), default=0) + 1)
    padding = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{padding}{text}{padding}{fence}"
