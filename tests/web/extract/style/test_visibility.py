"""Text that a browser does not paint is marked, by whatever means it is hidden; all other text is not."""

from __future__ import annotations

import pytest

from stook.web.extract.html import parse
from stook.web.extract.limits import Limits
from stook.web.extract.style import mark_hidden


def is_hidden(markup: str, text: str = "HERE") -> bool:
    document = parse(markup, Limits())
    mark_hidden(document)
    owners = [document.elements[owner] for owner, found in document.texts if text in found]
    assert len(owners) == 1
    return owners[0].is_hidden


INLINE = [
    "display:none",
    "DISPLAY : NONE !important",
    "d\\69splay:none",
    "display/**/:/**/none",
    "visibility:hidden",
    "visibility:collapse",
    "opacity:0",
    "opacity:.01",
    "opacity: 0%",
    "filter:opacity(0)",
    "font-size:0",
    "font-size:1px",
    "font-size:0.05em",
    "font:0/0 a",
    "color:transparent",
    "color:#fff",
    "color:white",
    "color:rgb(255 255 255)",
    "color:rgba(0,0,0,0)",
    "color:hsl(0, 0%, 100%)",
    "color:#fefefe",
    "color:#123;background:#123",
    "color:red;background-color:rgb(255,0,0)",
    "-webkit-text-fill-color:#fff",
    "position:absolute;left:-9999px",
    "position:fixed;top:-200vh",
    "position:absolute;right:-5000px",
    "position:absolute;left:100000px",
    "margin-left:-9999px",
    "margin:0 0 0 -9999em",
    "text-indent:-9999px",
    "text-indent:-100em;overflow:hidden",
    "position:absolute;clip:rect(0,0,0,0)",
    "clip:rect(1px 1px 1px 1px);position:absolute",
    "clip-path:inset(50%)",
    "clip-path:circle(0)",
    "clip-path:polygon(0 0,0 0,0 0)",
    "width:1px;height:1px;overflow:hidden",
    "max-height:0;overflow:hidden",
    "height:0;overflow-y:clip",
    "transform:scale(0)",
    "transform:translateX(-9999px)",
    "transform:rotateY(90deg)",
    "scale:0",
    "translate:-9999px",
    "zoom:0",
    "content-visibility:hidden",
]


@pytest.mark.parametrize("style", INLINE)
def test_each_way_of_hiding_is_seen_in_a_style_attribute_and_in_a_sheet(style: str) -> None:
    """The same declaration hides inline, by class, by id, and in what stands inside."""
    assert is_hidden(f"<p style='{style}'>HERE</p>")
    assert is_hidden(f"<style>.x{{{style}}}</style><p class='a x'>HERE</p>")
    assert is_hidden(f"<style>p{{color:#000}} #i {{ {style} }}</style><div id=i>HERE</div>")
    if not style.startswith(("font-size:0.05em",)):
        assert is_hidden(f"<div style='{style}'><section><b>HERE</b></section></div>")


PAINTED = [
    "display:block",
    "visibility:visible",
    "opacity:0.5",
    "font-size:9px",
    "color:#333",
    "color:#fff;background:#000",
    "color:#fff;background:url(x.png)",
    "color:transparent;background-image:linear-gradient(red,blue)",
    "left:-9999px",
    "position:absolute;left:-20px",
    "margin-left:-10px",
    "width:1px",
    "height:0",
    "clip-path:inset(5%)",
    "transform:translateX(-50%)",
    "text-indent:2em",
    "overflow:hidden;width:300px",
]


@pytest.mark.parametrize("style", PAINTED)
def test_ordinary_styles_hide_nothing(style: str) -> None:
    """Declarations that only resemble the hiding ones leave the text visible."""
    assert not is_hidden(f"<p style='{style}'>HERE</p>")
    assert not is_hidden(f"<style>.x{{{style}}}</style><p class=x>HERE</p>")


@pytest.mark.parametrize(
    "selector",
    [
        ".x",
        "p.x",
        "p",
        "*",
        "#i",
        "[data-k]",
        "[data-k=v]",
        "[data-k='v']",
        "[data-k^=v]",
        "[class~=x]",
        "div .x",
        "div > p",
        "body div p",
        "h1 + p",
        "h1 ~ .x",
        "p:nth-child(2)",
        "p:nth-child(2n)",
        "p:nth-of-type(odd)",
        "p:last-of-type",
        "p:first-of-type",
        "p:only-of-type",
        "p:last-child",
        "p:not(.y)",
        ":is(.x, .z)",
        "div :where(p)",
        "h6, .x",
        ".\\78",
        "P.x",
    ],
)
def test_selectors(selector: str) -> None:
    """A rule hides what its selector matches, and nothing else."""
    page = f"<style>{selector}{{display:none}}</style><div><h1>t</h1><p id=i class='x' data-k=v>HERE</p></div>"
    assert is_hidden(page)
    other = f"<style>{selector}{{display:none}}</style><table><tr><td>HERE</table>"
    assert selector == "*" or not is_hidden(other)


@pytest.mark.parametrize(
    "selector", ["p:hover", "p::before", "p:focus-within", ".y", "p.y", "span > p", "p + p", "p:not(.x)"]
)
def test_selectors_that_do_not_hold(selector: str) -> None:
    """States, pseudo-elements and other elements do not hide a paragraph."""
    assert not is_hidden(f"<style>{selector}{{display:none}}</style><div><p class=x>HERE</p></div>")


@pytest.mark.parametrize(
    ("css", "hidden"),
    [
        (".x{display:none}.x{display:block}", False),
        (".x{display:block}.x{display:none}", True),
        ("p.x{display:block}.x{display:none}", False),
        ("#i{display:block}p.x{display:none}", False),
        (".x{display:none!important}#i{display:block}", True),
        ("@media print{.x{display:none}}", False),
        ("@media screen{.x{display:none}}", True),
        ("@media (max-width:600px){.x{display:none}}", False),
        ("@media (min-width:600px) and (max-width:2000px){.x{display:none}}", True),
        ("@media not print{.x{display:none}}", True),
        ("@supports (display:grid){@media screen{.x{display:none}}}", True),
        ("@media print{@supports (x:y){.x{display:none}}}", False),
        ("@layer a{.x{display:none}}", True),
        ("@font-face{font-family:x}.x{display:none}", True),
        ("@import url(x.css);.x{display:none}", True),
        ("@charset 'utf-8';.x{display:none}", True),
        ("/* } */.x{display:none}", True),
        ("/* .x{display:none} */", False),
        (".y{content:'}'}.x{display:none}", True),
        (".y{content:'.x{display:none}'}", False),
        (".y{background:url(data:x;{)}.x{display:none}", True),
        ("div{color:red;.x{display:none}}", True),
        ("div{& .x{display:none}}", True),
        ("div{display:block;.y{color:red}}.x{display:none}", True),
        ("<!-- .x{display:none} -->", True),
        (".x{display:none", True),
        ("}.x{display:none}", True),
        (".x{{display:none}}", False),
        (".x{color:#fff}div{background:#000}", False),
        (".x{color:#000}div{background:#000}", True),
        ("body{background:#000;color:#fff}.x{color:#000}", True),
        ("html{display:none}", False),
        ("body{opacity:0;visibility:hidden}", False),
    ],
)
def test_cascade_and_conditions(css: str, hidden: bool) -> None:
    """Importance, specificity, order and conditions decide as in a browser on a screen."""
    assert is_hidden(f"<style>{css}</style><div><p id=i class=x>HERE</p></div>") is hidden


@pytest.mark.parametrize(
    ("markup", "hidden"),
    [
        ("<p hidden>HERE", True),
        ("<p hidden=until-found>HERE", True),
        ("<p hidden style='display:block'>HERE", False),
        ("<p popover>HERE", True),
        ("<dialog>HERE</dialog>", True),
        ("<dialog open>HERE</dialog>", False),
        ("<details><p>HERE</details>", False),
        ("<noscript>HERE</noscript>", True),
        ("<template>HERE</template>", True),
        ("<iframe>HERE</iframe>", True),
        ("<object><p>HERE</object>", True),
        ("<video><p>HERE</video>", True),
        ("<canvas>HERE</canvas>", True),
        ("<svg><text>HERE</text></svg>", False),
        ("<svg><desc>HERE</desc></svg>", True),
        ("<svg><title>HERE</title></svg>", True),
        ("<math><mi>HERE</mi></math>", False),
        ("<math><annotation>HERE</annotation></math>", True),
        ("<x-a><template shadowrootmode=open><p>HERE</template></x-a>", False),
        ("<x-a><template shadowrootmode=open><p>x</template><p>HERE</p></x-a>", True),
        ("<x-a><template shadowrootmode=open><p>x</template>HERE</x-a>", True),
        ("<x-a><template shadowrootmode=open><slot></slot></template><p>HERE</p></x-a>", False),
        ("<x-a><template shadowrootmode=open><slot name=s></slot></template><p slot=s>HERE</p></x-a>", False),
        ("<p style='visibility:hidden'><b style='visibility:visible'>HERE</b>", False),
        ("<p style='font-size:0'><b style='font-size:16px'>HERE</b>", False),
        ("<p style='font-size:0'><b style='font-size:2em'>HERE</b>", True),
        ("<p style='color:#fff'><b style='color:#000'>HERE</b>", False),
        ("<p style='color:#fff'><a href=x>HERE</a>", False),
        ("<p style='display:none'><b style='display:block'>HERE</b>", True),
        ("<font color=white>HERE</font>", True),
        ("<body bgcolor=black><font color=white>HERE</font>", False),
        ("<body text=white bgcolor=#ffffff><p>HERE", True),
        ("<table bgcolor=#000080><tr><td><font color=#000080>HERE</font></table>", True),
        ("<style media=print>p{display:none}</style><p>HERE", False),
        ("<style type=text/less>p{display:none}</style><p>HERE", False),
        ("<link rel=stylesheet href='data:text/css,p{display:none}'><p>HERE", True),
        ("<link rel=stylesheet href='data:text/css;base64,cHtkaXNwbGF5Om5vbmV9'><p>HERE", True),
        ("<body><p>x<style>p{display:none}</style><p>HERE", True),
    ],
)
def test_elements_and_inheritance(markup: str, hidden: bool) -> None:
    """Elements that are never painted, attributes of old, shadow roots, and what a child may take back."""
    assert is_hidden(markup) is hidden
