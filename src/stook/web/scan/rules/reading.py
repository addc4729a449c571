"""A reading: the words of a text, and those among them that the lexicon knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from stook.web.scan.normalise import SENTENCE, fold, split_words
from stook.web.scan.rules.lexicon import Lexicon, Phrase, PhraseTable
from stook.web.scan.rules.shape import Hits, index_hits
from stook.web.scan.rules.word import Look, WordFacts

__all__ = ["Reading", "locate_words", "read_text"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a text in order, as written, with `hits` where the lexicon knows them.

    `known` are the different words with classes or phrases, `others` those that only look like a part of something.
    """

    text: str
    words: Sequence[str]
    known: Mapping[str, WordFacts]
    others: Mapping[str, WordFacts]
    hits: Hits

    def is_disguised(self, first: int, last: int) -> bool:
        """Whether a word of this stretch was written with letters or digits that only look like its own."""
        stretch = (self.known.get(word) for word in self.words[first : last + 1])
        return any(facts is not None and facts.disguised for facts in stretch)


def read_text(text: str, lexicon: Lexicon, judge: Callable[[str], WordFacts | None]) -> Reading:
    """Each different word is judged once, so the cost follows the vocabulary more than the length."""
    words = split_words(text)
    facts = {word: fact for word in set(words) if (fact := judge(word)) is not None}
    parts = {word: _cut(word, lexicon) for word, fact in facts.items() if fact.look is Look.UNSPACED}
    if parts:
        words = [part for word in words for part in parts.get(word, (word,))]
        facts.update((word, fact) for word in chain(*parts.values()) if (fact := judge(word)) is not None)
    known = {word: fact for word, fact in facts.items() if fact.classes or fact.plain in lexicon.phrases}
    others = {word: fact for word, fact in facts.items() if word not in known}
    return Reading(text, words, known, others, _find_hits(words, known, lexicon))


def _cut(word: str, lexicon: Lexicon) -> Sequence[str]:
    """A run of a script without blanks as the known words in it and what stands between them."""
    return lexicon.unspaced.sub(r" \g<0> ", word).split()


def _find_hits(words: Sequence[str], known: Mapping[str, WordFacts], lexicon: Lexicon) -> Hits:
    classes = {word: fact.classes for word, fact in known.items() if fact.classes}
    tables = {word: lexicon.phrases[fact.plain] for word, fact in known.items() if fact.plain in lexicon.phrases}
    found = {place: classes[word] for place, word in enumerate(words) if word in classes}
    for place, table in [(place, tables[word]) for place, word in enumerate(words) if word in tables]:
        for phrase in _phrases_around(table, words, place, known):
            start = place - phrase.key
            found[start] = found.get(start, 0) | phrase.classes
    places = sorted(found)
    ends = [place for place, word in enumerate(words) if word == SENTENCE]
    return index_hits(places, [found[place] for place in places], ends)


def _phrases_around(
    table: PhraseTable, words: Sequence[str], place: int, known: Mapping[str, WordFacts]
) -> Iterator[Phrase]:
    before = _plain(words[place - 1], known) if place else ""
    after = _plain(words[place + 1], known) if place + 1 < len(words) else ""
    for phrase in table.candidates(before, after):
        start = place - phrase.key
        stretch = words[max(0, start) : start + len(phrase.words)]
        if phrase.matches([_plain(word, known) for word in stretch]):
            yield phrase


def _plain(word: str, known: Mapping[str, WordFacts]) -> str:
    fact = known.get(word)
    return fact.plain if fact is not None else fold(word)


def locate_words(reading: Reading, places: Sequence[int]) -> Iterator[int]:
    """Where the words at these places (in ascending order) begin in the text."""
    wanted = iter(places)
    place = next(wanted, None)
    position = 0
    for number, word in enumerate(reading.words):
        if place is None:
            return
        if word != SENTENCE:
            position = reading.text.find(word, position)
        while place == number:
            yield position
            place = next(wanted, None)
        if word != SENTENCE:
            position += len(word)
