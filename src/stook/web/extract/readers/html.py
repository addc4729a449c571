"""HTML pages: one parse, two documents."""

from __future__ import annotations

import re

from stook.web.extract.content import Content, choose_content
from stook.web.extract.html import Document, parse
from stook.web.extract.hyperlinks import page_links
from stook.web.extract.letters import shown
from stook.web.extract.limits import Limits
from stook.web.extract.links import Resolver
from stook.web.extract.markdown import write_markdown
from stook.web.extract.reading import Reading
from stook.web.extract.security import page_segments
from stook.web.extract.style import mark_hidden
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_html"]

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,5}")  # RFC 5646, its form only


def read_html(text: str, url: str, limits: Limits, *, is_whole: bool = False) -> Reading:
    """Read a page. `is_whole` shows all of it, where it is known to have no navigation. Raises `TooLarge`."""
    document = parse(text, limits)
    mark_hidden(document)
    resolver = Resolver(url, _attribute(document, "base", "href"))
    title = _title(document)
    content = Content(document.root, frozenset(), None) if is_whole else choose_content(document, title)
    written = write_markdown(document, resolver, *content)
    links = page_links(document, resolver)
    segments = page_segments(document, limits)
    if written.languages:
        segments.append(Segment(SegmentKind.ATTRIBUTE, "\n".join(sorted(written.languages))))
    return Reading(
        title, written.markdown, segments, written.outline, links, _language(document), _canonical(document, resolver)
    )


def _title(document: Document) -> str:
    """Return the title of the page; without one, what it calls itself where links to it are shown, or its first heading."""
    for element in document.elements:
        if element.tag == "title" and document.elements[element.parent].tag == "head":
            title = _line("".join(child for child in element.children if isinstance(child, str)))
            if title:
                return title
    for element in document.elements:
        if element.tag == "meta" and element.attributes.get("property") == "og:title":
            return _line(element.attributes.get("content") or "")
    return ""


def _line(text: str) -> str:
    return " ".join(shown(text).split())


def _language(document: Document) -> str:
    declared = (_attribute(document, "html", "lang") or "").strip()
    return declared if _LANGUAGE.fullmatch(declared) else ""


def _canonical(document: Document, resolver: Resolver) -> str | None:
    for element in document.elements:
        if element.tag == "link" and "canonical" in (element.attributes.get("rel") or "").lower().split():
            return resolver.resolve(element.attributes.get("href") or "")
    return None


def _attribute(document: Document, tag: str, name: str) -> str | None:
    """Return the attribute of the first such element that has it."""
    return next(
        (
            element.attributes[name]
            for element in document.elements
            if element.tag == tag and name in element.attributes
        ),
        None,
    )
