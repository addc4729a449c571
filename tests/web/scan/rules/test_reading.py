"""A reading finds the entries of a lexicon, also in disguise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.web.scan.rules import load_rulebook, read_text
from stook.web.scan.rules.lexicon import build_lexicon

LEXICON = build_lexicon(
    [
        ("fruit", "lemon"),
        ("fruit", "apricot*"),
        ("dish", "lemon tart"),
        ("colour", "grün"),
        ("fruit", "柠檬"),
        ("tool", "knife"),
        ("sound", "rasp*"),
        ("fruit", "raspberry"),
    ]
)


def known(text: str) -> dict[int, set[str]]:
    """The classes at each place of a text."""
    hits = read_text(text, LEXICON).hits
    return {
        place: {name for name, bit in LEXICON.bits.items() if classes & bit}
        for place, classes in zip(hits.places, hits.classes, strict=True)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a lemon", {1: {"fruit"}}),
        ("LEMON!", {0: {"fruit"}}),
        ("lemons", {}),
        ("two apricots", {1: {"fruit"}}),
        ("a lemon tart", {1: {"fruit", "dish"}}),
        ("a lemon\n  tart", {1: {"fruit", "dish"}}),
        ("lemon. tart", {0: {"fruit"}}),
        ("grun GRÜN", {0: {"colour"}, 1: {"colour"}}),
        ("给我柠檬吧", {1: {"fruit"}}),
        ("l3m0n", {0: {"fruit"}}),
        ("lеmоn", {0: {"fruit"}}),
        ("raspbеrry", {0: {"fruit", "sound"}}),
        ("ｌｅｍｏｎ", {0: {"fruit"}}),
        ("lemonlemonlemon x lemon", {0: {"fruit"}, 1: {"fruit"}, 2: {"fruit"}, 4: {"fruit"}}),
    ],
)
def test_hits(text: str, expected: dict[int, set[str]]) -> None:
    """Words, stems and phrases are found by whole words, with accents folded and look-alikes read as letters."""
    assert known(text) == expected


@pytest.mark.parametrize(("text", "disguised"), [("lemon", False), ("grün", False), ("l3mon", True), ("lеmon", True)])
def test_disguise(text: str, disguised: bool) -> None:
    """Accents are no disguise; digits and letters of another alphabet are."""
    assert read_text(text, LEXICON).is_disguised(0, 0) is disguised


def test_positions_after_repairs() -> None:
    """Places lead back to the text although glued words were cut before them."""
    text = "so: lemonlemonlemon, then a knife"
    reading = read_text(text, LEXICON)
    assert reading.hits.places[-1] == 6
    assert text[reading.positions([6])[0] :] == "knife"


@given(st.lists(st.sampled_from(["lemon", "é", "柠檬", "x.y", "...", "a,b", "\n\n", "l3m0n", "！", "。"]), max_size=12))
def test_positions_are_words(parts: list[str]) -> None:
    """Every hit leads to a position inside the text, in the same order."""
    text = " ".join(parts)
    reading = read_text(text, LEXICON)
    positions = reading.positions(reading.hits.places)
    assert list(positions) == sorted(positions)
    assert all(0 <= position <= len(text) for position in positions)


def test_shipped_entries() -> None:
    """Stems have at least three letters, so that no stem is a part of everyday words of other languages."""
    stems = load_rulebook().lexicon.stems
    latin = [stem for group in stems.values() for stem in group if stem.isascii() and len(stem) < 3]
    assert latin == []
