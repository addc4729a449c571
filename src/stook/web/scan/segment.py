"""A segment: a stretch of a page's text, and where on the page it stood."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Segment", "SegmentKind"]


class SegmentKind(StrEnum):
    """Where a text stood: what a reader sees, what only a machine reads, or what we show in the end."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    COMMENT = "comment"
    ATTRIBUTE = "attribute"
    METADATA = "metadata"
    SCRIPT = "script"
    URL = "url"
    TITLE = "title"
    LINK_TEXT = "link_text"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True)
class Segment:
    """Text of one kind; the scanner looks at each on its own."""

    kind: SegmentKind
    text: str
