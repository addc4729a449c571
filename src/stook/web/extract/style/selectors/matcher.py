"""Matching of selectors with elements, within a budget of steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from stook.web.extract.errors import TooLarge
from stook.web.extract.html import Element
from stook.web.extract.style.selectors.selector import Compound, Selector
from stook.web.extract.style.selectors.siblings import Siblings

__all__ = ["Matcher"]

_MAX_STEPS = 1_000_000  # comparisons of a compound with an element: a second or two
_NTH = re.compile(r"(?P<word>odd|even)|(?P<step>[+-]?\d{0,6})n\s*(?P<offset>[+-]\s*\d{1,6})?|(?P<place>[+-]?\d{1,6})")


class Matcher:
    """Compares elements of one document with selectors. Raises `TooLarge` when the style sheets ask for too much."""

    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements
        self._steps = 0

    def matches(self, place: int, selector: Selector) -> bool:
        """Tell whether the element at this place matches the whole selector."""
        return self._fits(place, selector.compounds[0]) and self._continues(place, selector.compounds, 1)

    def _continues(self, place: int, compounds: tuple[Compound, ...], rank: int) -> bool:
        """Match the compounds from `rank` on with ancestors or earlier siblings."""
        if rank == len(compounds):
            return True
        return any(
            self._fits(candidate, compounds[rank]) and self._continues(candidate, compounds, rank + 1)
            for candidate in self._candidates(place, compounds[rank - 1].combinator)
        )

    def _candidates(self, place: int, combinator: str) -> Iterator[int]:
        if combinator in ("+", "~"):
            return islice(self._siblings.before(place), 1 if combinator == "+" else None)
        return islice(self._ancestors(place), 1 if combinator == ">" else None)

    def _ancestors(self, place: int) -> Iterator[int]:
        while (place := self._elements[place].parent) > 0:
            yield place

    def _fits(self, place: int, compound: Compound) -> bool:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise TooLarge("The style sheets of the page are too complex.")
        element = self._elements[place]
        if compound.tag not in ("", element.tag) or compound.id not in ("", element.attributes.get("id")):
            return False
        if compound.classes:
            own = (element.attributes.get("class") or "").split()
            if not all(name in own for name in compound.classes):
                return False
        return compound.is_plain or self._fits_rest(place, element, compound)

    def _fits_rest(self, place: int, element: Element, compound: Compound) -> bool:
        return (
            all(_has(element, *wanted) for wanted in compound.attributes)
            and all(self._is_placed(place, *pseudo) for pseudo in compound.pseudos)
            and all(any(self._fits(place, option) for option in group) for group in compound.groups)
            and not any(self._fits(place, other) for other in compound.excluded)
        )

    def _is_placed(self, place: int, pseudo: str, argument: str) -> bool:
        element = self._elements[place]
        if pseudo in (":link", ":any-link"):
            return element.tag == "a" and "href" in element.attributes
        if pseudo in (":root", ":enabled"):
            return pseudo == ":enabled" or element.tag == "html"
        if pseudo == ":empty":
            return not element.children
        rank, count = (self._siblings.rank_of_tag if pseudo.endswith("type") else self._siblings.rank)(place)
        if "nth" in pseudo:
            return _is_nth(argument, count - rank + 1 if "last" in pseudo else rank)
        return (rank == 1 or (":first" not in pseudo and ":only" not in pseudo)) and (
            rank == count or ":first" in pseudo
        )

    @cached_property
    def _siblings(self) -> Siblings:
        return Siblings(self._elements)


def _is_nth(argument: str, rank: int) -> bool:
    """An+B (CSS Syntax 3, section 6)."""
    found = _NTH.match(argument)
    if found is None:
        return False
    if found["word"]:
        return rank % 2 == (found["word"] == "odd")
    if found["place"]:
        return rank == int(found["place"])
    step = int(found["step"] + "1") if found["step"] in ("", "+", "-") else int(found["step"])
    distance = rank - int((found["offset"] or "0").replace(" ", ""))
    return distance == 0 if step == 0 else distance % step == 0 and distance // step >= 0


def _has(element: Element, name: str, operator: str, wanted: str) -> bool:
    if name not in element.attributes:
        return False
    value = element.attributes[name] or ""
    match operator:
        case "":
            return True
        case "=":
            return value == wanted
        case "~=":
            return wanted in value.split()
        case "|=":
            return value == wanted or value.startswith(wanted + "-")
        case "^=":
            return bool(wanted) and value.startswith(wanted)
        case "$=":
            return bool(wanted) and value.endswith(wanted)
        case _:
            return bool(wanted) and wanted in value
