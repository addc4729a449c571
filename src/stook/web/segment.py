"""A segment: a piece of a page's text with the place it came from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

__all__ = ["Segment", "SegmentKind"]


class SegmentKind(StrEnum):
    """The place of a text in a page."""

    VISIBLE = "visible"  # text that a browser paints
    HIDDEN = "hidden"  # text in the tree that a browser does not paint
    COMMENT = "comment"
    ATTRIBUTE = "attribute"
    METADATA = "metadata"  # meta, link and doctype in the head
    SCRIPT = "script"  # strings of JSON and of data blocks, prose in program text
    URL = "url"  # addresses, decoded
    TITLE = "title"
    LINK_TEXT = "link_text"
    DISPLAY = "display"  # the Markdown that a reader gets


class Segment(NamedTuple):
    """One text with its kind."""

    kind: SegmentKind
    text: str
