"""A style sheet: its rules, in order, without the at-rules that do not apply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stook.web.extract.style.declaration import RELEVANT, without_comments
from stook.web.extract.style.media import is_read

__all__ = ["Rule", "parse_rules"]

# Strings and addresses may hold braces: those are blanked before the sheet is cut at braces.
_QUOTED = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*+\"?+|'(?:[^'\\\n]|\\.)*+'?+|url\(\s*+(?![\"'])(?:[^)\\]|\\.)*+\)?+",
    re.IGNORECASE | re.DOTALL,
)
_PIECE = re.compile(r"([^{}]*+)([{}])")
_MAX_NESTING = 8


class Rule(NamedTuple):
    """The text of the selectors and of the block."""

    selectors: str
    block: str


def parse_rules(css: str) -> Iterator[Rule]:
    """Read a sheet in one pass, as CSS Syntax 3 cuts it. Broken rules are left out."""
    css = _QUOTED.sub(_blank, without_comments(css))
    open_blocks: list[
        str
    ] = []  # selectors of the blocks around; "" in an at-rule that applies, "-" in one that does not
    for text, brace in _PIECE.findall(css):
        if brace == "{":
            prelude = text.rpartition(";")[2].strip()
            if ";" in text and open_blocks:
                yield from _rule(open_blocks, text.rpartition(";")[0])
            open_blocks.append(_context(prelude, open_blocks))
        else:
            yield from _rule(open_blocks, text)
            if open_blocks:
                open_blocks.pop()


def _rule(open_blocks: list[str], block: str) -> Iterator[Rule]:
    selectors = open_blocks[-1] if open_blocks else ""
    if selectors not in ("", "-") and RELEVANT.search(block):
        yield Rule(selectors, block)


def _context(prelude: str, open_blocks: list[str]) -> str:
    around = open_blocks[-1] if open_blocks else ""
    if around == "-" or len(open_blocks) > _MAX_NESTING:
        return "-"
    if prelude.startswith("@"):
        return around if is_read(prelude[1:]) else "-"
    return _nested(around, prelude) if around else prelude or "-"


def _nested(parents: str, prelude: str) -> str:
    """Selectors inside a block continue those around it (CSS Nesting 1); long lists are not multiplied."""
    outer, inner = parents.split(","), prelude.split(",")
    if len(outer) * len(inner) > 16:
        return "-"
    return ",".join(
        child.replace("&", parent) if "&" in child else f"{parent} {child}" for parent in outer for child in inner
    )


def _blank(match: re.Match[str]) -> str:
    """Keep what selectors may compare with; drop what could be taken for structure."""
    text = match[0]
    if text[0] not in "\"'":
        return "url()"
    return text if not re.search(r"[{};@,]", text) else text[0] * 2
