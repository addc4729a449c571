"""A reading: what a reader of one content type found in a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stook.web.segment import Segment

__all__ = ["Heading", "Link", "PageText"]


class Heading(NamedTuple):
    """A heading: level 1 to 6, its plain text, its place in the Markdown in characters."""

    level: int
    text: str
    offset: int


class Link(NamedTuple):
    """An absolute http(s) address and the text that a reader sees for it, which may be empty."""

    url: str
    text: str


@dataclass(slots=True, frozen=True)
class PageText:
    """Display and security text of a page, before the limits of text are checked."""

    title: str
    markdown: str
    segments: Sequence[Segment]
    outline: Sequence[Heading] = ()
    links: Sequence[Link] = ()
    language: str = ""
    canonical: str | None = None
