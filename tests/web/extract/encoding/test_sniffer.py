"""The encoding of a page is chosen as browsers choose it."""

from __future__ import annotations

import pytest

from stook.web.extract.encoding import decode

UMLAUT = "Grüße"


@pytest.mark.parametrize(
    ("body", "content_type", "text", "encoding"),
    [
        ("\ufeff" + UMLAUT, "text/html; charset=latin1", UMLAUT, "utf-8"),
        (UMLAUT.encode("utf-16"), "text/html; charset=utf-8", UMLAUT, "utf-16-le"),
        (b"\xfe\xff" + UMLAUT.encode("utf-16-be"), "text/html", UMLAUT, "utf-16-be"),
        (UMLAUT.encode("cp1252"), 'text/html; charset="ISO-8859-1"', UMLAUT, "cp1252"),
        ("“x”".encode("cp1252"), "text/html; charset=us-ascii", "“x”", "cp1252"),
        ("日本".encode("cp932"), "text/html; charset=Shift_JIS", "日本", "cp932"),
        ("中国".encode("gb18030"), "text/html;charset=gb2312", "中国", "gb18030"),
        (UMLAUT.encode("cp1252"), "text/html; charset=x-unknown", UMLAUT, "cp1252"),
        (b"\xff broken", "text/html; charset=utf-8", "\ufffd broken", "utf-8"),
    ],
)
def test_mark_goes_before_header(body: bytes | str, content_type: str, text: str, encoding: str) -> None:
    """A byte order mark decides first, then the header; bytes that do not fit become U+FFFD."""
    raw = body.encode() if isinstance(body, str) else body
    assert decode(raw, content_type, is_markup=True) == (text, encoding)


@pytest.mark.parametrize(
    "declaration",
    [
        "<meta charset=windows-1251>",
        "<META CHARSET='windows-1251'>",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        '<meta content="text/html; charset=windows-1251" http-equiv=content-type>',
        "<!-- <meta charset=utf-8> --><meta charset=windows-1251>",
        '<p title="<meta charset=utf-8>"><meta charset=windows-1251>',
        "<meta name=x content='charset=utf-8'><meta charset=cp1251>",
        '<?xml version="1.0" encoding="windows-1251"?>',
        "<title>" + "x" * 3000 + "</title><meta charset=windows-1251>",
    ],
)
def test_page_declares_its_encoding(declaration: str) -> None:
    """A declaration in the page counts where the header is silent, and only if a browser would see it."""
    body = f"{declaration}<p>Привет".encode("cp1251")
    assert decode(body, "text/html", is_markup=True).encoding == "cp1251"
    assert decode(body, "text/html; charset=koi8-r", is_markup=True).encoding == "koi8-r"


def test_declared_utf16_is_utf8() -> None:
    """A declaration that can be read as ASCII cannot mean UTF-16."""
    assert decode(b"<meta charset=utf-16>x", "text/html", is_markup=True).encoding == "utf-8"


def test_text_declares_nothing() -> None:
    """Plain text that looks like a declaration is text."""
    assert decode("<meta charset=koi8-r>Grüße".encode(), "text/plain", is_markup=False).encoding == "utf-8"
