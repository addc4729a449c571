"""Words by themselves: what the lexicon says of a word, and which disguise it may wear or be a part of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from stook.web.scan.decode.ciphers import Ciphers, cut_glued, unleet
from stook.web.scan.normalise import fold, skeleton
from stook.web.scan.rules.lexicon import UNSPACED, Lexicon

__all__ = ["Look", "WordFacts", "make_judge"]

_REMEMBERED = 131_072  # different words kept with their facts; pages share most of theirs
_RUN = 16  # letters and digits in a row that may be an encoded text


class Look(Enum):
    """What a word looks like a part of, by its characters alone."""

    NOTHING = auto()
    RUN = auto()
    HEX = auto()
    BITS = auto()
    CODE = auto()
    LETTER = auto()
    UNSPACED = auto()


@dataclass(frozen=True, slots=True)
class WordFacts:
    """`plain` is the word as the lexicon has it; `disguised` tells that letters had to be replaced for that.

    `cipher` is the key under which it would be a known word (0 for none); `parts` the known words it is glued from.
    """

    plain: str
    classes: int
    disguised: bool
    cipher: int
    parts: str
    look: Look


def make_judge(lexicon: Lexicon, ciphers: Ciphers) -> Callable[[str], WordFacts | None]:
    """A function that tells the facts of a word as written, or None if there is nothing to say."""

    @lru_cache(maxsize=_REMEMBERED)
    def judge(word: str) -> WordFacts | None:
        plain = fold(word)
        look = _look(word, plain)
        classes = lexicon.classes(plain)
        if classes or plain in lexicon.phrases:
            return WordFacts(plain, classes, False, 0, "", look)
        if plain in lexicon.parts:
            return WordFacts(plain, 0, False, 0, "", look) if look is not Look.NOTHING else None
        alike = _undisguise(plain, lexicon)
        if alike:
            return WordFacts(alike, lexicon.classes(alike), True, 0, "", look)
        cipher = ciphers.keys.get(plain) or ciphers.keys.get(skeleton(plain), 0)
        parts = cut_glued(plain, ciphers)
        if cipher or parts or look is not Look.NOTHING:
            return WordFacts(plain, 0, False, cipher, parts, look)
        return None

    return judge


def _undisguise(plain: str, lexicon: Lexicon) -> str:
    """The known word that a folded word looks like; empty if there is none."""
    if plain.isalpha() and plain.isascii():
        return ""
    alike = skeleton(plain)
    for candidate in (alike, *unleet(alike)):
        if candidate != plain and len(candidate) > 2 and lexicon.knows(candidate):
            return candidate
    return ""


def _look(word: str, plain: str) -> Look:
    if len(word) == 1:
        return Look.LETTER if word.isalpha() else Look.NOTHING
    if not word.isascii():
        return Look.UNSPACED if UNSPACED.search(word) else Look.NOTHING
    if len(word) >= _RUN:
        is_name = word.isalpha() and (word.islower() or word.istitle() or word.isupper() and len(word) < 24)
        return Look.NOTHING if is_name else Look.RUN
    if len(word) in {7, 8} and not word.strip("01"):
        return Look.BITS
    if word.isdigit():
        return Look.CODE if len(word) in {2, 3} else Look.NOTHING
    is_hex = len(plain) in {2, 4} and not plain.removeprefix("0x").removeprefix("x").strip("0123456789abcdef")
    return Look.HEX if is_hex and not plain.isalpha() else Look.NOTHING
