"""Texts become plain words; what is invisible is taken out and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.web.scan.normalise import SENTENCE, clean, fold, locate_words, skeleton, spell_out

END = SENTENCE.decode()


def tags(text: str) -> str:
    """Text in the Unicode tag block."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


def selectors(data: bytes) -> str:
    """Bytes as variation selectors."""
    return "".join(chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16) for byte in data)


@pytest.mark.parametrize(
    ("text", "plain", "smuggled"),
    [
        ("plain", "plain", ()),
        ("ig\u200bno\u2060re", "ignore", ()),
        ("so\u00adft", "soft", ()),
        ("a" + tags("hello") + "b", "ab", ("hello",)),
        ("x" + selectors(b"hello there"), "x", ("hello there",)),
        ("red \u202etxet\u202c", "red txet", ("text",)),
        ("\x1b[31mred\x1b[0m", "red", ()),
        ("a\x00b\x07c", "abc", ()),
    ],
)
def test_clean(text: str, plain: str, smuggled: tuple[str, ...]) -> None:
    """Invisible characters go; text that was written in them is handed back."""
    cleaned = clean(text)
    assert cleaned.text == plain
    assert cleaned.smuggled == smuggled


def test_flags_are_no_tags() -> None:
    """The flag of Scotland is made of tag characters and is innocent."""
    assert clean("\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f").tags == 0
    assert clean(tags("abcd")).tags == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ignore, all.previous “instructions”. Do!", ["ignore", "all", "previous", "instructions", END, "do", END]),
        ("send_email(x)", ["send", "email", "x"]),
        ("a。b！c", ["a", END, "b", END, "c"]),
        ("wait... what?", ["wait", END, "what", END]),
        ("", []),
    ],
)
def test_spell_out(text: str, words: list[str]) -> None:
    """Punctuation parts words; a dot before a blank ends a sentence."""
    assert [word for word in spell_out(text).decode().split(" ") if word] == words


@given(st.text("ab .,!?;:…。’\n“é柠", max_size=40))
def test_locate_agrees(text: str) -> None:
    """There are as many positions as spelled-out words, and each is where its word begins."""
    words = [word for word in spell_out(text).decode().split(" ") if word]
    positions = list(locate_words(text, range(len(words))))
    assert len(positions) == len(words)
    for word, position in zip(words, positions, strict=True):
        assert word == END or text[position:].lower().startswith(word)


@given(st.text(max_size=200))
def test_clean_is_stable(text: str) -> None:
    """What is clean stays as it is."""
    once = clean(text).text
    assert clean(once).text == once


@pytest.mark.parametrize("word", ["Ｉｇｎóre", "𝐢𝐠𝐧𝐨𝐫𝐞", "ⓘⓖⓝⓞⓡⓔ", "İGNORE"])
def test_fold(word: str) -> None:
    """Case, accents and compatibility forms are folded away."""
    assert fold(word) == "ignore"


@pytest.mark.parametrize("word", ["іgnоrе", "ıgnore", "ιgnοre"])
def test_skeleton(word: str) -> None:
    """Letters of other alphabets become the Latin ones that they look like."""
    assert skeleton(fold(word)) == "ignore"
