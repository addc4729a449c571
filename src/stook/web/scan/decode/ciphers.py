"""Ciphers on words: reversed, shifted, mirrored, spelled with digits, glued together or taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from string import ascii_lowercase

__all__ = ["Ciphers", "build_ciphers", "cut_apart", "cut_glued", "decipher", "join_letters", "unleet"]

_SHORTEST = 5  # letters of a word that gives a cipher away; shorter ones turn into each other
_LEFT_OVER = 2  # the cost of a letter in no word; a word costs 1
_FUNCTION_WORDS = frozenset(
    "am an and are as at be been but by can did do does for from go had has have he her him his how if in into is it"
    " its me my no nor not now of off on one only or our out over own she so than that the their them then there these"
    " they this those to too under until up us was we were what when where which while who why will with"
    " would you".split()
)
_GLUED = 14  # letters of a word in which words are looked for
_SENTENCE = 28  # letters of what can only be several words
_SHARE, _SHARE_OF_SENTENCE = 0.75, 0.5
_LEET = str.maketrans("013456789@$", "oieasgtbgas")
_LEET_L = str.maketrans("013456789@$", "oleasgtbgas")
_ATBASH = str.maketrans(ascii_lowercase, ascii_lowercase[::-1])
_REVERSED = 26  # keys: 1 to 25 are shifts
_MIRRORED = 27


@dataclass(frozen=True, slots=True)
class Ciphers:
    """`keys` maps a word as it looks under a cipher to the key; `words` are what a run of letters is cut into.

    `lengths` are those of the words that begin with the same two letters.
    """

    keys: Mapping[str, int]
    words: frozenset[str]
    lengths: Mapping[str, Sequence[int]]


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
    parts = _FUNCTION_WORDS.union(word for word in plain if len(word) >= 2 and word.isascii())
    lengths: dict[str, set[int]] = {}
    for word in parts:
        lengths.setdefault(word[:2], set()).add(len(word))
    return Ciphers(keys, parts, {head: sorted(group) for head, group in lengths.items()})


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
    """A long word as the known words that it is glued from; empty if they are not most of it.

    Of a very long one, half is enough: names of chemicals end before.
    """
    if len(word) < _GLUED or not word.isascii() or not word.isalpha():
        return ""
    pieces = cut_apart(word, ciphers)
    known = sum(len(piece) for piece in pieces if piece in ciphers.words)
    if len(pieces) < 2 or known < len(word) * (_SHARE if len(word) < _SENTENCE else _SHARE_OF_SENTENCE):
        return ""
    return " ".join(pieces)


def cut_apart(letters: str, ciphers: Ciphers) -> list[str]:
    """A run of letters as known words, with as few letters left over as possible; time is linear in its length."""
    size = len(letters)
    costs = [0, *[_LEFT_OVER * size + 1] * size]
    starts = [0] * (size + 1)
    for start in range(size):
        cost = costs[start]
        if cost + _LEFT_OVER < costs[start + 1]:
            costs[start + 1], starts[start + 1] = cost + _LEFT_OVER, start
        for length in ciphers.lengths.get(letters[start : start + 2], ()):
            end = start + length
            if end <= size and cost + 1 < costs[end] and letters[start:end] in ciphers.words:
                costs[end], starts[end] = cost + 1, start
    return _join_left_over(letters, starts, ciphers)


def _join_left_over(letters: str, starts: Sequence[int], ciphers: Ciphers) -> list[str]:
    """The pieces in order; letters in no word that stand together are one piece."""
    pieces: list[str] = []
    end = len(letters)
    left_over = end
    while end:
        start = starts[end]
        if letters[start:end] in ciphers.words:
            if left_over > end:
                pieces.append(letters[end:left_over])
            pieces.append(letters[start:end])
            left_over = start
        end = start
    if left_over:
        pieces.append(letters[:left_over])
    return pieces[::-1]


def join_letters(words: Sequence[str], ciphers: Ciphers) -> str:
    """Words of which many are single letters, with each run of those cut into known words."""
    joined: list[str] = []
    for is_letter, group in groupby(words, key=lambda word: len(word) == 1):
        run = list(group)
        joined.extend(cut_apart("".join(run), ciphers) if is_letter else run)
    return " ".join(joined)
