"""Ancestry: a quick answer that no ancestor of an element has the names that a selector needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stook.web.extract.html import Element
from stook.web.extract.style.selectors.selector import Selector

__all__ = ["Ancestry"]

_MAX_NAMES = 1_000  # one bit each, for every element


class Ancestry:
    """`around` has bits for each element: the names that selectors ask for, and that it or one around it has."""

    def __init__(
        self, selectors: Iterable[Selector], places: Mapping[str, Sequence[int]], elements: Sequence[Element]
    ) -> None:
        wanted = {name for selector in selectors for name in _needed(selector)}
        self._bits = {name: 1 << rank for rank, name in enumerate(sorted(wanted)[:_MAX_NAMES])}
        self.around = [0] * len(elements)
        if self._bits:
            for name, bit in self._bits.items():
                for place in places.get(name, ()):
                    self.around[place] |= bit
            for place in range(1, len(elements)):
                self.around[place] |= self.around[elements[place].parent]

    def needs(self, selector: Selector) -> int:
        """Return the names that must stand around an element, as bits."""
        bits = 0
        for name in _needed(selector):
            bits |= self._bits.get(name, 0)
        return bits


def _needed(selector: Selector) -> list[str]:
    if any(compound.combinator in ("+", "~") for compound in selector.compounds):
        return []  # the names may be a sibling's
    return [name for compound in selector.compounds[1:] for name in compound.names()]
