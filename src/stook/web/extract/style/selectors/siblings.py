"""Places of elements among their siblings, for selectors such as :first-child and "+"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from stook.web.extract.html import Element

__all__ = ["Rank", "Siblings"]


class Rank(NamedTuple):
    """A place counted from one, and how many there are."""

    place: int
    of: int


class Siblings:
    """All places of one document, computed in one pass."""

    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements
        self._children: dict[int, list[int]] = {}
        self._ranks: list[int] = []
        self._tag_ranks: list[int] = []
        self._tag_counts: Counter[tuple[int, str]] = Counter()
        for place, element in enumerate(elements):
            family = self._children.setdefault(element.parent, [])
            family.append(place)
            self._tag_counts[element.parent, element.tag] += 1
            self._ranks.append(len(family))
            self._tag_ranks.append(self._tag_counts[element.parent, element.tag])

    def rank(self, place: int) -> Rank:
        return Rank(self._ranks[place], len(self._children[self._elements[place].parent]))

    def rank_of_tag(self, place: int) -> Rank:
        element = self._elements[place]
        return Rank(self._tag_ranks[place], self._tag_counts[element.parent, element.tag])

    def before(self, place: int) -> Iterator[int]:
        """Yield the places of earlier siblings, the nearest first."""
        family = self._children[self._elements[place].parent]
        for rank in range(self._ranks[place] - 2, -1, -1):
            yield family[rank]
