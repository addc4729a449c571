"""Invisible and control characters are not shown; joiners stay where a script needs them."""

from __future__ import annotations

import pytest

from stook.web.extract.letters import shown


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a\x00b\x1bc\x7fd\x9be", "abcde"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\rb\x0bc\u2028d\x85e", "a b c d e"),
        ("a\xadb\u200bc\u2060d\ufeffe", "abcde"),
        ("\u202eabc\u202c \u2066x\u2069 \u200ey\u061c", "abc x y"),
        ("a\U000e0069\U000e007fb", "ab"),
        ("a\ufe0fb\U000e0100c\ufe00", "abc"),
        ("\u3164x\u115fy\uffa0z", "xyz"),
        ("icon \ue900 x\U000f0001", "icon  x"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f"),
        ("a\u200db", "ab"),
        ("x\ud800y", "x\ufffdy"),
    ],
)
def test_shown(text: str, result: str) -> None:
    """What a terminal or a reader could be fooled with is gone."""
    assert shown(text) == result
