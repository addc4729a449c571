"""Markdown pages: rendered, then read like any HTML, so that nothing in them escapes the rules for HTML."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from stook.web.extract.errors import TooLarge
from stook.web.extract.limits import Limits
from stook.web.extract.page_text import PageText
from stook.web.extract.readers.html import read_html
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_markdown"]

_MAX_LENGTH = 256 * 1024  # characters: the renderer takes up to 20 µs for one
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def read_markdown(text: str, url: str, limits: Limits) -> PageText:
    """Read a Markdown document (CommonMark with tables). Raises `TooLarge`."""
    if len(text) > _MAX_LENGTH:
        raise TooLarge(f"The Markdown is longer than {_MAX_LENGTH} characters.")
    text = text.replace("\r\n", "\n")
    header = _FRONT_MATTER.match(text)
    body = text[header.end() :] if header else text
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = parser.parse(body, environment)
    reading = read_html(parser.renderer.render(tokens, parser.options, environment), url, limits, is_whole=True)
    unseen = [header[1]] if header else []
    unseen += [token.info for token in tokens if token.info]
    for label, reference in environment.get("references", {}).items():
        unseen.append(f"{label} {reference.get('title', '')} {reference.get('href', '')}")
    segments = [*reading.segments, Segment(SegmentKind.METADATA, "\n\n".join(unseen))] if unseen else reading.segments
    title = reading.title or next((heading.text for heading in reading.outline if heading.level == 1), "")
    return PageText(title, reading.markdown, segments, reading.outline, reading.links)
