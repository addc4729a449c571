"""The lexicon: which classes of words a word, a stem or a phrase belongs to, in all languages at once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stook.web.scan.normalise import fold

__all__ = ["UNSPACED", "Lexicon", "Phrase", "PhraseTable", "build_lexicon"]

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that put no blank between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_HEAD = 2  # letters of a stem that decide whether stems are tried at all; no stem is shorter


_COMMON = frozenset(
    "a about all an and any are as at be been before but by can could de do first for from has have he her his i if in is"
    " it its la le like may me more most my new no not now of on only or other our out over s she so t than that the their"
    " them there these they this those time to up us was we were what when where which who will with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """The folded words of a phrase, of which the last may be a stem, and the classes of the whole.

    A phrase is looked up by its rarest word, which is number `key`.
    """

    words: tuple[str, ...]
    key: int
    classes: int

    def matches(self, words: Sequence[str]) -> bool:
        """Whether these folded words are the phrase."""
        last = self.words[-1]
        if len(words) != len(self.words) or tuple(words[:-1]) != self.words[:-1]:
            return False
        return words[-1].startswith(last[:-1]) if last.endswith("*") else words[-1] == last


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """The phrases with one key word: by the word before it, by the word after it, or neither where that is a stem."""

    by_before: Mapping[str, tuple[Phrase, ...]]
    by_after: Mapping[str, tuple[Phrase, ...]]
    others: tuple[Phrase, ...]

    def candidates(self, before: str, after: str) -> tuple[Phrase, ...]:
        """The phrases that may stand around the key word between these folded words."""
        return self.by_before.get(before, ()) + self.by_after.get(after, ()) + self.others


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Classes are bits: `bits` names them, and the classes of a word are a sum of bits.

    `phrases` are found by their key word, `parts` are all words of phrases; `unspaced` matches the entries of scripts
    that put no blanks between words.
    """

    bits: Mapping[str, int]
    words: Mapping[str, int]
    stems: Mapping[int, Mapping[str, int]]
    heads: frozenset[str]
    phrases: Mapping[str, PhraseTable]
    parts: frozenset[str]
    unspaced: re.Pattern[str]

    def classes(self, word: str) -> int:
        """The classes of a folded word by itself."""
        found = self.words.get(word, 0)
        if word[:_HEAD] in self.heads:
            for length, stems in self.stems.items():
                found |= stems.get(word[:length], 0)
        return found

    def knows(self, word: str) -> bool:
        """Whether a folded word has classes or is a part of a phrase."""
        return word in self.parts or self.classes(word) != 0

    def vocabulary(self) -> frozenset[str]:
        """Every single word in the lexicon, those of phrases too; no stems."""
        return frozenset(word for word in self.parts | self.words.keys() if not word.endswith("*"))


@dataclass(slots=True)
class _Draft:
    """A lexicon that grows by entries."""

    bits: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    stems: dict[str, int] = field(default_factory=dict)
    phrases: dict[tuple[str, ...], int] = field(default_factory=dict)
    unspaced: set[str] = field(default_factory=set)

    def add(self, name: str, entry: str) -> None:
        bit = self.bits.setdefault(name, 1 << len(self.bits))
        if UNSPACED.search(entry):
            self.unspaced.add(unicodedata.normalize("NFC", entry))
        words = tuple(fold(word) for word in entry.split())
        if len(words) > 1:
            self.phrases[words] = self.phrases.get(words, 0) | bit
        elif words[0].endswith("*"):
            self.stems[words[0][:-1]] = self.stems.get(words[0][:-1], 0) | bit
        else:
            self.words[words[0]] = self.words.get(words[0], 0) | bit

    def finish(self) -> Lexicon:
        stems: dict[int, dict[str, int]] = {}
        for stem, classes in self.stems.items():
            stems.setdefault(len(stem), {})[stem] = classes
        phrases: dict[str, list[Phrase]] = {}
        for words, classes in self.phrases.items():
            key = max(range(len(words)), key=lambda number: _rarity(words[number]))
            phrases.setdefault(words[key], []).append(Phrase(words, key, classes))
        longest_first = sorted(self.unspaced, key=lambda entry: (-len(entry), entry))
        return Lexicon(
            bits=self.bits,
            words=self.words,
            stems=dict(sorted(stems.items())),
            heads=frozenset(stem[:_HEAD] for stem in self.stems),
            phrases={key: _tabulate(group) for key, group in phrases.items()},
            parts=frozenset(word for words in self.phrases for word in words),
            unspaced=re.compile("|".join(map(re.escape, longest_first)) or "(?!)"),
        )


def _rarity(word: str) -> tuple[bool, bool, int]:
    """Sorts the words of a phrase; a stem is never looked up, and long words are rarer than short ones."""
    return not word.endswith("*"), word not in _COMMON, len(word)


def _tabulate(phrases: Iterable[Phrase]) -> PhraseTable:
    by_before: dict[str, tuple[Phrase, ...]] = {}
    by_after: dict[str, tuple[Phrase, ...]] = {}
    others: tuple[Phrase, ...] = ()
    for phrase in phrases:
        if phrase.key:
            before = phrase.words[phrase.key - 1]
            by_before[before] = (*by_before.get(before, ()), phrase)
        elif phrase.words[1].endswith("*"):
            others = (*others, phrase)
        else:
            by_after[phrase.words[1]] = (*by_after.get(phrase.words[1], ()), phrase)
    return PhraseTable(by_before, by_after, others)


def build_lexicon(entries: Iterable[tuple[str, str]]) -> Lexicon:
    """A lexicon of (class, entry); an entry is a word, a stem that ends in a star, or a phrase of words."""
    draft = _Draft()
    for name, entry in entries:
        draft.add(name, entry)
    return draft.finish()
