"""Weights: how much running text stands in each element."""

from __future__ import annotations

from dataclasses import dataclass

from stook.web.extract.html import Document, Element
from stook.web.extract.markdown.inline_elements import SKIPPED

__all__ = ["Weights", "sum_up", "weigh"]

_FEW = 15  # words: a block with less is a label, a caption, a button, a teaser


@dataclass(slots=True, frozen=True)
class Weights:
    """Counts of painted words by place in `Document.elements`; a block's words are those no block inside of it has."""

    words: list[int]  # of a block
    linked: list[int]  # of them, those in links
    prose: list[int]  # words of the block if it is content, else 0
    total: list[int]  # prose of the element and of all in it


def weigh(document: Document, *, is_article: bool) -> Weights:
    """Count words. An article is made of running text; on other pages tables and lists of links count as well."""
    elements = document.elements
    blocks = document.blocks
    is_skipped = _covered(document, *SKIPPED)
    is_linked = _covered(document, "a")
    words, linked = [0] * len(elements), [0] * len(elements)
    for owner, text in document.texts:
        if not (is_skipped[owner] or elements[owner].is_hidden or text.isspace()):
            number = len(text.split())
            block = blocks[owner]
            words[block] += number
            if is_linked[owner]:
                linked[block] += number
    if not is_article:
        return Weights(words, linked, words, sum_up(words, elements))
    prose = [0] * len(elements)
    for place, count in enumerate(words):
        if count >= _FEW and (free := count - linked[place]) >= _FEW and free > linked[place]:
            prose[place] = free
    return Weights(words, linked, prose, sum_up(prose, elements))


def _covered(document: Document, *tags: str) -> bytearray:
    """Return for each element whether it is, or stands in, one with these tags."""
    covered = bytearray(len(document.elements))
    for tag in tags:
        for place in document.places.get(tag, ()):
            end = document.ends[place]
            covered[place:end] = b"\1" * (end - place)
    return covered


def sum_up(values: list[int], elements: list[Element]) -> list[int]:
    """Return for each element the sum over it and all in it."""
    total = list(values)
    for place in range(len(total) - 1, 0, -1):
        if total[place]:
            total[elements[place].parent] += total[place]
    return total
