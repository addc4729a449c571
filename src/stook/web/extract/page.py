"""The front door: from the bytes of a page to its display and its security text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stook.web.extract.encoding import decode
from stook.web.extract.errors import UnsupportedType
from stook.web.extract.limits import Limits, check_text
from stook.web.extract.links import readable
from stook.web.extract.page_text import Heading, Link, PageText
from stook.web.extract.readers import read_feed, read_html, read_json, read_markdown, read_text
from stook.web.segment import Segment, SegmentKind

__all__ = ["Extract", "extract"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_MARKDOWN = frozenset(("text/markdown", "text/x-markdown"))
_XML = frozenset(("application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml"))


@dataclass(slots=True, frozen=True)
class Extract:
    """A page, read. All strings are free of lone surrogates; display strings also of control and invisible characters.

    `segments` is the security text: everything in the page that could carry an instruction, and what is displayed,
    with its kind. `language` is the declared one or ""; `encoding` is Python's name of the codec.
    """

    title: str
    markdown: str
    outline: tuple[Heading, ...]
    links: tuple[Link, ...]
    segments: tuple[Segment, ...]
    language: str
    encoding: str
    canonical: str | None


def extract(body: bytes, content_type: str, url: str, limits: Limits | None = None) -> Extract:
    """Read the body of a reply. `content_type` is the whole header, `url` the address that links are relative to.

    Raises `TooLarge` beyond a limit, `UnsupportedType` for another kind of content, `Malformed` for broken XML.
    """
    limits = limits or Limits()
    media_type = content_type.partition(";")[0].strip().lower()
    is_markup = media_type in _HTML or media_type in _XML
    text, encoding = decode(body, content_type, is_markup=is_markup)
    reading = _read(media_type, text, url, limits)
    # What is added to the segments below stands in these once already.
    check_text((segment.text for segment in reading.segments), limits)
    check_text([reading.markdown], limits)
    return Extract(
        reading.title,
        reading.markdown,
        tuple(reading.outline),
        tuple(reading.links),
        _segments(reading),
        reading.language,
        encoding,
        reading.canonical,
    )


def _read(media_type: str, text: str, url: str, limits: Limits) -> PageText:
    if media_type in _HTML:
        return read_html(text, url, limits)
    if media_type == "text/plain":
        return read_text(text, limits)
    if media_type in _MARKDOWN:
        return read_markdown(text, url, limits)
    if media_type in ("application/json", "text/json") or media_type.endswith("+json"):
        return read_json(text, limits)
    if media_type in _XML:
        return read_feed(text, url, limits)
    raise UnsupportedType(f"Pages of the type {media_type[:80]!r} are not read.")


def _segments(reading: PageText) -> tuple[Segment, ...]:
    """Add to what the reader found all that leaves this module: title, links, Markdown."""
    links: Sequence[Link] = reading.links
    urls = [link.url for link in links] + ([reading.canonical] if reading.canonical else [])
    shown = [
        Segment(SegmentKind.TITLE, reading.title),
        Segment(SegmentKind.LINK_TEXT, "\n\n".join(link.text for link in links if link.text)),
        Segment(SegmentKind.URL, "\n\n".join(urls)),
        Segment(SegmentKind.URL, "\n\n".join(text for url in urls if (text := readable(url)) != url)),
        Segment(SegmentKind.DISPLAY, reading.markdown),
    ]
    return tuple(
        segment._replace(text=_SURROGATE.sub("\ufffd", segment.text))
        for segment in (*reading.segments, *shown)
        if segment.text
    )
