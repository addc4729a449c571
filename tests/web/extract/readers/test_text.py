"""Plain text is shown as it is and never becomes Markdown."""

from __future__ import annotations

from stook.web.extract import extract


def display(text: str) -> tuple[str, str]:
    page = extract(text.encode(), "text/plain; charset=utf-8", "https://pages.example/a.txt")
    return page.title, page.markdown


def test_paragraphs_and_columns() -> None:
    """Prose is escaped line by line; columns and drawings are kept as blocks."""
    title, markdown = display("Title\r\n=====\r\n\r\n\r\n* a <b> ![x](y)\nnext\n\n  indented\n    more\n")
    assert title == "Title"
    assert markdown == "Title\n\\=====\n\n\\* a \\<b> !\\[x\\](y)\nnext\n\n```\n  indented\n    more\n```\n"


def test_fences_and_controls() -> None:
    """A fence in a drawing cannot end the block; control and invisible characters are gone."""
    _, markdown = display("x\x1b[31m\u202ey\n\n   a   b\n   ```\n")
    assert markdown == "x\\[31my\n\n````\n   a   b\n   ```\n````\n"
