"""The segments of a page."""

from __future__ import annotations

from collections.abc import Iterator

from stook.web.extract.html import Comment, Document, Element, parse
from stook.web.extract.limits import Limits
from stook.web.extract.security.attributes import attribute_texts
from stook.web.extract.security.program import script_text, style_text
from stook.web.extract.security.prose import prose_in
from stook.web.extract.security.streams import text_streams
from stook.web.extract.style import mark_hidden
from stook.web.segment import Segment, SegmentKind

__all__ = ["page_segments"]

_Found = dict[SegmentKind, dict[str, None]]
_SPECIAL = frozenset(("script", "style", "title"))
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
    texts += [(SegmentKind.COMMENT, node.text) for _, node in document.nodes if isinstance(node, Comment)]
    for element in document.elements:
        if element.attributes:
            texts += attribute_texts(element)
        if element.tag in _SPECIAL:
            texts.append(_special_text(element, document))
        elif len(element.tag) >= _LONG_NAME:
            texts.append((SegmentKind.HIDDEN, prose_in(element.tag.replace("-", " ").replace("_", " "))))
    for kind, text in texts:
        if text:
            found[kind][text] = None


def _doctype(document: Document) -> str:
    """Identifiers of a doctype are free text."""
    return document.doctype if len(document.doctype) > len("<!doctype html>") else ""


def _special_text(element: Element, document: Document) -> tuple[SegmentKind, str]:
    """Return the text of an element whose content is not part of the streams."""
    text = "".join(child for child in element.children if isinstance(child, str))
    if element.tag == "script":
        return SegmentKind.SCRIPT, script_text(text, element.attributes.get("type") or "")
    if element.tag == "style":
        return SegmentKind.HIDDEN, style_text(text)
    in_head = document.elements[element.parent].tag == "head"
    return SegmentKind.TITLE, text.strip() if in_head else ""


def _inner_pages(document: Document) -> Iterator[str]:
    for element in document.elements:
        if element.attributes.get("srcdoc"):
            yield element.attributes["srcdoc"] or ""


def _collect_inner(source: str, found: _Found, limits: Limits) -> None:
    """Read the page in a frame once. Nothing of it is shown, so its painted text counts as hidden.

    A frame in a frame is read as text.
    """
    document = parse(source, limits)
    mark_hidden(document)
    inner: _Found = {kind: {} for kind in SegmentKind}
    _collect(document, inner)
    for kind, texts in inner.items():
        found[SegmentKind.HIDDEN if kind is SegmentKind.VISIBLE else kind].update(texts)
    found[SegmentKind.HIDDEN].update(dict.fromkeys(_inner_pages(document)))
