"""The front door: what holds for every page."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stook.engine.errors import Malformed
from stook.web.extract import Extract, Limits, TooLarge, UnsupportedType, extract
from stook.web.extract.letters import shown
from stook.web.extract.markdown import plain_text
from stook.web.segment import SegmentKind

URL = "https://pages.example/a/b"
TYPES = ("text/html", "text/plain", "text/markdown", "application/json", "application/rss+xml", "application/xhtml+xml")
# One fragment a word; an underscore stands for a space in it.
FRAGMENTS = """
<b> </b> <i> <p> <div> </div> <a_href=/x?y=z> <a_href=javascript:x> </a> <h1> </h1> <h2> <ul> <ol_start=9>
<li> </ul> </ol> <pre_class=language-x> </pre> <code> </code> <table> <tr> <td> <td_colspan=9> <th> </table>
<blockquote> <br> <hr> <img_alt=w_src=x> <span_hidden> </span> <p_style=display:none>
<style>p{color:#fff}</style> <script>x</script> <!--_c_--> <template_shadowrootmode=open> </template> <svg>
<math> <dl> <dt> <dd> <nav> <main> <article> <select> <option> <button> <plaintext> <title>t</title>
<noscript> &lt;b&gt; &amp;lt; ` `` ``` * ** ~~ ~~~ [ ] ( ) ![a](b) [a]: ! # - + 1. > | || \\ --- === < &
&#x202e; word Wort 日本 é
"""
MARKUP = st.lists(
    st.sampled_from(
        [*(word.replace("_", " ") for word in FRAGMENTS.split()), "_", " ", "\n", "\n\n", "\x00", "\u200b", "\u202e"]
    ),
    max_size=60,
).map("".join)
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
COMMONMARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def token_types(markdown: str) -> set[str]:
    tokens = COMMONMARK.parse(markdown)
    return {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}


def check(page: Extract) -> None:
    """The laws of every page."""
    assert not CONTROL.search(page.markdown + page.title + "".join(link.text for link in page.links))
    assert not token_types(page.markdown) & {"html_block", "html_inline", "image"}
    seen = "".join(
        "".join(shown(segment.text).split()) for segment in page.segments if segment.kind is not SegmentKind.DISPLAY
    )
    for word in re.findall(r"\w+", plain_text(page.markdown)):
        assert word in seen
    for url in re.findall(r"\]\(([^()\s]+)\)", page.markdown):
        assert url in seen or "`" in page.markdown
    for heading in page.outline:
        assert page.markdown[heading.offset] == "#"
    "".join((page.title, page.markdown, *(segment.text for segment in page.segments))).encode()  # no lone surrogates


@settings(max_examples=300, deadline=None)
@given(MARKUP)
def test_laws_hold_for_markup(markup: str) -> None:
    """Displayed words are in the security text; the Markdown has no HTML, no images, no controls."""
    check(extract(markup.encode(), "text/html; charset=utf-8", URL))


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from(TYPES),
    st.sampled_from(("", "; charset=utf-8", "; charset=gbk", "; charset=utf-16")),
)
def test_any_bytes_are_read_or_refused(body: bytes, media_type: str, charset: str) -> None:
    """No input crashes."""
    try:
        check(extract(body, media_type + charset, URL))
    except Malformed:
        assert media_type == "application/rss+xml"


@settings(max_examples=150, deadline=None)
@given(MARKUP, st.sampled_from(("text/plain", "text/markdown", "application/json")))
def test_laws_hold_for_text(text: str, media_type: str) -> None:
    """The other readers obey the same laws."""
    check(extract(text.encode(), media_type, URL))


def test_fields() -> None:
    """Title, language, encoding, canonical address, links."""
    page = extract(
        b"<html lang=de-CH><title> A\n B </title><link rel=canonical href=/c><nav><a href=/n>N</a></nav><p>"
        b"<a href=/n>n</a><a href=/m><img alt=M></a><a hidden href=/h>H</a><a href=javascript:x>J</a>",
        "text/html; charset=utf-8",
        URL,
    )
    assert (page.title, page.language, page.encoding, page.canonical) == (
        "A B",
        "de-CH",
        "utf-8",
        "https://pages.example/c",
    )
    assert page.links == (("https://pages.example/n", "N"), ("https://pages.example/m", "M"))


@pytest.mark.parametrize(
    "content_type", ["", "image/png", "application/pdf", "text/css", "image/svg+xml", "text/" + "x" * 500]
)
def test_other_types_are_refused(content_type: str) -> None:
    """With a reason that is short."""
    with pytest.raises(UnsupportedType, match="are not read") as caught:
        extract(b"x", content_type, URL)
    assert len(caught.value.reason) < 200


def test_text_beyond_the_limit_is_refused() -> None:
    """Visible, hidden and displayed text are counted in bytes; nothing is cut."""
    limits = Limits(text=1000)
    assert len(extract(b"<p>" + b"x" * 900, "text/html", URL, limits).markdown) == 901
    for body in ("<p>" + "é" * 600, "<!--" + "x" * 1100 + "-->", "<p title='" + "x y " * 300 + "'>", "<p>" + "*" * 600):
        with pytest.raises(TooLarge, match="1000 bytes"):
            extract(body.encode(), "text/html; charset=utf-8", URL, limits)


HOSTILE = {
    "deep": "<div>" * 10_000,
    "one tag": "<b>" * 600_000,
    "braces": "<style>" + "{" * 600_000,
    "comments in a sheet": "<style>" + "/*" * 300_000,
    "strings in a sheet": "<style>" + '"\\' * 300_000,
    "no braces in a sheet": "<style>" + "a " * 300_000,
    "at-rules": "<style>" + "@media a{" * 60_000,
    "selectors": "<style>" + ":not(" * 100_000 + "{display:none}</style><p>x",
    "rules": "<style>" + ".a{display:none}" * 40_000 + "</style><p>x",
    "rules and elements": "<style>" + "*{display:none}" * 2_000 + "</style>" + "<b>x</b>" * 20_000,
    "siblings": "<style>a ~ b ~ c{display:none}</style>" + "<a></a><b></b><c></c>" * 10_000,
    "declarations": "<p style='" + "display:" * 80_000 + "'>x",
    "parentheses": "<p style='" + "(" * 500_000 + "'>x",
    "programs": "<script>" + "a b c " * 100_000,
    "strings": "<script type=application/json>" + '"\\' * 300_000,
    "spans": "<table>" + "<tr><td colspan=1000 rowspan=60000>x" * 5_000,
    "marks": "<p>" + "*`_[<&\\~" * 50_000,
    "quotes": "<blockquote>" * 400 + "<p>x" * 5_000,
    "options": "<select>" + "<optgroup><option>" * 20_000,
}


@pytest.mark.parametrize("markup", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pages_end(markup: str) -> None:
    """Each would take minutes if some part were quadratic; it is read, or refused with a reason."""
    with contextlib.suppress(TooLarge):
        extract(markup.encode(), "text/html; charset=utf-8", URL)
