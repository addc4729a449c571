"""Addresses are absolute and safe for display, and readable for the scanner."""

from __future__ import annotations

import pytest
from ada_url import join_url
from hypothesis import given
from hypothesis import strategies as st

from stook.web.extract.links import LinkResolver, data_text, readable

BASE = "https://pages.example/a/b?c=d"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/x", "https://pages.example/x"),
        ("x", "https://pages.example/a/x"),
        ("../x/./y/../z", "https://pages.example/x/z"),
        ("?q", "https://pages.example/a/b?q"),
        ("#f", "https://pages.example/a/b?c=d#f"),
        (" //Other.EXAMPLE/x y", "https://other.example/x%20y"),
        ("http://e.example", "http://e.example/"),
        ("/a(b)[c]<d>'e'", "https://pages.example/a%28b%29%5Bc%5D%3Cd%3E%27e%27"),
        ("/a|b`c\\d", "https://pages.example/a%7Cb%60c/d"),
        ("https://grüße.example/", "https://xn--gre-6ka8l.example/"),
        ("javascript:x", None),
        ("data:text/html,x", None),
        ("mailto:a@b.example", None),
        ("https://user:secret@e.example/", None),
        ("https://user@e.example/", None),
        ("https://[broken/", None),
        ("/" + "x" * 3000, None),
    ],
)
def test_resolution(href: str, url: str | None) -> None:
    """Only http(s) without user info, nothing that could end a link in Markdown, and no endless address."""
    assert LinkResolver(BASE).resolve(href) == url


def test_base_counts_within_the_own_origin() -> None:
    """A page cannot make its relative links point to another site."""
    assert LinkResolver(BASE, "/other/").resolve("x") == "https://pages.example/other/x"
    assert LinkResolver(BASE, "https://evil.example/").resolve("x") == "https://pages.example/a/x"


@given(st.text(st.sampled_from("abcXYZ019/.?&=-_~:;,@%+#"), max_size=40))
def test_short_cut_agrees_with_the_parser(path: str) -> None:
    """Addresses that are taken as they are, are those that the parser would not change."""
    for href in ("/" + path, "https://pages.example/" + path):
        resolved = LinkResolver(BASE).resolve(href)
        assert resolved is None or resolved == join_url(BASE, href)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("/a%20b?c=d+e%21#f%20g", "/a b?c=d e!#f g"),
        ("/a+b", "/a+b"),
        ("data:text/plain,a%20b", "a b"),
        ("data:,plain", "plain"),
        ("data:text/html;charset=utf-8;base64,PGI+eDwvYj4=", "<b>x</b>"),
        ("data:image/svg+xml,<svg>t</svg>", "<svg>t</svg>"),
        ("data:image/png;base64,AAAA", ""),
        ("DATA:text/plain;base64,!!!", ""),
    ],
)
def test_readable(url: str, text: str) -> None:
    """Escapes are decoded; of a data address only text is kept."""
    assert readable(url) == text


@given(st.text(max_size=60))
def test_data_addresses_never_fail(payload: str) -> None:
    """Whatever stands in one."""
    data_text("data:text/plain;base64," + payload)
    data_text("data:" + payload)
