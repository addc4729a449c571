"""One name: where it is found, and the reason where it is not."""

from __future__ import annotations

import pytest

from stook.licences.rows import default_rows
from stook.licences.rules import default_rules
from stook.licences.strings.answer import Method, UnknownCode
from stook.licences.strings.index import NameIndex
from stook.licences.strings.lookup import Lookup

LOOKUP = Lookup(NameIndex(default_rows(), default_rules()))


@pytest.mark.parametrize(
    ("text", "expression", "method"),
    [
        ("mit", "MIT", Method.EXACT),
        ("Apache-2.0+", "Apache-2.0+", Method.EXACT),
        ("LGPL-3.0-only+", "LGPL-3.0-or-later", Method.EXACT),
        ("Expat", "MIT", Method.ALIAS),
        ("https://spdx.org/licenses/0BSD.html", "0BSD", Method.ALIAS),
        ("Mozilla Public License (MPL) 2.0", "MPL-2.0", Method.ALIAS),
        ("Apache Public Software Licence 2", "Apache-2.0", Method.FAMILY),
    ],
)
def test_found(text: str, expression: str, method: Method) -> None:
    """By id, other name, page, aside and expression, in this order."""
    leaf = LOOKUP.find(text)
    assert (str(leaf.node), leaf.method) == (expression, method)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("GPL", UnknownCode.AMBIGUOUS),
        ("ZPL", UnknownCode.AMBIGUOUS),
        ("GNU General Public License (LGPLv3)", UnknownCode.NOT_LISTED),
        ("MIT License (BSD-3-Clause)", UnknownCode.NOT_LISTED),
        ("see the README", UnknownCode.POINTER),
        ("https://github.com/a/b/blob/main/LICENSE", UnknownCode.POINTER),
        ("https://example.org/licence", UnknownCode.NOT_LISTED),
        ("BSD-like", UnknownCode.NOT_LISTED),
        ("MIT ISC", UnknownCode.OPERATOR),
        ("LLVM-exception", UnknownCode.EXCEPTION),
        ("-", UnknownCode.NO_LICENCE),
        ("x" * 300, UnknownCode.NOT_LISTED),
    ],
)
def test_not_found(text: str, code: UnknownCode) -> None:
    """With a code and a reason; names in brackets have to agree with what stands before them."""
    leaf = LOOKUP.find(text)
    assert leaf.node is None
    assert leaf.unknown is not None
    assert leaf.unknown.code is code
