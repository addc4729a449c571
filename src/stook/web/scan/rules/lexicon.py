"""The lexicon: which classes of words a word, a stem or a phrase belongs to, in all languages at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ahocorasick_rs import BytesAhoCorasick

from stook.web.scan.decode import Ciphers, build_ciphers
from stook.web.scan.normalise import fold

__all__ = ["UNSPACED", "Lexicon", "Term", "build_lexicon"]

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that put no blank between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


@dataclass(frozen=True, slots=True)
class Term:
    """What a pattern stands for: a word with classes, or a known word under the key of a cipher."""

    classes: int = 0
    cipher: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Classes are bits: `bits` names them, and the classes of a word are a sum of bits.

    `finder` finds patterns in spelled-out text; `terms` says what each of them, by number, stands for. `unspaced`
    matches the entries of scripts that put no blanks between words.
    """

    bits: Mapping[str, int]
    terms: Sequence[Term]
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
        terms = {pattern: Term(classes=classes) for pattern, classes in self.patterns.items()}
        terms.update((f" {word} ", Term(cipher=key)) for word, key in ciphers.keys.items())
        stems: dict[int, set[str]] = {}
        for stem in self.stems:
            stems.setdefault(len(stem), set()).add(stem)
        longest_first = sorted(self.unspaced, key=lambda entry: (-len(entry), entry))
        return Lexicon(
            bits=self.bits,
            terms=tuple(terms.values()),
            finder=BytesAhoCorasick([pattern.encode() for pattern in terms]),
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
