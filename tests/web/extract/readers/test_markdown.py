"""Markdown pages obey the same rules as HTML."""

from __future__ import annotations

import pytest

from stook.web.extract import Extract, TooLarge, extract
from stook.web.segment import SegmentKind


def read(text: str) -> Extract:
    return extract(text.encode(), "text/markdown", "https://pages.example/a/b")


def test_markdown_is_written_anew() -> None:
    """Raw HTML, images and relative links go; structure stays."""
    page = read(
        "# T\n\n![alt text](x.png) [l](../c) <b onclick=x>bold</b> <script>x()</script>\n\n```py\n<i>\n```\n\n"
        "| A | B |\n|---|---|\n| 1 | 2 |\n\n<p hidden>secret</p>\n"
    )
    assert page.title == "T"
    assert page.markdown == (
        "# T\n\nalt text [l](https://pages.example/c) **bold**\n\n```py\n<i>\n```\n\n"
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n"
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (SegmentKind.COMMENT, "<!-- SAID here -->"),
        (SegmentKind.METADATA, "---\ntitle: SAID here\n---\n# x"),
        (SegmentKind.METADATA, "[//]: # (SAID here)\n"),
        (SegmentKind.METADATA, "```py SAID here\nx\n```"),
        (SegmentKind.ATTRIBUTE, '[x](y "SAID here")'),
        (SegmentKind.HIDDEN, "<p hidden>SAID here</p>"),
    ],
)
def test_what_is_not_shown_is_scanned(kind: SegmentKind, text: str) -> None:
    """Comments, front matter, references, titles and info strings reach the scanner and not the reader."""
    page = read(text)
    assert "SAID" not in page.markdown
    assert any(segment.kind is kind and "SAID here" in segment.text for segment in page.segments)


def test_long_documents_are_refused() -> None:
    """Beyond the limit of the renderer there is an error, no cut."""
    with pytest.raises(TooLarge, match="Markdown"):
        read("a" * 300_000)
