"""A reading: where in a text stand the words that the lexicon knows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter

from stook.web.scan.normalise import locate_words, spell_out
from stook.web.scan.rules.lexicon import Lexicon
from stook.web.scan.rules.repair import Repair, repair_words
from stook.web.scan.rules.shape import Hits, index_hits

__all__ = ["Reading", "read_text"]


@dataclass(frozen=True, slots=True)
class Reading:
    """`hits` are the known words by place (number of the word in `words`), `ciphers` words that are known under a key.

    `words` is the text spelled out and repaired.
    """

    text: str
    words: bytes
    repairs: Sequence[Repair]
    hits: Hits
    ciphers: Sequence[tuple[int, int]]

    def is_disguised(self, first: int, last: int) -> bool:
        """Whether a word between these places was written so as not to be read by a machine."""
        number = bisect_left(self.repairs, first, key=lambda repair: repair.place + repair.extra)
        near = self.repairs[number : bisect_left(self.repairs, last + 1, key=lambda repair: repair.place)]
        return any(repair.disguise for repair in near)

    def words_at(self, places: Iterable[int]) -> Iterator[bytes]:
        """The words at these places."""
        words = self.words.split(b" ")
        return (words[place + 1] for place in places)

    def positions(self, places: Sequence[int]) -> Sequence[int]:
        """Where the words at these places (in ascending order) begin in the text."""
        extras = [0, *accumulate(repair.extra for repair in self.repairs)]
        starts = [repair.place for repair in self.repairs]
        before = [place - extras[bisect_left(starts, place)] for place in places]
        return list(locate_words(self.text, list(accumulate(before, max))))


def read_text(text: str, lexicon: Lexicon) -> Reading:
    """Find the entries of the lexicon in a text, in time linear in the text and in what is found."""
    spelled = repair_words(spell_out(text), lexicon)
    words, classes_of = spelled.words, lexicon.classes
    places: list[int] = []
    offsets: list[int] = []
    classes: list[int] = []
    ciphers: list[tuple[int, int]] = []
    place = last = 0
    for number, start, _ in sorted(lexicon.finder.find_matches_as_indexes(words, overlapping=True), key=itemgetter(1)):
        found = classes_of[number]
        if start != last:
            place += words.count(b" ", last, start)
            last = start
        elif found and classes and offsets[-1] == start:
            classes[-1] |= found
            continue
        if found:
            places.append(place)
            offsets.append(start)
            classes.append(found)
        else:
            ciphers.append((place, lexicon.keys[number]))
    return Reading(text, words, spelled.repairs, index_hits(words, places, offsets, classes), ciphers)
