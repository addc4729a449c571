"""Ciphers on words: reversed, shifted, mirrored, spelled with digits, glued together or taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from string import ascii_lowercase

from stook.web.scan.decode.encodings import find_stretches

__all__ = ["Ciphers", "build_ciphers", "cut_glued", "decipher", "join_letters", "unleet"]

_SHORTEST = 5  # letters of a word that gives a cipher away; shorter ones turn into each other
_APART = r" \g<0> "
_GLUED = 14  # letters of a word in which words are looked for
_LEET = str.maketrans("013456789@$", "oieasgtbgas")
_LEET_L = str.maketrans("013456789@$", "oleasgtbgas")
_ATBASH = str.maketrans(ascii_lowercase, ascii_lowercase[::-1])
_SPACED = re.compile(r"(?<!\w)(?:\w[\s._\-*|·•~+,/]{1,3}){5,}\w(?!\w)")
_REVERSED = 26  # keys: 1 to 25 are shifts
_MIRRORED = 27


@dataclass(frozen=True, slots=True)
class Ciphers:
    """`keys` maps a word as it looks under a cipher to the key; `glued` finds known words inside a long one."""

    keys: Mapping[str, int]
    glued: re.Pattern[str]


def build_ciphers(words: Set[str]) -> Ciphers:
    """How the given folded words look under each key."""
    keys: dict[str, int] = {}
    plain = sorted((word for word in words if word.isalpha()), key=lambda word: (-len(word), word))
    for word in plain:
        if len(word) >= _SHORTEST:
            for key in range(1, _MIRRORED + 1) if word.isascii() else (_REVERSED,):
                image = _encipher(word, key)
                if image not in words:
                    keys.setdefault(image, key)
    return Ciphers(keys, re.compile("|".join(word for word in plain if len(word) >= 3 and word.isascii()) or "(?!)"))


def _encipher(text: str, key: int) -> str:
    if key == _REVERSED:
        return text[::-1]
    if key == _MIRRORED:
        return text.translate(_ATBASH)
    return text.translate(str.maketrans(ascii_lowercase, ascii_lowercase[key:] + ascii_lowercase[:key]))


def decipher(words: Sequence[str], key: int) -> Iterator[str]:
    """Some words under a key, in plain. Reversed ones are read in both orders: each word or the whole was turned."""
    text = " ".join(words).lower()
    if key == _REVERSED:
        yield text[::-1]
        yield " ".join(word[::-1] for word in text.split())
    else:
        yield _encipher(text, key if key == _MIRRORED else 26 - key)


def unleet(word: str) -> tuple[str, ...]:
    """What a word with digits in the place of letters may say."""
    if word.isalpha() or not any(letter.isalpha() for letter in word):
        return ()
    return word.translate(_LEET), word.translate(_LEET_L)


def cut_glued(word: str, ciphers: Ciphers) -> str:
    """A long word as the known words that it is glued from; empty if they are not most of it."""
    if len(word) < _GLUED or not word.isascii() or not word.isalpha():
        return ""
    pieces = ciphers.glued.findall(word)
    if len(pieces) < 2 or sum(map(len, pieces)) * 4 < len(word) * 3:
        return ""
    return ciphers.glued.sub(_APART, word)


def join_letters(text: str, ciphers: Ciphers) -> str:
    """The stretches with words that were written letter by letter; two blanks or a bar part the words."""

    def join(match: re.Match[str]) -> str:
        parts = re.split(r"\s{2,}|\s?[|/]\s?", match[0])
        joined = " ".join(re.sub(r"[\W_]", "", part) for part in parts).lower()
        return f" {ciphers.glued.sub(_APART, joined)} "

    return _SPACED.sub(join, find_stretches(text, _SPACED))
