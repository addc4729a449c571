"""The parse is a browser's, bounded, and loses no text."""

from __future__ import annotations

import pytest

from stook.web.extract.errors import TooLarge
from stook.web.extract.html import Document, parse
from stook.web.extract.limits import Limits


def read(markup: str, limits: Limits | None = None) -> Document:
    return parse(markup, limits or Limits())


def test_elements_stand_before_their_descendants() -> None:
    """Places, ends and blocks describe the tree."""
    document = read("<body><div>a<b>b</b></div><p>c")
    tags = [element.tag for element in document.elements]
    assert tags == ["#document", "html", "head", "body", "div", "b", "p"]
    assert document.ends[tags.index("div")] == tags.index("p")
    assert document.blocks[tags.index("b")] == tags.index("div")
    assert [text for _, text in document.texts] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("markup", "comment"),
    [
        ("<!-- before --><html><body>", "before"),
        ("<p><!-- inside --></p>", "inside"),
        ("</html><!-- after -->", "after"),
        ("<p><?secret instruction?>", "secret instruction"),
        ("<p><![CDATA[section]]>", "section"),
        ("<!-->late</p><!--x--!>", "x"),
    ],
)
def test_comments_are_found_wherever_they_stand(markup: str, comment: str) -> None:
    """Comments, processing instructions and bogus comments are kept."""
    assert any(comment in text for text in read(markup).comments)


def test_templates_are_entered() -> None:
    """The content of templates is in the tree, also of one in another."""
    document = read("<template><p>one<template>two</template></template>")
    assert [text for _, text in document.texts] == ["one", "two"]


def test_limits_refuse_and_never_cut() -> None:
    """Just within a limit all is there; just beyond it the page is refused."""
    assert len(read("<b>x</b>" * 100, Limits(nodes=203)).texts) == 100
    with pytest.raises(TooLarge, match="202 nodes"):
        read("<b>x</b>" * 100, Limits(nodes=202))
    assert read("<div>" * 50 + "x", Limits(depth=54)).texts
    with pytest.raises(TooLarge, match="more than 51 deep"):
        read("<div>" * 50 + "x", Limits(depth=51))


def test_depth_counts_templates() -> None:
    """Templates inside of templates cannot pass the limit of depth."""
    with pytest.raises(TooLarge, match="deep"):
        read("<template>" * 600)
