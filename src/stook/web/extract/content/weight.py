"""Weights: how much running text stands in each element."""

from __future__ import annotations

from dataclasses import dataclass

from stook.web.extract.html import Document, Element
from stook.web.extract.markdown.phrasing import SKIPPED
from stook.web.extract.security.streams import INLINE

__all__ = ["Weights", "sum_up", "weigh"]

_FEW = 15  # words: a block with less is a label, a caption, a button, a teaser


@dataclass(slots=True, frozen=True)
class Weights:
    """Counts of painted words by place in `Document.elements`; a block's words are those no block inside of it has."""

    words: list[int]  # of a block
    linked: list[int]  # of them, those in links
    prose: list[int]  # words of the block if it is running text, else 0
    total: list[int]  # prose of the element and of all in it


def weigh(document: Document) -> Weights:
    elements = document.elements
    count = len(elements)
    block, in_link, is_skipped = [0] * count, [False] * count, [False] * count
    words, linked = [0] * count, [0] * count
    place = 0
    for parent, node in document.nodes:
        if isinstance(node, Element):
            place += 1
            is_skipped[place] = is_skipped[parent] or node.tag in SKIPPED
            in_link[place] = in_link[parent] or (node.tag == "a" and "href" in node.attributes)
            block[place] = block[parent] if node.tag in INLINE else place
        elif isinstance(node, str) and not (is_skipped[parent] or elements[parent].is_hidden):
            number = len(node.split())
            words[block[parent]] += number
            if in_link[parent]:
                linked[block[parent]] += number
    free = [own - own_linked for own, own_linked in zip(words, linked, strict=True)]
    prose = [own if own >= _FEW and own > own_linked else 0 for own, own_linked in zip(free, linked, strict=True)]
    return Weights(words, linked, prose, sum_up(prose, elements))


def sum_up(values: list[int], elements: list[Element]) -> list[int]:
    """Return for each element the sum over it and all in it."""
    total = list(values)
    for place in range(len(total) - 1, 0, -1):
        total[elements[place].parent] += total[place]
    return total
