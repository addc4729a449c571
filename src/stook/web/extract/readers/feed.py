"""Feeds: RSS 2.0, RSS 1.0 and Atom; each entry is a heading, a date and its text."""

from __future__ import annotations

from html import escape, unescape

from stook.web.extract.errors import UnsupportedType
from stook.web.extract.limits import Limits
from stook.web.extract.page_text import Heading, PageText
from stook.web.extract.readers.html import read_html
from stook.web.extract.readers.xml import XmlElement, parse_xml
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_feed"]

_ROOTS = frozenset(("rss", "feed", "rdf"))
_TITLES = ("title",)
_DATES = ("pubdate", "published", "updated", "date")
_TEXTS = ("encoded", "content", "description", "summary")


def read_feed(text: str, url: str, limits: Limits) -> PageText:
    """Read a feed, or XHTML that came as XML. Raises `Malformed`, `TooLarge`, `UnsupportedType`."""
    root, found = parse_xml(text, limits)
    if root.name == "html":
        return read_html(text, url, limits)
    if root.name not in _ROOTS:
        raise UnsupportedType("The page is XML, but neither a feed nor XHTML.")
    channel = root.first("channel") or root
    entries = [
        child
        for parent in {id(root): root, id(channel): channel}.values()
        for child in parent.children
        if child.name in ("item", "entry")
    ]
    readings = [_read(channel, url, limits, level=1), *(_read(entry, url, limits, level=2) for entry in entries)]
    return _joined(readings, found)


def _read(part: XmlElement, url: str, limits: Limits, *, level: int) -> PageText:
    """Read the heading, the date and the text of a feed or an entry, as a page of its own."""
    title = unescape(part.text(_TITLES)).strip()
    link = _address(part)
    heading = f'<a href="{escape(link)}">{escape(title or link)}</a>' if link else escape(title)
    body = part.markup(_TEXTS)
    page = f"<h{level}>{heading}</h{level}><p>{escape(part.text(_DATES))}</p><div>{body}</div>"
    reading = read_html(page, url, limits, is_whole=True)
    return PageText(title, reading.markdown, reading.segments, reading.outline, reading.links)


def _address(part: XmlElement) -> str:
    links = [child for child in part.children if child.name == "link"]
    wanted = [link for link in links if link.attributes.get("rel", "alternate") == "alternate"]
    return next((link.attributes.get("href") or link.own_text().strip() for link in wanted), "")


def _joined(readings: list[PageText], found: list[Segment]) -> PageText:
    outline, offset = [], 0
    for reading in readings:
        outline += [Heading(level, text, place + offset) for level, text, place in reading.outline]
        offset += len(reading.markdown) + 1
    segments = [segment for reading in readings for segment in reading.segments]
    links = {link.url: link for reading in readings for link in reading.links}
    markdown = "\n".join(reading.markdown for reading in readings)
    title = " ".join(readings[0].title.split())
    return PageText(title, markdown, [*found, Segment(SegmentKind.TITLE, title), *segments], outline, [*links.values()])
