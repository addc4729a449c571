"""The cascade: which declarations win for which elements."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from stook.web.extract.errors import TooLarge
from stook.web.extract.html import Document
from stook.web.extract.style.declaration import Declaration, parse_declarations
from stook.web.extract.style.selectors import Ancestry, Matcher, Selector, parse_selector, split_list
from stook.web.extract.style.sheet import Rule, parse_rules
from stook.web.extract.style.threat import Threats, related_names

__all__ = ["winning_styles"]

_MAX_RULES = 25_000
_NAME = re.compile(r"[#.]?[-\w]+")
_STATE = re.compile(r"::?[-\w]+")
_UNPLAIN = re.compile(r"[\\(\[]")  # a selector with one of these does not show its names before it is parsed
# Importance, origin (1 is the style attribute), specificity, order.
_Weight = tuple[bool, int, tuple[int, int, int], int]
_Places = dict[str, list[int]]


class _Candidate(NamedTuple):
    """One selector of a rule, with the declarations of the rule."""

    selector: Selector
    order: int
    declarations: list[Declaration]


class _Match(NamedTuple):
    """The places that a rule holds for, and its weight without importance."""

    places: list[int]
    declarations: list[Declaration]
    weight: tuple[int, tuple[int, int, int], int]


def winning_styles(sheets: Iterable[str], document: Document) -> dict[int, dict[str, str]]:
    """Return, by place, the winning value of properties that could hide text, for all elements that matter.

    First the rules with a hiding value are matched; only where one holds do all rules with that property compete.
    Raises `TooLarge`.
    """
    rules = [rule for sheet in sheets for rule in parse_rules(sheet)]
    if len(rules) > _MAX_RULES:
        raise TooLarge(f"The page has more than {_MAX_RULES} style rules.")
    elements = document.elements
    own = {
        place: parse_declarations(style)
        for place, element in enumerate(elements)
        if element.attributes and (style := element.attributes.get("style"))
    }
    styles: dict[int, dict[str, tuple[_Weight, str]]] = defaultdict(dict)
    for rule in _competitors(rules, own, document) if rules else ():
        for place in rule.places:
            _compete(styles[place], rule.declarations, rule.weight)
    for place, declarations in own.items():
        _compete(styles[place], declarations, (1, (0, 0, 0), 0))
    return {place: {name: value for name, (_, value) in winners.items()} for place, winners in styles.items()}


def _competitors(rules: list[Rule], own: dict[int, list[Declaration]], document: Document) -> Iterator[_Match]:
    """Yield the rules that hold for some element and declare a property that hides some text of the page."""
    places = _places(document)
    styled = list(_styled(rules, places))
    threats = Threats([*(rule.declarations for rule in styled), *own.values()])
    suspects = [rule for rule in styled if any(map(threats.is_threat, rule.declarations))]
    matcher = _Matches(document, places)
    hits = list(matcher.matching(suspects))
    hiding = [declaration for hit in hits for declaration in hit.declarations]
    hiding += [declaration for declarations in own.values() for declaration in declarations]
    names = related_names({declaration.name for declaration in hiding if threats.is_threat(declaration)})
    yield from matcher.matching(
        rule._replace(declarations=kept)
        for rule in styled
        if (kept := [declaration for declaration in rule.declarations if declaration.name in names])
    )


class _Matches:
    """Finds the elements for selectors."""

    def __init__(self, document: Document, places: _Places) -> None:
        self._elements = document.elements
        self._places = places
        self._matcher = Matcher(document.elements)

    def matching(self, rules: Iterable[_Candidate]) -> Iterator[_Match]:
        rules = list(rules)
        ancestry = Ancestry((rule.selector for rule in rules), self._places, self._elements)
        for selector, order, declarations in rules:
            found = self._found(selector, ancestry)
            if found:
                yield _Match(found, declarations, (0, selector.specificity, order))

    def _found(self, selector: Selector, ancestry: Ancestry) -> list[int]:
        key = next(iter(selector.compounds[0].names()), "*")
        candidates = self._places.get(key, [])
        needs = ancestry.needs(selector)
        if needs:
            around, elements = ancestry.around, self._elements
            candidates = [place for place in candidates if not needs & ~around[elements[place].parent]]
        if selector.is_name or (needs and selector.is_name_in_name):
            return candidates
        return [place for place in candidates if self._matcher.matches(place, selector)]


def _places(document: Document) -> _Places:
    """Return the places of elements by "#id", ".class" and tag; "*" has all."""
    places: defaultdict[str, list[int]] = defaultdict(list, document.places)
    for place, element in enumerate(document.elements):
        attributes = element.attributes
        if attributes:
            if "class" in attributes:
                for name in (attributes["class"] or "").split():
                    places["." + name].append(place)
            if "id" in attributes:
                places[f"#{attributes['id']}"].append(place)
    places["*"] = list(range(1, len(document.elements)))
    return places


def _styled(rules: list[Rule], places: _Places) -> Iterator[_Candidate]:
    """Yield the selectors that could match: all names in them stand in the page."""
    known = frozenset(places)
    blocks: dict[str, list[Declaration]] = {}
    for order, (selectors, block) in enumerate(rules):
        for part in split_list(selectors.rpartition(";")[2]):
            if not _may_match(part, known):
                continue
            if block not in blocks:
                blocks[block] = parse_declarations(block)
            if not blocks[block]:
                break
            selector = parse_selector(part)
            if selector is not None and _is_known(selector, places):
                yield _Candidate(selector, order, blocks[block])


def _may_match(selector: str, known: frozenset[str]) -> bool:
    """Tell whether all names in a selector are known, as far as they show before it is parsed."""
    if ":" in selector:
        selector = _STATE.sub("", selector)
    names = _NAME.findall(selector)
    return known.issuperset(names) or _UNPLAIN.search(selector) is not None or known.issuperset(map(str.lower, names))


def _is_known(selector: Selector, names: Collection[str]) -> bool:
    return all(name in names for compound in selector.compounds for name in compound.names())


def _compete(
    winners: dict[str, tuple[_Weight, str]],
    declarations: Iterable[Declaration],
    weight: tuple[int, tuple[int, int, int], int],
) -> None:
    for name, value, is_important in declarations:
        full = (is_important, *weight)
        if name not in winners or winners[name][0] <= full:
            winners[name] = (full, value)
