"""Licence policies: which expressions a project allows and which it denies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from stook.licences.expression import BadExpression, Junction, Node, Term
from stook.licences.rules import default_rules
from stook.licences.syntax import parse_expression

__all__ = ["Decision", "Policy", "PolicyVerdict"]

_VERSIONED = re.compile(r"(?P<family>.+?)-(?P<version>\d+(?:\.\d+)*)(?P<later>-only|-or-later|\+)?", re.IGNORECASE)


class Decision(StrEnum):
    """What a policy says of an expression."""

    ALLOWED = "allowed"
    DENIED = "denied"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """The decision, and the reason in words."""

    decision: Decision
    why: str


@dataclass(frozen=True, slots=True)
class Policy:
    """Licences that are allowed and denied, and for single packages, by name, what they may have beyond that.

    Each is an id, an id with "+", a reference, or one of them WITH an exception; case does not matter, and deprecated
    ids mean their successors. "GPL-2.0-or-later" and "MPL-1.1+" cover later versions.
    Raises ValueError for anything else.
    """

    allow: frozenset[str]
    deny: frozenset[str]
    exceptions: Mapping[str, frozenset[str]]
    _allowed: tuple[Term, ...] = field(repr=False, compare=False)
    _denied: tuple[Term, ...] = field(repr=False, compare=False)
    _excepted: Mapping[str, tuple[Term, ...]] = field(repr=False, compare=False)

    def __init__(
        self,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        exceptions: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        put = object.__setattr__  # the way of frozen dataclasses
        put(self, "allow", frozenset(allow))
        put(self, "deny", frozenset(deny))
        put(self, "exceptions", {name: frozenset(licences) for name, licences in (exceptions or {}).items()})
        put(self, "_allowed", tuple(map(_entry, sorted(self.allow))))
        put(self, "_denied", tuple(map(_entry, sorted(self.deny))))
        put(self, "_excepted", {name: tuple(map(_entry, sorted(terms))) for name, terms in self.exceptions.items()})

    def verdict(self, expression: str | None, package: str | None = None) -> PolicyVerdict:
        """Whether a package with this expression may be used; the text is an SPDX expression, or None if unknown.

        OR takes the best of its branches, AND the worst. A denied licence is denied even where it is allowed as well,
        except by an exception for the package. A licence WITH an exception is looked for as it stands, then without.
        """
        if expression is None:
            return PolicyVerdict(Decision.UNKNOWN, "there is no expression")
        try:
            tree = parse_expression(expression)
        except BadExpression as error:
            return PolicyVerdict(Decision.UNKNOWN, f"{expression[:100]!r} is no SPDX expression: {error}")
        return self._of_node(tree, self._excepted.get(package, ()) if package is not None else ())

    def _of_node(self, node: Node, excepted: tuple[Term, ...]) -> PolicyVerdict:
        """Recursion is bounded by the depth that a tree may have."""
        if isinstance(node, Term):
            replaced = _current(node)
            return (
                self._of_term(replaced, excepted) if isinstance(replaced, Term) else self._of_node(replaced, excepted)
            )
        verdicts = [self._of_node(operand, excepted) for operand in node.operands]
        order = (Decision.ALLOWED, Decision.UNKNOWN, Decision.DENIED)
        decision = (min if node.operator == "OR" else max)((one.decision for one in verdicts), key=order.index)
        return PolicyVerdict(decision, "; ".join(dict.fromkeys(_reasons(node, decision, verdicts))))

    def _of_term(self, term: Term, excepted: tuple[Term, ...]) -> PolicyVerdict:
        bare = Term(term.licence)
        for one in (term, bare) if term.exception is not None else (term,):
            by = f"{term}" if one is term else f"{bare}, without the exception,"
            if any(_covers(entry, one) for entry in excepted):
                return PolicyVerdict(Decision.ALLOWED, f"{by} is allowed for this package")
            if any(_covers(entry, one) for entry in self._denied):
                return PolicyVerdict(Decision.DENIED, f"{by} is denied")
            if any(_covers(entry, one) or _covers(one, entry) for entry in self._allowed):
                return PolicyVerdict(Decision.ALLOWED, f"{by} is allowed")
        return PolicyVerdict(Decision.UNKNOWN, f"{term} is neither allowed nor denied")


def _reasons(node: Junction, decision: Decision, verdicts: list[PolicyVerdict]) -> Iterator[str]:
    """The branch that allows OR, those that keep AND from it, or all."""
    deciding = [one.why for one in verdicts if one.decision is decision]
    yield from deciding[:1] if (node.operator, decision) == ("OR", Decision.ALLOWED) else deciding


def _entry(text: str) -> Term:
    try:
        node = parse_expression(text)
    except BadExpression as error:
        raise ValueError(f"{text[:100]!r} is no licence that a policy can name: {error}") from error
    node = _current(node) if isinstance(node, Term) else node
    if not isinstance(node, Term):
        raise ValueError(f"{text[:100]!r} joins several licences; a policy names each of them")
    return node


@lru_cache(maxsize=4096)
def _current(term: Term) -> Node:
    """With the successors of deprecated ids."""
    successors = _successors()
    successor = successors.get(term.licence.lower())
    if successor is None and term.licence.endswith("+"):
        base = successors.get(term.licence[:-1].lower(), "")
        successor = f"{base.removesuffix('-only')}-or-later" if base.endswith("-only") else None
    if successor is None:
        return term
    node = parse_expression(successor)
    if term.exception is not None and isinstance(node, Term) and node.exception is None:
        return Term(node.licence, term.exception)
    return node


@lru_cache(maxsize=1)
def _successors() -> dict[str, str]:
    return {short.lower(): successor for short, successor in default_rules().successors.items()}


def _covers(whole: Term, part: Term) -> bool:
    """Whether one term includes another: the same, or "or later" of its family and an earlier version.

    So an allowed "or later" includes later versions, and an "or later" may be taken as a version that is allowed.
    """
    if str(whole).lower() == str(part).lower():
        return True
    mine, other = _versioned(whole), _versioned(part)
    if mine is None or other is None or (whole.exception or "").lower() != (part.exception or "").lower():
        return False
    family, version, has_later = mine
    return has_later and family == other[0] and version <= other[1]


@lru_cache(maxsize=4096)
def _versioned(term: Term) -> tuple[str, tuple[int, ...], bool] | None:
    """Family, version, and whether later versions are included."""
    match = _VERSIONED.fullmatch(term.licence)
    if match is None or len(match["version"]) > 50:
        return None
    numbers = [int(number) for number in match["version"].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return match["family"].lower(), tuple(numbers), (match["later"] or "").lower() in {"-or-later", "+"}
