"""What is only quoted, and on which line something stands."""

from __future__ import annotations

import pytest

from stook.web.scan.context import LineCounter, find_fences, is_fenced, is_quoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said "do HERE now" to us.', True),
        ("He said “do HERE now” to us.", True),
        ("Er sagte „tu HERE jetzt“ zu uns.", True),
        ("Il dit « fais HERE donc » à tous.", True),
        ("Call `x HERE y` first.", True),
        ('He said "do it". Then HERE happened.', False),
        ('He said "do it\n\nnow HERE and then" again.', False),
        ('An open quote " and HERE without an end', False),
        ("| a | HERE | b |", True),
        ("> HERE stands", True),
        ("```\nHERE\n```", True),
        ("```\nx\n```\nHERE", False),
        ("HERE", False),
    ],
)
def test_quoted(text: str, expected: bool) -> None:
    """Quotation marks, code, table rows and quoted paragraphs count, within a paragraph."""
    start = text.index("HERE")
    assert is_quoted(text, start, start + 4, find_fences(text)) is expected


def test_fenced() -> None:
    """Fences open and close in turn."""
    text = "a ```b``` c ```d"
    fences = find_fences(text)
    assert [is_fenced(text.index(letter), fences) for letter in "abcd"] == [False, True, False, True]


def test_lines() -> None:
    """Lines count from 1 and go on from the position before."""
    counter = LineCounter("a\nb\n\nc")
    assert [counter.at(position) for position in (0, 1, 2, 5, 5)] == [1, 1, 2, 4, 4]
