"""Markup that grows without bound in a parser is refused before the parse."""

from __future__ import annotations

import pytest

from stook.web.extract.errors import TooLarge
from stook.web.extract.html.markup import check_markup
from stook.web.extract.limits import Limits

FONTS = "".join(f"<font color={number}>" for number in range(300))
HOSTILE = {
    "formatting left open": f"<p>{FONTS}</p>" + "<p>x</p>" * 3000,
    "formatting closed behind a cell": f"<table><tr><td>{FONTS}<td>{'</font>' * 300}</table>" + "<p>x</p>" * 3000,
    "formatting closed in a script": f"<p>{FONTS}<script>{'</font>' * 300}</script></p>" + "<p>x</p>" * 3000,
    "formatting closed in an attribute": f"<p>{FONTS}<i title='{'</font>' * 300}'></i></p>" + "<p>x</p>" * 3000,
    "attributes": "<a " + " ".join(f"a{number}" for number in range(30_000)) + ">",
    "attributes without spaces": "<a b" + "/c" * 30_000 + ">",
    "attributes with ends of tags in quotes": "<a " + "".join(f"a{number}='>'" for number in range(30_000)) + ">",
    "open elements": "<span>" * 20_000 + "</i>" * 20_000,
    "elements behind ignored end tags": "<span><div></span>" * 20_000,
}
HARMLESS = {
    "long values": '<a title="' + "word " * 100_000 + '">',
    "long scripts": "<script>" + "if (a<b) { c = d / e; }\n" * 20_000 + "</script>",
    "long comments": "<!-- " + "a=b " * 100_000 + "-->",
    "many closed elements": "<p><b>x</b> <i>y</i></p>" * 20_000,
    "many links": "<li><a href=x>y</a>" * 20_000,
    "many rows": "<tr><td><b>x</b><td>y" * 20_000,
}


@pytest.mark.parametrize("markup", HOSTILE.values(), ids=HOSTILE.keys())
def test_growth_is_refused(markup: str) -> None:
    """What a parser would repeat or search without end is refused with a reason."""
    with pytest.raises(TooLarge):
        check_markup(markup, Limits())


@pytest.mark.parametrize("markup", HARMLESS.values(), ids=HARMLESS.keys())
def test_large_pages_pass(markup: str) -> None:
    """A large page that is well formed passes."""
    check_markup(markup, Limits())
