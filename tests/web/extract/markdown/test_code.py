"""Blocks of code keep their text and their language."""

from __future__ import annotations

import pytest

from stook.web.extract import extract


def display(markup: str) -> str:
    return extract(f"<main>{markup}</main>".encode(), "text/html; charset=utf-8", "https://pages.example/a/b").markdown


@pytest.mark.parametrize(
    "markup",
    [
        "<pre><code class='language-python'>{}</code></pre>",
        "<pre><code class='hljs lang-python'>{}</code></pre>",
        "<pre class='brush: python; toolbar: false'>{}</pre>",
        "<pre lang=python>{}</pre>",
        "<div class='highlight-python notranslate'><div class=highlight><pre><span></span>{}</pre></div></div>",
        "<div class='highlight highlight-source-python'><pre>{}</pre></div>",
        "<div class='language-python highlighter-rouge'><div class=highlight><pre><code>{}</code></pre></div></div>",
        "<div class=sourceCode><pre class='sourceCode python'><code class='sourceCode python'>{}</code></pre></div>",
        "<figure data-language=python><pre>{}</pre></figure>",
        "<pre data-lang=python>{}</pre>",
    ],
)
def test_languages(markup: str) -> None:
    """The usual generators of documentation are understood."""
    assert (
        display(markup.format("<b>def</b> f():\n    return 1 &lt; 2\n"))
        == "```python\ndef f():\n    return 1 < 2\n```\n"
    )


@pytest.mark.parametrize("name", ["text", "none", "default", "x y", "a`b", "<i>", "a" * 60])
def test_what_is_no_language(name: str) -> None:
    """A name that says nothing, or could end the fence, is left out."""
    assert display(f'<pre data-lang="{name.replace("<", "&lt;")}">x</pre>') == "```\nx\n```\n"


def test_text_is_kept_as_it_stands() -> None:
    """Lines, indentation, marks and fences inside stay; numbers of lines go."""
    markup = (
        "<pre>\n  a\n\n<span class=lineno>1 </span>```\n<div>b</div><div>c</div>d<br>e &amp;lt; ![x](y)   \n\n</pre>"
    )
    assert display(markup) == "````\n  a\n\n```\nb\nc\nd\ne &lt; ![x](y)\n````\n"


def test_tables_of_line_numbers() -> None:
    """Code beside a column of numbers is code."""
    markup = "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>x\ny</pre></table>"
    assert "x\ny" in display(markup)
