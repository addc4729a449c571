"""Repairs: words whose letters are not what they seem, put into the plain form that the lexicon has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from stook.web.scan.decode import cut_glued, unleet
from stook.web.scan.normalise import fold, skeleton
from stook.web.scan.rules.lexicon import UNSPACED, Lexicon

__all__ = ["Repair", "SpelledText", "repair_words"]

_REMEMBERED = 131_072  # different words kept with their plain form; pages share most of theirs
_SUSPECT = (b"u", b"a0", b"0a", b"a" * 14)  # in classes of characters: beyond ASCII, digits in letters, glued words


def _character_class(code: int) -> int:
    character = chr(code)
    if code >= 128:
        return ord("u")
    if character in "0123456789@$":
        return ord("0")
    return ord("a") if character.isalpha() else code


_LATIN = re.compile("[!-~]+")  # in a run of a script without blanks
_CLASSES = bytes(map(_character_class, range(256)))


@dataclass(frozen=True, slots=True)
class Repair:
    """A word that was replaced: at which place the new text begins, and how many words it has more than one.

    `disguise` tells that the word was written so as not to be read by a machine; accents are no disguise.
    """

    place: int
    extra: int
    disguise: bool


@dataclass(frozen=True, slots=True)
class SpelledText:
    """Spelled-out text with all repairs made, and these in order."""

    words: bytes
    repairs: Sequence[Repair]


def repair_words(spelled: bytes, lexicon: Lexicon) -> SpelledText:
    """Read every word that has other than ASCII letters, or digits among letters, or that is very long."""
    pieces: list[bytes] = []
    repairs: list[Repair] = []
    done = place = 0
    for start, end in _suspects(spelled):
        plain, disguise = _plain_form(spelled[start:end].decode(), lexicon)
        if not plain:
            continue
        kept = spelled[done:start]
        place += kept.count(b" ")
        extra = plain.count(" ")
        if extra or disguise:
            repairs.append(Repair(place - 1, extra, disguise))
        place += extra
        pieces += (kept, plain.encode())
        done = end
    return SpelledText(b"".join([*pieces, spelled[done:]]) if pieces else spelled, repairs)


def _suspects(spelled: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of the words that may need repair, in order."""
    classes = spelled.translate(_CLASSES)
    spans: dict[int, int] = {}
    for sign in _SUSPECT:
        position = classes.find(sign)
        while position >= 0:
            start = classes.rfind(b" ", 0, position) + 1
            end = classes.find(b" ", position)
            spans[start] = end
            position = classes.find(sign, end)
    yield from sorted(spans.items())


@lru_cache(maxsize=_REMEMBERED)
def _plain_form(word: str, lexicon: Lexicon) -> tuple[str, bool]:
    """The plain form of a word, and whether it was disguised; an empty form leaves the word as it is."""
    folded = fold(word)
    is_mixed = not folded.isascii() and any(map(str.isascii, folded))
    if lexicon.knows(folded) and not is_mixed:
        is_odd = unicodedata.normalize("NFKC", word) != unicodedata.normalize("NFC", word)
        return ("", False) if folded == word else (folded, is_odd)
    alike = skeleton(folded)
    for candidate in (alike, *unleet(alike)):
        if candidate != word and _is_telling(word, candidate) and lexicon.knows(candidate):
            return candidate, True
    if UNSPACED.search(word):
        return " ".join(_LATIN.sub(r" \g<0> ", lexicon.unspaced.sub(_fold_apart, word)).split()), False
    glued = cut_glued(alike, lexicon.ciphers)
    return (glued, True) if glued else ("", False) if folded == word else (folded, False)


def _is_telling(word: str, candidate: str) -> bool:
    """Short words of one alphabet look like Latin ones by chance; those in capitals, or of two alphabets, do not."""
    return len(candidate) > 2 or word.isupper() or (not word.isascii() and any(map(str.isascii, word)))


def _fold_apart(match: re.Match[str]) -> str:
    return f" {fold(match[0])} "
