"""Boilerplate: parts of a page that are not its content."""

from __future__ import annotations

from stook.web.extract.content.vocabulary import AROUND_ARTICLES, AROUND_PAGES, words_of
from stook.web.extract.content.weight import Weights
from stook.web.extract.html import Document, Element

__all__ = ["boilerplate", "link_blocks"]

_TAGS = frozenset("nav footer form dialog menu".split())
_ROLES = frozenset(
    "navigation contentinfo complementary search dialog alertdialog menu menubar toolbar tablist banner alert".split()
)
# Never dropped for a name alone.
_CONTENT = frozenset(
    "html body main article section h1 h2 h3 h4 h5 h6 p pre code table thead tbody tr td th dl dt dd".split()
)
_LARGE = 0.4  # of all prose of the page: so much is never around the content, whatever it is called
_LINK_BLOCKS = frozenset("p li div ul ol h2 h3 h4 h5 h6".split())


def boilerplate(document: Document, weights: Weights, *, is_article: bool) -> list[bool]:
    """Return for each element whether it, or what it stands in, is around the content."""
    elements = document.elements
    limit = _LARGE * weights.total[0]
    quoting = _holding_quotes(elements)
    around = [False] * len(elements)
    for place in range(1, len(elements)):
        element = elements[place]
        around[place] = around[element.parent] or (
            _is_around(element, is_article=is_article, quotes=place in quoting) and weights.total[place] <= limit
        )
    return around


def _is_around(element: Element, *, is_article: bool, quotes: bool) -> bool:
    tag, attributes = element.tag, element.attributes
    if tag in _TAGS or (is_article and tag in ("aside", "figcaption")):
        return True
    if not attributes:
        return False
    if attributes.get("role") in _ROLES or attributes.get("aria-hidden") == "true":
        return True
    if tag in _CONTENT and not (is_article and tag == "section"):
        return False
    # In documentation an id is the name of a chapter, so only classes count there.
    words = words_of(element, has_id=is_article)
    return not words.isdisjoint(AROUND_ARTICLES if is_article else AROUND_PAGES) and not quotes


def _holding_quotes(elements: list[Element]) -> set[int]:
    """Return the places of elements with a quotation in them: an embedded post is content, whatever it is called."""
    places: set[int] = set()
    for element in elements:
        place = element.parent if element.tag == "blockquote" else 0
        while place > 0 and place not in places:
            places.add(place)
            place = elements[place].parent
    return places


def link_blocks(document: Document, weights: Weights, root: int) -> set[int]:
    """Return the ids of blocks below the root that are nothing but links: "read more" and lists of other articles."""
    inside = [False] * len(document.elements)
    inside[root] = True
    found = set()
    for place in range(root + 1, len(document.elements)):
        element = document.elements[place]
        inside[place] = inside[element.parent]
        words = weights.words[place]
        is_linked = words > 0 and 5 * weights.linked[place] >= 4 * words and weights.total[place] == 0
        if inside[place] and is_linked and element.tag in _LINK_BLOCKS:
            found.add(id(element))
    return found
