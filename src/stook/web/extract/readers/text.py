"""Plain text: paragraphs as they are, columns and drawings as blocks of code."""

from __future__ import annotations

import re

from stook.web.extract.letters import shown
from stook.web.extract.markdown.code import code_block
from stook.web.extract.markdown.escape import escape_inline, escape_line_start
from stook.web.extract.reading import Reading
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_text"]

_BREAKS = re.compile(r"\r\n?|\f|\x85|\u2028|\u2029")
_COLUMNS = re.compile(r"^[ \t]{2,}\S|\S[ \t]{3,}\S", re.MULTILINE)
_MAX_TITLE = 200  # characters: a longer first line is no title


def read_text(text: str) -> Reading:
    """Read a page of plain text. Its title is the first line, if it is short."""
    plain = shown(_BREAKS.sub("\n", text))
    first = next((line.strip() for line in plain.split("\n") if line.strip()), "")
    blocks = [_block(block) for block in re.split(r"\n[ \t]*\n\s*?(?=[^\n])", plain)]
    markdown = "\n\n".join(block for block in blocks if block)
    return Reading(
        first if len(first) <= _MAX_TITLE else "",
        markdown + "\n" if markdown else "",
        [Segment(SegmentKind.VISIBLE, text)],
    )


def _block(block: str) -> str:
    if _COLUMNS.search(block):
        return code_block(block.replace("\t", "    "), "")
    lines = (" ".join(line.split()) for line in block.split("\n"))
    return "\n".join(escape_line_start(escape_inline(line)) for line in lines if line)
