"""What a reader sees becomes clean Markdown."""

from __future__ import annotations

import pytest

from stook.web.extract.html import parse
from stook.web.extract.limits import Limits
from stook.web.extract.links import LinkResolver
from stook.web.extract.markdown import MarkdownDocument, write_markdown
from stook.web.extract.style import mark_hidden


def write(markup: str) -> MarkdownDocument:
    document = parse(markup, Limits())
    mark_hidden(document)
    return write_markdown(document, LinkResolver("https://pages.example/a/b"), document.root)


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<h1>One</h1><h3>Two <b>x</b></h3><p>text", "# One\n\n### Two x\n\ntext"),
        ("<p>a <b> bold </b>c <em>d</em> <del>e</del>", "a **bold** c *d* ~~e~~"),
        ("<p>a<b></b>b <i> </i>c", "ab c"),
        ("<p>one<br>two", "one\\\ntwo"),
        ("<p>  many \n\t spaces&nbsp;here </p>", "many spaces here"),
        ("<div>a<p>b</p>c</div>", "a\n\nb\n\nc"),
        ("<div>a<p hidden>b</p>c</div>", "ac"),
        ("<p>use <code>f(x)</code> and <code>a`b</code> <code>`</code>", "use `f(x)` and ``a`b`` `` ` ``"),
        ("<p><code>os.</code><code>path</code>", "`os.path`"),
        ("<p><code>a</code><b></b><code>b</code>&#8203;<code>c`</code>", "`a` `b` `` c` ``"),
        ("<p><a href=/x?q=1>link <b>b</b></a>", "[link **b**](https://pages.example/x?q=1)"),
        ("<p><a href='#s'>there</a>", "[there](https://pages.example/a/b#s)"),
        ("<p><a href='x(1).html'>y</a>", "[y](https://pages.example/a/x%281%29.html)"),
        ("<p><a href=javascript:x()>text</a> <a href=data:text/html,x>t</a> <a href=//u:p@e.example>u</a>", "text t u"),
        ("<p>wow!<a href=/x>y</a>", "wow\\![y](https://pages.example/x)"),
        (
            "<a href=/x><h2>Card</h2><p>teaser</p></a>",
            "## [Card](https://pages.example/x)\n\n[teaser](https://pages.example/x)",
        ),
        ("<h2>Head<a class=headerlink href='#h'>¶</a></h2>", "## Head"),
        ("<p><code><a href=/t>T</a>[]</code>", "[T](https://pages.example/t)\\[\\]"),
        ("<p>see <img src=x.png alt='A red kettle'> here", "see A red kettle here"),
        ("<p><img src=x.gif width=1 height=1 alt=beacon>x", "x"),
        ("<ul><li>a<li>b<ul><li>c</ul><li><p>d<p>e</ul>", "- a\n- b\n\n  - c\n- d\n\n  e"),
        ("<ol start=3><li>x<li value=9>y<li>z</ol>", "3. x\n9. y\n10. z"),
        ("<ol><li>a<pre>x</pre></ol>", "1. a\n\n   ```\n   x\n   ```"),
        ("<p>word</p><ol start=9>text<li><pre>x</pre></ol>", "word\n\ntext\n\n9. ```\n   x\n   ```"),
        ("<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>d", "> a\n>\n> b\n>\n> > c\n\nd"),
        ("<blockquote><pre>x</pre></blockquote>", "```\nx\n```"),
        ("<p>a</p><hr><p>b", "a\n\n* * *\n\nb"),
        ("<dl><dt>Term<dd>Meaning</dl>", "**Term**\n\nMeaning"),
        ("<details><summary>More</summary>text</details>", "More\n\ntext"),
        ("<p>a<button>Share</button>b<select><option>o</select>c<svg><text>s</text></svg>", "a b c"),
        (
            "<p>a <math><mi>x</mi><mo>=</mo><mn>1</mn><annotation>\\x</annotation></math> b<svg><text>-</text></svg>c",
            "a x=1 b c",
        ),
        ("<h2><button>Question</button></h2>", "## Question"),
        ("<p>a<span hidden>b</span><br hidden>c<hr hidden>", "ac"),
        ("<table><tr><td><h2>Layout</h2><td>x</table>", "## Layout\n\nx"),
    ],
)
def test_elements(markup: str, markdown: str) -> None:
    """Each element has one form, and no element leaves HTML behind."""
    assert write(markup).markdown == markdown + "\n"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("<b>&amp;lt;b&gt;</b> 1 < 2 & 3 > 2", None),
        ("&lt;script>x&lt;/script>", "\\<script>x\\</script>"),
        ("![a](b) [c]: d", "!\\[a\\](b) \\[c\\]: d"),
        ("*x* _y_ foo_bar_baz ~~z~~ ~/home", "\\*x\\* \\_y\\_ foo_bar_baz \\~\\~z\\~\\~ ~/home"),
        ("# no heading", "\\# no heading"),
        ("- no item", "\\- no item"),
        ("1. no item", "1\\. no item"),
        ("1986 was a year", "1986 was a year"),
        ("&gt; no quote", "\\> no quote"),
        ("---", "\\---"),
        ("===", "\\==="),
        ("~~~ no fence", "\\~\\~\\~ no fence"),
        ("| no | table |", "\\| no | table |"),
        ("C:\\dir and \\* and \\", "C:\\dir and \\\\\\* and \\\\"),
        ("&amp;lt; &amp; x", "\\&lt; & x"),
        ("a<span>&lt;</span><span>b></span>", "a\\<b>"),
    ],
)
def test_text_stays_text(text: str, markdown: str | None) -> None:
    """Nothing that a page says can become Markdown of ours."""
    if markdown is None:
        assert "<" not in write(f"<p>{text}").markdown.replace("\\<", "").replace("< ", "")
    else:
        assert write(f"<p>{text}").markdown == markdown + "\n"


def test_outline_points_into_the_markdown() -> None:
    """Each heading has its level, its text without marks, and its place."""
    written = write("<p>intro</p><h1>A <code>b</code> * c</h1><blockquote><h2>In a quote</h2></blockquote>")
    assert [(level, text) for level, text, _ in written.outline] == [(1, "A b * c"), (2, "In a quote")]
    assert all(written.markdown[offset] == "#" for _, _, offset in written.outline)


def test_deep_pages_do_not_grow() -> None:
    """Quotes and lists beyond a dozen levels add no prefix."""
    written = write("<blockquote>" * 300 + "x" + "<p>y" * 100)
    assert len(written.markdown) < 10_000
