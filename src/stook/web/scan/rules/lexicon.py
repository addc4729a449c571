"""The lexicon: which classes of words a word, a stem or a phrase belongs to, in all languages at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ahocorasick_rs import BytesAhoCorasick

from stook.web.scan.decode import Ciphers, build_ciphers
from stook.web.scan.normalise import fold

__all__ = ["UNSPACED", "Lexicon", "build_lexicon"]

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that put no blank between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Classes are bits: `bits` names them, and the classes of a word are a sum of bits.

    `finder` finds patterns in spelled-out text. A pattern, by number, has `classes`, or none and a key of `keys`: then
    it is a known word under that cipher. `unspaced` matches the entries of scripts that put no blanks between words.
    """

    bits: Mapping[str, int]
    classes: Sequence[int]
    keys: Sequence[int]
    finder: BytesAhoCorasick
    vocabulary: frozenset[str]
    stems: Mapping[int, frozenset[str]]
    unspaced: re.Pattern[str]
    ciphers: Ciphers

    def knows(self, word: str) -> bool:
        """Whether a folded word is an entry, a part of a phrase, or has the stem of an entry."""
        return word in self.vocabulary or any(word[:length] in stems for length, stems in self.stems.items())


@dataclass(slots=True)
class _Draft:
    """A lexicon that grows by entries; `patterns` maps what is searched for to classes."""

    bits: dict[str, int] = field(default_factory=dict)
    patterns: dict[str, int] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    stems: set[str] = field(default_factory=set)
    unspaced: set[str] = field(default_factory=set)

    def add(self, name: str, entry: str) -> None:
        bit = self.bits.setdefault(name, 1 << len(self.bits))
        if UNSPACED.search(entry):
            self.unspaced.add(unicodedata.normalize("NFC", entry))
        folded = " ".join(fold(word) for word in entry.split())
        pattern = f" {folded.removesuffix('*')}" if folded.endswith("*") else f" {folded} "
        self.patterns[pattern] = self.patterns.get(pattern, 0) | bit
        for word in folded.split():
            (self.stems if word.endswith("*") else self.words).add(word.removesuffix("*"))

    def finish(self) -> Lexicon:
        vocabulary = frozenset(self.words)
        ciphers = build_ciphers(vocabulary)
        disguised = {f" {word} ": key for word, key in ciphers.keys.items()}
        stems: dict[int, set[str]] = {}
        for stem in self.stems:
            stems.setdefault(len(stem), set()).add(stem)
        longest_first = sorted(self.unspaced, key=lambda entry: (-len(entry), entry))
        return Lexicon(
            bits=self.bits,
            classes=[*self.patterns.values(), *[0] * len(disguised)],
            keys=[*[0] * len(self.patterns), *disguised.values()],
            finder=BytesAhoCorasick([pattern.encode() for pattern in (*self.patterns, *disguised)]),
            vocabulary=vocabulary,
            stems={length: frozenset(group) for length, group in sorted(stems.items())},
            unspaced=re.compile("|".join(map(re.escape, longest_first)) or "(?!)"),
            ciphers=ciphers,
        )


def build_lexicon(entries: Iterable[tuple[str, str]]) -> Lexicon:
    """A lexicon of (class, entry); an entry is a word, a stem that ends in a star, or a phrase of words."""
    draft = _Draft()
    for name, entry in entries:
        draft.add(name, entry)
    return draft.finish()
