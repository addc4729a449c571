"""The rules, by the examples that stand beside them."""

from __future__ import annotations

from collections import Counter

import pytest

from stook.web.scan import Segment, SegmentKind, scan
from stook.web.scan.rules import Rule, load_rulebook

BOOK = load_rulebook()


def found(text: str) -> set[str]:
    """The rules that fire on a text, whatever their severity."""
    return {finding.rule_id for finding in scan([Segment(SegmentKind.VISIBLE, text)]).findings}


@pytest.mark.parametrize("rule", BOOK.rules, ids=lambda rule: rule.id)
def test_examples(rule: Rule) -> None:
    """A rule fires on each text that it says it catches, and on none that it says it lets pass."""
    assert rule.catches
    assert rule.passes
    assert [text for text in rule.catches if rule.id not in found(text)] == []
    assert [text for text in rule.passes if rule.id in found(text)] == []


def test_ids() -> None:
    """No two rules share an id."""
    assert [rule_id for rule_id, count in Counter(rule.id for rule in BOOK.rules).items() if count > 1] == []


def test_needles() -> None:
    """A rule with patterns has needles in lower case, and each of its patterns can begin with one of them."""
    for rule in BOOK.rules:
        assert bool(rule.patterns) == bool(rule.needles)
        assert all(needle == needle.lower() for needle in rule.needles)


def test_every_class_is_used() -> None:
    """The lexicon holds no class that no rule asks for."""
    steps = {bit for rule in BOOK.rules for shape in rule.shapes for bits in shape.bits for bit in bits}
    spoilers = [shape.without for rule in BOOK.rules for shape in rule.shapes]
    unused = [
        name
        for name, bit in BOOK.lexicon.bits.items()
        if bit not in steps and not any(bit & without for without in spoilers) and name != "about"
    ]
    assert unused == []


def test_pattern_positions() -> None:
    """A needle after letters beyond ASCII is found where it stands."""
    matches = list(BOOK.find_patterns("äöü ## İ 忽略 [SYSTEM] x"))
    assert [match.group().lower() for _, match in matches] == ["[system]"]
