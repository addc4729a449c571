"""JSON from outside, as every database can hold it."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.decoding import DECODE_ERRORS, storable


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (rb'"a\u0000b"', "a\ufffdb"),
        (rb'"a\\u0000b"', r"a\u0000b"),
        (rb'"a\\\u0000b"', "a\\\ufffdb"),
        (rb'"\ud800"', "\ufffd"),
        (rb'"\uDC00x"', "\ufffdx"),
        (rb'"\ud83e\udd80"', "🦀"),
        (rb'"\ud83e\ud83e\udd80"', "\ufffd🦀"),
        (rb'"\ud83e\u0041"', "\ufffdA"),
        (rb'"\ud83e\u0000"', "\ufffd\ufffd"),
        (rb'"\\ud800"', r"\ud800"),
    ],
)
def test_storable(raw: bytes, expected: str) -> None:
    """NUL and half surrogate pairs are replaced; escaped backslashes and whole pairs stay."""
    assert msgspec.json.decode(storable(raw)) == expected


@given(st.text(st.characters(codec=None)))
def test_every_text_becomes_storable(text: str) -> None:
    """Whatever text a JSON writer escapes, the result decodes and can be encoded as UTF-8 without NUL."""
    decoded = msgspec.json.decode(storable(json.dumps(text).encode()))
    assert "\0" not in decoded
    decoded.encode()


def test_deep_documents_are_refused() -> None:
    """A document that is nested too deep is a decode error like any other."""
    with pytest.raises(DECODE_ERRORS):
        msgspec.json.decode(b"[" * 100_000)
