"""HTML pages: one parse, two documents."""

from __future__ import annotations

import re

from stook.web.extract.content import Content, choose_content
from stook.web.extract.html import Document, parse
from stook.web.extract.hyperlinks import page_links
from stook.web.extract.letters import shown
from stook.web.extract.limits import Limits
from stook.web.extract.links import LinkResolver
from stook.web.extract.markdown import write_markdown
from stook.web.extract.page_text import PageText
from stook.web.extract.security import page_segments
from stook.web.extract.style import mark_hidden
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_html"]

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,5}")  # RFC 5646, its form only


def read_html(text: str, url: str, limits: Limits, *, is_whole: bool = False) -> PageText:
    """Read a page. `is_whole` shows all of it, where it is known to have no navigation. Raises `TooLarge`."""
    document = parse(text, limits)
    mark_hidden(document)
    resolver = LinkResolver(url, _attribute(document, "base", "href"))
    title = _title(document)
    content = Content(document.root, frozenset(), None) if is_whole else choose_content(document, title)
    written = write_markdown(document, resolver, *content)
    links = page_links(document, resolver)
    segments = page_segments(document, limits)
    if written.languages:
        segments.append(Segment(SegmentKind.ATTRIBUTE, "\n".join(sorted(written.languages))))
    return PageText(
        title, written.markdown, segments, written.outline, links, _language(document), _canonical(document, resolver)
    )


def _title(document: Document) -> str:
    """Return the title of the page; without one, what it calls itself where links to it are shown."""
    titles = [title.own_text() for title in document.all("title") if document.elements[title.parent].tag == "head"]
    titles += [meta.get("content") for meta in document.all("meta") if meta.get("property") == "og:title"]
    return next(filter(None, map(_line, titles)), "")


def _line(text: str) -> str:
    return " ".join(shown(text).split())


def _language(document: Document) -> str:
    declared = _attribute(document, "html", "lang").strip()
    return declared if _LANGUAGE.fullmatch(declared) else ""


def _canonical(document: Document, resolver: LinkResolver) -> str | None:
    for link in document.all("link"):
        if "canonical" in link.get("rel").lower().split():
            return resolver.resolve(link.get("href"))
    return None


def _attribute(document: Document, tag: str, name: str) -> str:
    """Return the attribute of the first such element that has it, or ""."""
    return next((element.get(name) for element in document.all(tag) if name in element.attributes), "")
