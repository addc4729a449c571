"""The segments of a page."""

from __future__ import annotations

from collections.abc import Iterator

from stook.web.extract.html import Document, Element, parse
from stook.web.extract.limits import Limits
from stook.web.extract.security.attributes import attribute_texts
from stook.web.extract.security.program import script_text, style_text
from stook.web.extract.security.prose import prose_in
from stook.web.extract.security.streams import text_streams
from stook.web.extract.style import mark_hidden
from stook.web.segment import Segment, SegmentKind

__all__ = ["page_segments"]

_Found = dict[SegmentKind, dict[str, None]]
_LONG_NAME = 20  # characters: a longer name of an element may be a sentence


def page_segments(document: Document, limits: Limits) -> list[Segment]:
    """Return all text of a page whose visibility is marked, one segment a kind; equal texts of a kind stand once.

    Texts of one kind stand apart by empty lines. Raises `TooLarge` if a page inside the page is.
    """
    found: _Found = {kind: {} for kind in SegmentKind}
    _collect(document, found)
    for source in _inner_pages(document):
        _collect_inner(source, found, limits)
    return [Segment(kind, "\n\n".join(texts)) for kind, texts in found.items() if texts]


def _collect(document: Document, found: _Found) -> None:
    visible, hidden = text_streams(document)
    texts = [(SegmentKind.VISIBLE, visible), (SegmentKind.HIDDEN, hidden), (SegmentKind.METADATA, _doctype(document))]
    texts += [(SegmentKind.COMMENT, comment) for comment in document.comments]
    texts += attribute_texts(document.elements)
    texts += _special_texts(document)
    for kind, text in texts:
        if text:
            found[kind][text] = None


def _doctype(document: Document) -> str:
    """Identifiers of a doctype are free text."""
    return document.doctype if len(document.doctype) > len("<!doctype html>") else ""


def _special_texts(document: Document) -> Iterator[tuple[SegmentKind, str]]:
    """Yield the texts of elements whose content is not part of the streams, and sentences in names of elements."""
    for script in document.all("script"):
        yield SegmentKind.SCRIPT, script_text(script.own_text(), script.get("type"))
    for style in document.all("style"):
        yield SegmentKind.HIDDEN, style_text(style.own_text())
    for title in document.all("title"):
        if _is_in_head(title, document):
            yield SegmentKind.TITLE, title.own_text().strip()
    for tag in document.places:
        if len(tag) >= _LONG_NAME:
            yield SegmentKind.HIDDEN, prose_in(tag.replace("-", " ").replace("_", " "))


def _is_in_head(element: Element, document: Document) -> bool:
    return document.elements[element.parent].tag == "head"


def _inner_pages(document: Document) -> Iterator[str]:
    """Yield the pages in the page: what frames hold, and what browsers without scripts show."""
    for page in document.all("noscript"):
        yield page.own_text()
    for frame in document.all("iframe"):
        if frame.get("srcdoc"):
            yield frame.get("srcdoc")


def _collect_inner(source: str, found: _Found, limits: Limits) -> None:
    """Read a page in the page once. Nothing of it is shown, so its painted text counts as hidden.

    A page in such a page is read as text.
    """
    document = parse(source, limits)
    mark_hidden(document)
    inner: _Found = {kind: {} for kind in SegmentKind}
    _collect(document, inner)
    for kind, texts in inner.items():
        found[SegmentKind.HIDDEN if kind is SegmentKind.VISIBLE else kind].update(texts)
    found[SegmentKind.HIDDEN].update(dict.fromkeys(_inner_pages(document)))
