"""Trees of expressions: precedence, canonical form, and limits."""

from __future__ import annotations

import pytest

from stook.licences.expression import MAX_DEPTH, BadExpression, Term, terms_of, tree_of
from stook.licences.syntax import parse_expression


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("A OR B AND C", "A OR B AND C"),
        ("(A OR B) AND C", "(A OR B) AND C"),
        ("A OR (B AND C)", "A OR B AND C"),
        ("A AND (B AND (C AND A))", "A AND B AND C"),
        ("(A OR A) AND A", "A"),
        ("((A))", "A"),
        ("A AND (B OR C) AND (C OR B)", "A AND (B OR C) AND (C OR B)"),
    ],
)
def test_canonical_form(text: str, canonical: str) -> None:
    """Only needed parentheses, no repetition, the given order; AND binds tighter than OR."""
    tree = parse_expression(text)
    assert str(tree) == canonical
    assert parse_expression(canonical) == tree


def test_terms_from_left_to_right() -> None:
    """All terms in the order of the text."""
    assert [str(term) for term in terms_of(parse_expression("A OR (B WITH E AND C) OR D"))] == [
        "A",
        "B WITH E",
        "C",
        "D",
    ]


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_depth_is_limited(depth: int) -> None:
    """Deeper nesting is refused, not run into the stack."""
    with pytest.raises(BadExpression, match="deeper"):
        tree_of(["(" for _ in range(depth)] + [Term("A")] + [")" for _ in range(depth)])
    tree_of(["("] * MAX_DEPTH + [Term("A")] + [")"] * MAX_DEPTH)
