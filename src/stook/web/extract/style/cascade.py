"""The cascade: which declarations win for an element."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, islice
from typing import NamedTuple

from stook.web.extract.errors import TooLarge
from stook.web.extract.html import Element
from stook.web.extract.style.declaration import Declaration, parse_declarations
from stook.web.extract.style.matching import Matcher
from stook.web.extract.style.selector import Compound, Selector, parse_selector, split_list
from stook.web.extract.style.sheet import parse_rules

__all__ = ["Cascade"]

_MAX_RULES = 50_000
_NO_STYLE: dict[str, str] = {}
# Importance, origin (1 is the style attribute), specificity, order.
_Weight = tuple[bool, int, tuple[int, int, int], int]
_NAME = re.compile(r"[#.]?[-\w]+")
_PLAIN = re.compile(r"[-\w#.\s>+~*]+$")  # a selector whose names can be read off


class _Styled(NamedTuple):
    """One selector of a rule."""

    selector: Selector
    needs: frozenset[str]  # names that ancestors must have
    order: int
    declarations: list[Declaration]
    is_plain: bool  # nothing but names of the element itself


class Cascade:
    """The rules of all style sheets of a page, found by the id, class or tag that their last compound needs."""

    def __init__(self, sheets: Iterable[str], elements: list[Element]) -> None:
        self._elements = elements
        self._matcher = Matcher(elements)
        self._keys: list[tuple[str, ...]] = []
        self._rules: defaultdict[str, list[_Styled]] = defaultdict(list)
        self._fitting: dict[tuple[str, ...], list[_Styled]] = {}
        self._around: dict[int, frozenset[str]] = {-1: frozenset()}
        self._styles: dict[tuple[str, ...], dict[str, str]] = {}
        rules = [rule for sheet in sheets for rule in islice(parse_rules(sheet), _MAX_RULES + 1)]
        if len(rules) > _MAX_RULES:
            raise TooLarge(f"The page has more than {_MAX_RULES} style rules.")
        if rules:
            self._keys = [_keys(element) for element in elements]
            names = frozenset(chain.from_iterable(self._keys))
            for order, rule in enumerate(rules):
                self._index(rule.selectors, rule.block, order, names)

    def _index(self, selectors: str, block: str, order: int, names: frozenset[str]) -> None:
        declarations: list[Declaration] | None = None
        for part in split_list(selectors):
            if _PLAIN.match(part) and not names.issuperset(_NAME.findall(part)):
                continue
            selector = parse_selector(part)
            if selector is None:
                continue
            needs = frozenset(name for compound in selector.compounds[1:] for name in _names(compound))
            if declarations is None:
                declarations = parse_declarations(block)
            if needs <= names and declarations:
                beside = "+" in part or "~" in part  # then the names may be a sibling's
                key = (*_names(selector.compounds[0]), "*")[0]
                needs = frozenset() if beside else needs
                self._rules[key].append(_Styled(selector, needs, order, declarations, _is_plain(selector)))

    def properties(self, place: int) -> dict[str, str]:
        """Return the winning value of each property that could hide text."""
        style = self._elements[place].attributes.get("style")
        if not self._rules and not style:
            return _NO_STYLE
        keys = self._keys[place] if self._rules else ()
        if keys in self._styles and not style:
            return self._styles[keys]
        rules = self._candidates(keys) if keys else []
        winners: dict[str, tuple[_Weight, str]] = {}
        for rule in rules:
            if rule.is_plain or self._matches(place, rule):
                _compete(winners, rule.declarations, (0, rule.selector.specificity, rule.order))
        if style:
            _compete(winners, parse_declarations(style), (1, (0, 0, 0), 0))
        properties = {name: value for name, (_, value) in winners.items()}
        if not style and all(rule.is_plain for rule in rules):
            self._styles[keys] = properties
        return properties

    def _candidates(self, keys: tuple[str, ...]) -> list[_Styled]:
        """Return the rules whose last compound has no other names than these. Many elements share their names."""
        if keys not in self._fitting:
            found = [rule for key in keys for rule in self._rules.get(key, ())]
            self._fitting[keys] = [
                rule for rule in found if all(name in keys for name in _names(rule.selector.compounds[0]))
            ]
        return self._fitting[keys]

    def _matches(self, place: int, rule: _Styled) -> bool:
        if rule.needs and not rule.needs <= self._names_around(self._elements[place].parent):
            return False
        return self._matcher.matches(place, rule.selector)

    def _names_around(self, place: int) -> frozenset[str]:
        """Return the names of the element at this place and of all around it."""
        if place not in self._around:
            self._around[place] = self._names_around_parent(place).union(self._keys[place])
        return self._around[place]

    def _names_around_parent(self, place: int) -> frozenset[str]:
        path = []
        parent = self._elements[place].parent
        while parent not in self._around:
            path.append(parent)
            parent = self._elements[parent].parent
        for ancestor in reversed(path):
            self._around[ancestor] = self._around[self._elements[ancestor].parent].union(self._keys[ancestor])
        return self._around[self._elements[place].parent]


def _is_plain(selector: Selector) -> bool:
    last = selector.compounds[0]
    return len(selector.compounds) == 1 and not (last.attributes or last.pseudos or last.excluded or last.groups)


def _compete(
    winners: dict[str, tuple[_Weight, str]],
    declarations: Iterable[Declaration],
    weight: tuple[int, tuple[int, int, int], int],
) -> None:
    for name, value, is_important in declarations:
        full = (is_important, *weight)
        if name not in winners or winners[name][0] <= full:
            winners[name] = (full, value)


def _keys(element: Element) -> tuple[str, ...]:
    attributes = element.attributes
    if not attributes:
        return ("*", element.tag)
    names = attributes.get("class")
    classes = [f".{name}" for name in names.split()] if names else ()
    name = attributes.get("id")
    return ("*", element.tag, f"#{name}", *classes) if name else ("*", element.tag, *classes)


def _names(compound: Compound) -> list[str]:
    """Return what a compound needs, the rarest first."""
    names = [f"#{compound.id}"] if compound.id else []
    names += [f".{name}" for name in compound.classes]
    return [*names, compound.tag] if compound.tag else names
