"""Ciphers on words are undone."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.web.scan.decode import build_ciphers, cut_apart, cut_glued, decipher, join_letters, unleet

CIPHERS = build_ciphers(frozenset({"lemon", "tart", "orange", "kitchen", "knife"}))


def test_keys() -> None:
    """A known word is found under every shift, reversed and mirrored."""
    assert CIPHERS.keys[codecs.encode("lemon", "rot13")] == 13
    assert list(decipher(["yrzba", "benatr"], CIPHERS.keys["yrzba"])) == ["lemon orange"]
    assert "lemon orange" in list(decipher(["egnaro", "nomel"], CIPHERS.keys["nomel"]))
    assert list(decipher(["ovnlm"], CIPHERS.keys["ovnlm"])) == ["lemon"]


def test_short_words_have_no_key() -> None:
    """Words of four letters turn into each other too easily."""
    assert "trat" not in CIPHERS.keys


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("lemonorangeknife", "lemon orange knife"),
        ("thelemonisinthekitchen", "the lemon is in the kitchen"),
        ("lemonorange", ""),
        ("incomprehensibilities", ""),
        ("lemonorangeknife7", ""),
    ],
)
def test_glued(word: str, cut: str) -> None:
    """A long word is cut only if known words are most of it."""
    assert cut_glued(word, CIPHERS) == cut


@given(st.text("lemontarx", max_size=60))
def test_cut_apart_keeps_letters(letters: str) -> None:
    """Cutting loses no letter."""
    assert "".join(cut_apart(letters, CIPHERS)) == letters


def test_letters() -> None:
    """Words that were taken apart letter by letter are put together; words among them stay."""
    assert join_letters([*"lemonorange"], CIPHERS) == "lemon orange"
    assert join_letters(["a", "red", *"lemon", "tart"], CIPHERS) == "a red lemon tart"


def test_leet() -> None:
    """Digits become letters, only in words that have letters, too."""
    assert "lemon" in unleet("l3m0n")
    assert unleet("1984") == ()
    assert unleet("lemon") == ()
