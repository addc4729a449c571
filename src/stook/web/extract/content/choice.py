"""The choice of the main content.

A page is a tree of blocks with more or less running text. The content is the element that names itself so, or the
lowest one that holds nearly all running text. An article that has the title of the page goes before its neighbours.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from stook.web.extract.content.boilerplate import boilerplate, link_blocks
from stook.web.extract.content.genre import is_article
from stook.web.extract.content.pictures import idle_pictures
from stook.web.extract.content.vocabulary import names_body, spoken
from stook.web.extract.content.weight import sum_up, weigh
from stook.web.extract.html import Document, Element
from stook.web.extract.letters import shown

__all__ = ["Content", "choose_content"]

_LEAVES = frozenset("p pre table thead tbody tr td th ul ol dl blockquote".split())
_MOST_OF_ARTICLE = 0.75  # of the prose: an element with so much replaces the one around it
_MOST_OF_PAGE = 0.9  # the same for other pages, where each part counts
_ALMOST_ALL = 0.95
# How much of the prose an element must hold to be believed what it says, by how plainly it says it.
_BELIEVED_ARTICLE = {4: 0.1, 3: 0.15, 2: 0.3, 1: 0.3}
_BELIEVED_PAGE = {4: 0.3, 3: 0.5, 2: 0.5, 1: 0.1}
_SHORT_ARTICLE = 40  # words


class Content(NamedTuple):
    """The chosen element; the ids of elements in it to leave out; a heading of the page that stands outside of it."""

    root: Element
    dropped: frozenset[int]
    heading: Element | None


def choose_content(document: Document, title: str) -> Content:
    """Choose by structure and names alone; `title` is the title of the page."""
    elements = document.elements
    article = is_article(document)
    weights = weigh(document, is_article=article)
    around = boilerplate(document, weights, is_article=article)
    prose = [0 if is_around else weight for weight, is_around in zip(weights.prose, around, strict=True)]
    tree = _Tree(elements, sum_up(prose, elements))
    place = tree.descend(0, _MOST_OF_ARTICLE if article else _MOST_OF_PAGE)
    heading = _titled_heading(document, around, title)
    place = _named(tree, around, place, heading, _BELIEVED_ARTICLE if article else _BELIEVED_PAGE)
    dropped = {id(element) for element, is_around in zip(elements, around, strict=True) if is_around}
    if article:
        dropped |= link_blocks(document, weights, place)
    dropped |= idle_pictures(document, title, is_article=article)
    outside = heading and not article and not tree.is_inside(heading, place)
    return Content(elements[place], frozenset(dropped), elements[heading] if outside and heading else None)


class _Tree:
    """Elements with the prose in them."""

    def __init__(self, elements: list[Element], prose: list[int]) -> None:
        self.elements = elements
        self.prose = prose
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        for place in range(1, len(elements)):
            if prose[place]:
                self._children[elements[place].parent].append(place)

    def descend(self, place: int, share: float) -> int:
        """Go down while one child holds at least this share of the prose."""
        while True:
            best = max(self._children[place], key=lambda child: self.prose[child], default=None)
            if best is None or self.prose[best] < share * self.prose[place] or self.elements[best].tag in _LEAVES:
                return place
            place = best

    def ancestors(self, place: int) -> list[int]:
        """Return the place itself and all around it, from the inside out."""
        path = [place]
        while place > 0:
            place = self.elements[place].parent
            path.append(place)
        return path

    def is_inside(self, place: int, outer: int) -> bool:
        return outer in self.ancestors(place)


def _named(tree: _Tree, around: bytearray, place: int, heading: int, believed_share: dict[int, float]) -> int:
    """Return the element that calls itself the content, or the given place."""
    candidates: list[tuple[int, int, int]] = [
        (plainness, tree.prose[candidate], -candidate)
        for candidate in range(1, len(tree.elements))
        if tree.prose[candidate] and not around[candidate] and (plainness := _plainness(tree.elements[candidate]))
    ]
    article = _article_around(tree, heading)
    if article:
        least = believed_share[2] * tree.prose[article]
        believed = [found for found in candidates if found[1] >= least and tree.is_inside(-found[2], article)]
    else:
        believed = [found for found in candidates if found[1] >= believed_share[found[0]] * tree.prose[place]]
    return tree.descend(-max(believed)[2], _ALMOST_ALL) if believed else place


def _plainness(element: Element) -> int:
    """Tell how plainly an element says that it is the content: 4 is plainest, 0 says nothing."""
    if element.tag in _LEAVES or element.tag in ("html", "body"):
        return 0
    if "articlebody" in element.get("itemprop").lower():
        return 4
    if names_body(element):
        return 3
    if element.tag == "article":
        return 2
    return 1 if element.tag == "main" or element.attributes.get("role") == "main" else 0


def _article_around(tree: _Tree, heading: int) -> int:
    """Return the article element that holds the heading and enough prose; 0 for none."""
    return next(
        (
            place
            for place in tree.ancestors(heading)
            if tree.elements[place].tag == "article" and tree.prose[place] >= _SHORT_ARTICLE
        ),
        0,
    )


def _titled_heading(document: Document, around: bytearray, title: str) -> int:
    """Return the place of the first heading that stands in the title of the page, or of the first h1; 0 for none."""
    wanted = spoken(title)
    places: list[int] = [*document.places.get("h1", ()), *document.places.get("h2", ())]
    places = [place for place in places if not (around[place] or document.elements[place].is_hidden)]
    for place in sorted(places):
        text = spoken(shown(_text(document.elements[place])))
        if len(text) >= 6 and text in wanted:
            return place
    return next((place for place in places if document.elements[place].tag == "h1"), 0)


def _text(root: Element) -> str:
    pieces: list[str] = []
    rest: list[Element | str] = [root]
    while rest:
        node = rest.pop()
        if isinstance(node, str):
            pieces.append(node)
        else:
            rest += reversed(node.children)
    return "".join(pieces)
