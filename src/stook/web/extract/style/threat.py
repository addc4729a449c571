"""Threats: declarations that hide text, alone or by their colour. A page without them needs no cascade."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from stook.web.extract.style.colour import LIKENESS, WHITE, Colour, parse_colour
from stook.web.extract.style.declaration import Declaration
from stook.web.extract.style.length import font_size
from stook.web.extract.style.removal import is_threat

__all__ = ["Threats", "related_names"]

_INKS = frozenset(("color", "-webkit-text-fill-color"))
_GROUNDS = frozenset(("background", "background-color", "background-image"))
_SIZES = frozenset(("font", "font-size"))
_CLIPS = frozenset(("overflow", "overflow-x", "overflow-y"))
_MARGINS = frozenset(("margin", "margin-left", "margin-top"))
_SMALL = 4.0  # pixels; relative sizes multiply, so the limit lies above that of sight
_FAINT = 0.1  # opacity
_MANY = 50  # colours of about the same sum; with more of them any is taken for a threat


def related_names(names: Iterable[str]) -> frozenset[str]:
    """Return the properties that have to be known to judge these, themselves included."""
    related = set(names)
    for name in names:
        if name in _INKS or name in _GROUNDS:
            related |= _INKS | _GROUNDS
        elif name in _SIZES:
            related |= _SIZES
        elif name in _MARGINS:
            related |= _MARGINS
        elif name in ("left", "top", "right", "bottom"):
            related.add("position")
        elif name.endswith(("width", "height")):
            related |= _CLIPS
    return frozenset(related)


class Threats:
    """Knows the colours that the page declares, and so which of its declarations could hide text."""

    def __init__(self, blocks: Iterable[list[Declaration]]) -> None:
        inks, grounds = {Colour(0, 0, 0)}, {WHITE}
        for name, value in {(name, value) for block in blocks for name, value, _ in block}:
            if name in _INKS and (colour := parse_colour(value)):
                inks.add(colour)
            elif name in _GROUNDS:
                grounds.update(filter(None, map(parse_colour, (value, *value.split()))))
        self._inks = _alike(inks, grounds) | {ink for ink in inks if ink.alpha < _FAINT}
        self._grounds = _alike(grounds, inks)

    def is_threat(self, declaration: Declaration) -> bool:
        name, value, _ = declaration
        if name in _INKS:
            return parse_colour(value) in self._inks
        if name in _GROUNDS:
            return any(parse_colour(part) in self._grounds for part in (value, *value.split()))
        if name in _SIZES:
            return font_size({name: value}, 16.0) <= _SMALL
        return is_threat(name, value)


def _alike(colours: set[Colour], others: set[Colour]) -> set[Colour]:
    """Return the colours that are like one of the others. Only those of about the same sum are compared."""
    ranked = sorted((sum(other[:3]), other) for other in others)
    found = set()
    for colour in colours:
        total = sum(colour[:3])
        low = bisect_left(ranked, total - LIKENESS, key=lambda pair: pair[0])
        near = [other for other_total, other in ranked[low : low + _MANY] if other_total <= total + LIKENESS]
        if len(near) == _MANY or any(map(colour.is_like, near)):  # where too many are near, they are not compared
            found.add(colour)
    return found
