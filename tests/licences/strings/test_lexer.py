"""Cutting: what is a name, and what stands between names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.licences.strings.lexer import Span, cut


def pieces(text: str) -> list[str]:
    return [text[one.start : one.end] if isinstance(one, Span) else f"<{one}>" for one in cut(text).pieces]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MIT/Apache-2.0", ["MIT", "<OR>", "Apache-2.0"]),
        ("MIT And (ISC or Zlib)", ["MIT", "<AND>", "<(>", "ISC", "<OR>", "Zlib", "<)>"]),
        ("Apache License, Version 2.0, MIT", ["Apache License, Version 2.0", "<,>", "MIT"]),
        ("A, B, and C", ["A", "<,>", "B", "<AND>", "C"]),
        ("A and/or B || C && D", ["A", "<OR>", "B", "<OR>", "C", "<AND>", "D"]),
        ("GPL v2 (GPLv2) w/ X", ["GPL v2 (GPLv2)", "<WITH>", "X"]),
        ("A OR (B", ["A", "<OR>", "<(>", "B"]),
        ("see https://a.b/c/d or E", ["see https://a.b/c/d", "<OR>", "E"]),
    ],
)
def test_names_and_signs(text: str, expected: list[str]) -> None:
    """Signs in their order; commas of versions and parentheses after names stay inside of names."""
    assert pieces(text) == expected


@given(st.text(alphabet="aA1 ()/|&;,+\n", max_size=60))
def test_names_lie_in_the_text_in_order(text: str) -> None:
    """Spans do not overlap and hold something, whatever the text is."""
    end = 0
    for one in cut(text).pieces:
        if isinstance(one, Span):
            assert end <= one.start < one.end <= len(text)
            end = one.end
