"""Feeds become a page of headings, dates and texts."""

from __future__ import annotations

import pytest

from stook.engine.errors import Malformed
from stook.web.extract import Extract, Limits, TooLarge, UnsupportedType, extract
from stook.web.segment import SegmentKind

RSS = """<?xml version="1.0"?><!-- note --><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>News &amp; more</title><link>https://pages.example/</link>
<description>About &lt;b&gt;it&lt;/b&gt;</description>
<item><title>First <![CDATA[<i>]]></title><link>https://pages.example/1</link><pubDate>Tue, 1 Dec 2026</pubDate>
<content:encoded>
<![CDATA[<p>Text <img src=x alt="pic"> <a href="/r">r</a></p><p hidden>secret</p>]]></content:encoded></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title>
<link rel="self" href="/self"/><link href="/home"/>
<entry><title type="text">One</title><link href="/one"/><updated>2026-12-01</updated><content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>Hello <b>you</b> &lt;b></p></div></content></entry>
<entry><title>Two</title><summary type="text">a &lt;b&gt; c</summary></entry></feed>"""


def read(text: str, limits: Limits | None = None) -> Extract:
    return extract(text.encode(), "application/rss+xml", "https://pages.example/feed", limits)


def test_rss() -> None:
    """Escaped and quoted HTML obeys the rules for HTML."""
    page = read(RSS)
    assert page.title == "News & more"
    assert page.markdown == (
        "# [News & more](https://pages.example/)\n\nAbout **it**\n\n## [First \\<i>](https://pages.example/1)\n\n"
        "Tue, 1 Dec 2026\n\nText pic [r](https://pages.example/r)\n"
    )
    assert [page.markdown[heading.offset :][:2] for heading in page.outline] == ["# ", "##"]
    assert [link.url for link in page.links][:2] == ["https://pages.example/", "https://pages.example/1"]


def test_atom() -> None:
    """Text, XHTML and relative links."""
    markdown = read(ATOM).markdown
    assert "# [Atom](https://pages.example/home)" in markdown
    assert "## [One](https://pages.example/one)\n\n2026-12-01\n\nHello **you** \\<b>" in markdown
    assert "## Two\n\na \\<b> c" in markdown


@pytest.mark.parametrize("said", ["secret", "note", "http://purl.org/rss/1.0/modules/content/", "pic"])
def test_all_texts_are_scanned(said: str) -> None:
    """Also those that a reader does not see."""
    assert any(said in segment.text for segment in read(RSS).segments if segment.kind is not SegmentKind.DISPLAY)


def test_xhtml_and_other_xml() -> None:
    """XHTML is a page; any other XML is refused."""
    assert extract(b"<html><p>x</p></html>", "text/xml", "https://pages.example/").markdown == "x\n"
    with pytest.raises(UnsupportedType, match="neither a feed"):
        read("<svg/>")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<rss><channel>", Malformed),
        ("", Malformed),
        ('<!DOCTYPE r [<!ENTITY a "b">]><rss>&a;</rss>', Malformed),
        ("<rss>" + "<a>" * 600, TooLarge),
    ],
)
def test_broken_and_hostile_feeds(text: str, error: type[Exception]) -> None:
    """Each has a reason; entities of the document's own are never expanded."""
    with pytest.raises(error):
        read(text)
    with pytest.raises(TooLarge):
        read(RSS, Limits(nodes=10))
