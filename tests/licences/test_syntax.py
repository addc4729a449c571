"""The grammar of SPDX: what is an expression and what is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from stook.licences.expression import BadExpression
from stook.licences.syntax import MAX_EXPRESSION, parse_expression


@pytest.mark.parametrize(
    "text",
    [
        "MIT",
        "GPL-2.0+",
        "MIT or ISC and Zlib",
        "(MIT)AND(ISC)",
        "LicenseRef-a.b-1 WITH AdditionRef-x",
        "DocumentRef-d:LicenseRef-l with DocumentRef-d:AdditionRef-x",
    ],
)
def test_valid(text: str) -> None:
    """Ids, "+", WITH, references, operators in one case, parentheses in place of spaces."""
    parse_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "()",
        "MIT Or ISC",
        "MIT ISC",
        "MIT +",
        "MIT++",
        "OR MIT",
        "MIT AND",
        "MIT/ISC",
        "MIT WITH",
        "MIT WITH (X)",
        "(MIT OR ISC) WITH X",
        "MIT WITH X+",
        "DocumentRef-d:MIT",
        "LicenseRef-a_b",
        "MIT)",
        "WITH X",
        "M" * (MAX_EXPRESSION + 1),
    ],
)
def test_invalid(text: str) -> None:
    """Anything else is refused with a reason."""
    with pytest.raises(BadExpression, match=r"."):
        parse_expression(text)


WORDS = ["MIT", "ISC", "Zlib+", "MIT WITH LLVM-exception", "AND", "OR", "(", ")"]


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
def test_agrees_with_packaging(text: str) -> None:
    """On known ids, packaging's parser takes the same expressions."""
    assert _is_valid(parse_expression, BadExpression, text) == _is_valid(
        canonicalize_license_expression, InvalidLicenseExpression, text
    )


def _is_valid(parse: Callable[[str], object], error: type[Exception], text: str) -> bool:
    try:
        parse(text)
    except error:
        return False
    return True
