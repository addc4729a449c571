"""Boilerplate: parts of a page that are not its content."""

from __future__ import annotations

from stook.web.extract.content.vocabulary import AROUND_ARTICLES, AROUND_PAGES, has_word
from stook.web.extract.content.weight import Weights
from stook.web.extract.html import Document, Element

__all__ = ["boilerplate", "link_blocks"]

_NAVIGATION = frozenset(("nav", "navigation"))
_TAGS = frozenset("nav footer form dialog menu".split())
_ROLES = frozenset(
    "navigation contentinfo complementary search dialog alertdialog menu menubar toolbar tablist banner alert".split()
)
# Never dropped for a name alone.
_CONTENT = frozenset(
    "#document html body main article section h1 h2 h3 h4 h5 h6 p pre code table thead tbody tr td th dl dt dd".split()
)
_LARGE = 0.4  # of all prose of the page: so much is never around the content, whatever it is called
_LINK_BLOCKS = frozenset("p li div ul ol h2 h3 h4 h5 h6".split())


def boilerplate(document: Document, weights: Weights, *, is_article: bool) -> bytearray:
    """Return for each element whether it, or what it stands in, is around the content."""
    elements, ends = document.elements, document.ends
    limit = _LARGE * weights.total[0]
    quoting = _holding_quotes(document)
    main = bytearray(len(elements)) if is_article else _inside_main(document)
    around = bytearray(len(elements))
    place = 1
    while place < len(elements):
        element = elements[place]
        if _is_navigation(element):
            # Inside of the content it is a table of contents; outside it may be longer than the content.
            is_around = not main[place]
        else:
            is_around = weights.total[place] <= limit and _is_around(
                element, is_article=is_article, quotes=place in quoting
            )
        if is_around:
            around[place : ends[place]] = b"\1" * (ends[place] - place)
            place = ends[place]
        else:
            place += 1
    return around


def _is_navigation(element: Element) -> bool:
    return element.tag in _NAVIGATION or element.attributes.get("role") in _NAVIGATION


def _inside_main(document: Document) -> bytearray:
    """Return for each element whether it stands in what the page calls its main part."""
    inside = bytearray(len(document.elements))
    for place, element in enumerate(document.elements):
        if element.tag == "main" or element.attributes.get("role") == "main":
            inside[place : document.ends[place]] = b"\1" * (document.ends[place] - place)
    return inside


def _is_around(element: Element, *, is_article: bool, quotes: bool) -> bool:
    tag, attributes = element.tag, element.attributes
    if tag in _TAGS or (is_article and tag in ("aside", "figcaption")):
        return True
    if not attributes:
        return False
    if attributes.get("role") in _ROLES or attributes.get("aria-hidden") == "true":
        return True
    if quotes or (tag in _CONTENT and not (is_article and tag == "section")):
        return False
    name = attributes.get("class") or ""
    if not is_article:
        return bool(name) and has_word(name, AROUND_PAGES)
    # In documentation an id is the name of a chapter; in an article it says what a part is for.
    name = f"{name} {attributes.get('id') or ''}"
    return len(name) > 1 and has_word(name, AROUND_ARTICLES)


def _holding_quotes(document: Document) -> set[int]:
    """Return the places of elements with a quotation in them: an embedded post is content, whatever it is called."""
    places: set[int] = set()
    for quote in document.all("blockquote"):
        place = quote.parent
        while place > 0 and place not in places:
            places.add(place)
            place = document.elements[place].parent
    return places


def link_blocks(document: Document, weights: Weights, root: int) -> set[int]:
    """Return the ids of blocks below the root that are nothing but links: "read more" and lists of other articles."""
    found = set()
    for place in range(root + 1, document.ends[root]):
        words = weights.words[place]
        if words and 5 * weights.linked[place] >= 4 * words and not weights.total[place]:
            element = document.elements[place]
            if element.tag in _LINK_BLOCKS:
                found.add(id(element))
    return found
