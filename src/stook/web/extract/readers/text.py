"""Plain text: paragraphs as they are, columns and drawings as blocks of code."""

from __future__ import annotations

import re
from itertools import groupby

from stook.web.extract.letters import shown
from stook.web.extract.limits import Limits, check_text
from stook.web.extract.markdown import code_block, escape_inline, escape_line_start
from stook.web.extract.page_text import PageText
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_text"]

_BREAKS = re.compile(r"\r\n?|\f|\x85|\u2028|\u2029")
_COLUMNS = re.compile(r"^[ \t]{2,}\S|\S[ \t]{3,}\S")
_MAX_TITLE = 200  # characters: a longer first line is no title


def read_text(text: str, limits: Limits) -> PageText:
    """Read a page of plain text. Its title is the first line, if it is short. Raises `TooLarge`."""
    check_text([text], limits)
    lines = shown(_BREAKS.sub("\n", text)).split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    blocks = [_block([*block]) for is_blank, block in groupby(lines, key=_is_blank) if not is_blank]
    markdown = "\n\n".join(block for block in blocks if block)
    return PageText(
        first if len(first) <= _MAX_TITLE else "",
        markdown + "\n" if markdown else "",
        [Segment(SegmentKind.VISIBLE, text)],
    )


def _is_blank(line: str) -> bool:
    return not line.strip()


def _block(lines: list[str]) -> str:
    if any(map(_COLUMNS.search, lines)):
        return code_block("\n".join(lines).replace("\t", "    "), "")
    return "\n".join(escape_line_start(escape_inline(" ".join(line.split()))) for line in lines)
