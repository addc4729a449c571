"""Answers: the ids of trees, each once and in order."""

from __future__ import annotations

from stook.licences.strings.answer import ids_of
from stook.licences.syntax import parse_expression


def test_ids_of_trees() -> None:
    """Licences without "+", exceptions apart, from left to right."""
    tree = parse_expression("MPL-1.1+ OR (MIT AND ISC WITH E) OR MIT WITH D")
    assert ids_of([tree, tree]) == (("MPL-1.1", "MIT", "ISC"), ("E", "D"))
    assert ids_of([]) == ((), ())
