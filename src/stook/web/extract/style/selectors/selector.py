"""Selectors of CSS: type, id, class, attribute, :not(), :is(), places among siblings, and the combinators."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stook.web.extract.style.declaration import unescape

__all__ = ["Compound", "Selector", "parse_selector", "split_list"]

_NAME = r"(?:[-\w]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)+"
_VALUE = rf"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>{_NAME}))"
_TOKEN = re.compile(
    rf"(?P<combinator>\s*[>+~]\s*|\s+)|(?P<kind>[#.]?)(?P<name>{_NAME})|(?P<any>\*)"
    rf"|\[\s*(?P<attribute>{_NAME})\s*(?:(?P<operator>[~|^$*]?=)\s*{_VALUE}\s*[iIsS]?\s*)?\]"
    r"|(?P<pseudo>::?[-\w]+)(?:\((?P<argument>(?:[^()]|\([^()]*\))*)\))?"
)
_MARK = re.compile(r"[(),]")
_MAX_LENGTH = 400  # characters; a longer selector is not read
_MATCHED = frozenset(
    ":link :any-link :enabled :root :empty :first-child :last-child :only-child :first-of-type :last-of-type "
    ":only-of-type :nth-child :nth-last-child :nth-of-type :nth-last-of-type".split()
)
_GROUPS = frozenset((":is", ":where", ":matches", ":-webkit-any", ":-moz-any"))


@dataclass(slots=True)
class Compound:
    """What one element must be."""

    combinator: str = ""  # to the compound on the left: " ", ">", "+", "~"
    tag: str = ""
    id: str = ""
    classes: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)  # name, operator, value
    pseudos: list[tuple[str, str]] = field(default_factory=list)  # name, argument
    excluded: list[Compound] = field(default_factory=list)
    groups: list[list[Compound]] = field(default_factory=list)  # one of each must match

    def names(self) -> list[str]:
        """Return what an element needs to match, as "#id", ".class" and tag, the rarest first."""
        names = [f"#{self.id}"] if self.id else []
        names += [f".{name}" for name in self.classes]
        return [*names, self.tag] if self.tag else names

    @property
    def is_name(self) -> bool:
        return self.is_plain and len(self.names()) == 1

    @property
    def is_plain(self) -> bool:
        """Tell whether names are all that it asks for."""
        return not (self.attributes or self.pseudos or self.excluded or self.groups)


@dataclass(slots=True, frozen=True)
class Selector:
    """Compounds from right to left, and the specificity: ids, classes, types."""

    compounds: tuple[Compound, ...]
    specificity: tuple[int, int, int]

    @property
    def is_name(self) -> bool:
        """Tell whether it asks for one name and nothing else."""
        return len(self.compounds) == 1 and self.compounds[0].is_name

    @property
    def is_name_in_name(self) -> bool:
        """Tell whether it asks for one name, anywhere inside of an element with another one."""
        return (
            len(self.compounds) == 2
            and self.compounds[0].combinator == " "
            and all(compound.is_name for compound in self.compounds)
        )


def split_list(source: str) -> list[str]:
    """Cut a list of selectors at its commas, not at those inside of parentheses."""
    if "(" not in source:
        return source.split(",")
    parts, depth, start = [], 0, 0
    for found in _MARK.finditer(source):
        if found[0] == "," and not depth:
            parts.append(source[start : found.start()])
            start = found.end()
        elif found[0] != ",":
            depth = max(0, depth + (1 if found[0] == "(" else -1))
    return [*parts, source[start:]]


def parse_selector(source: str) -> Selector | None:
    """Read one selector; None if it has a pseudo-element, a state such as :hover, or is beyond our kinds."""
    source = source.strip()
    if not source or len(source) > _MAX_LENGTH:
        return None
    compounds = [Compound()]
    place = 0
    while place < len(source):
        token = _TOKEN.match(source, place)
        if token is None or token.end() == place or not _take(token, compounds):
            return None
        place = token.end()
    return Selector(tuple(reversed(compounds)), _specificity(compounds))


def _take(token: re.Match[str], compounds: list[Compound]) -> bool:
    """Add a token to the last compound; False if the selector matches nothing that we know."""
    last = compounds[-1]
    if token.lastgroup == "name":
        _take_name(last, token["kind"], unescape(token["name"]))
    elif token.lastgroup == "combinator":
        compounds.append(Compound(combinator=token["combinator"].strip() or " "))
    elif token["attribute"]:
        value = token["double"] or token["single"] or token["bare"] or ""
        last.attributes.append((token["attribute"].lower(), token["operator"] or "", unescape(value)))
    elif token["pseudo"]:
        return _take_pseudo(last, token["pseudo"].lower(), token["argument"] or "")
    return True


def _take_name(compound: Compound, kind: str, name: str) -> None:
    if kind == "#":
        compound.id = name
    elif kind == ".":
        compound.classes.append(name)
    else:
        compound.tag = name.lower()


def _take_pseudo(compound: Compound, pseudo: str, argument: str) -> bool:
    if pseudo == ":not":
        # What :not() excludes and we cannot read is a state, such as :hover, that does not hold.
        compound.excluded += _group(argument)
        return True
    if pseudo in _GROUPS:
        compound.groups.append(_group(argument))
        return True
    compound.pseudos.append((pseudo, argument.strip().lower()))
    return pseudo in _MATCHED


def _group(argument: str) -> list[Compound]:
    parsed = [parse_selector(part) for part in split_list(argument)]
    return [inner.compounds[0] for inner in parsed if inner is not None and len(inner.compounds) == 1]


def _specificity(compounds: list[Compound]) -> tuple[int, int, int]:
    inner = [*compounds]
    for compound in compounds:
        inner += compound.excluded
        for group in compound.groups:
            inner += group
    return (
        sum(bool(part.id) for part in inner),
        sum(len(part.classes) + len(part.attributes) + len(part.pseudos) for part in inner),
        sum(bool(part.tag) for part in inner),
    )
