"""Plain text has the words of the Markdown and no marks."""

from __future__ import annotations

import pytest

from stook.web.extract.markdown import plain_text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# Head\n", "Head\n"),
        ("a **b** *c* ~~d~~ [e](https://x.example/f)\n", "a b c d e\n"),
        ("\\*x\\* foo\\_ \\[y\\](z)\n", "*x* foo_ [y](z)\n"),
        ("`a*b` ``c`d`` `` ` `` `x``y`\n", "a*b c`d ` x``y\n"),
        ("- a\n  - b\n12. c\n> > d\n", "a\nb\nc\nd\n"),
        ("| A | b\\|c |\n| --- | --- |\n| 1 |  |\n", "A b|c\n\n1 \n"),
        ("````x\n*raw* ```\n````\nafter *it*\n", "*raw* ```\nafter it\n"),
        ("> ````x\n> 1. ```\n> [a](b)\n> ````\n*c*\n", "1. ```\n[a](b)\nc\n"),
        ("* * *\nline\\\nbreak\n", "\nline\nbreak\n"),
    ],
)
def test_marks_are_removed(markdown: str, text: str) -> None:
    """Escapes, emphasis, code, links, lists, quotes, tables and fences."""
    assert plain_text(markdown) == text
