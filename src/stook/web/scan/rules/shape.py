"""Shapes: which classes of words, in which order and how near, make a rule fire."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stook.web.scan.normalise import SENTENCE

__all__ = ["Hits", "Shape", "find_shape", "index_hits", "parse_shape"]

_SYNTAX = re.compile(r"(?P<steps>[^~]+?) ~ (?P<within>\d+)(?P<across> across)?(?: not (?P<without>[a-z_|]+))?")
_MARGIN = 3  # words beside a match in which a word of `without` spoils it


@dataclass(frozen=True, slots=True)
class Shape:
    """Steps are sets of classes, each met by a word of its own, at most `within` words from first to last.

    `bits` holds the single classes of each step.

    An `ordered` shape wants the words in the order of the steps. A shape stays inside a sentence unless it goes
    `across`. A word of a class in `without`, inside the match or near it, spoils the match.
    """

    steps: tuple[int, ...]
    bits: tuple[tuple[int, ...], ...]
    within: int
    ordered: bool
    across: bool
    without: int


@dataclass(frozen=True, slots=True)
class Hits:
    """The known words of a text in order: which word each is, where it begins in `words`, and its classes.

    `words` is the spelled-out text. `by_class` holds the hits (by number) of each class, in groups; `present` all
    classes that occur.
    """

    words: bytes
    places: Sequence[int]
    offsets: Sequence[int]
    classes: Sequence[int]
    by_class: Mapping[int, Sequence[Sequence[int]]]
    present: int


def index_hits(words: bytes, places: Sequence[int], offsets: Sequence[int], classes: Sequence[int]) -> Hits:
    """Index hits by class. Words with the same classes are one group, so this is quick for long texts, too."""
    groups: dict[int, list[int]] = {}
    for number, found in enumerate(classes):
        groups.setdefault(found, []).append(number)
    by_class: dict[int, list[Sequence[int]]] = {}
    present = 0
    for found, numbers in groups.items():
        present |= found
        while found:
            bit = found & -found
            by_class.setdefault(bit, []).append(numbers)
            found ^= bit
    return Hits(words, places, offsets, classes, by_class, present)


def parse_shape(text: str, bits: Mapping[str, int]) -> Shape:
    """Read `a > b|c > d ~ 8` (in this order) or `a & b ~ 8 across not e` (in any order).

    A class that no language has makes a `KeyError`, another mistake a `ValueError`.
    """
    match = _SYNTAX.fullmatch(text)
    if match is None:
        raise ValueError(f"not a shape: {text!r}")
    steps = [[bits[name] for name in step.strip().split("|")] for step in re.split("[>&]", match["steps"])]
    return Shape(
        steps=tuple(map(sum, steps)),
        bits=tuple(map(tuple, steps)),
        within=int(match["within"]),
        ordered="&" not in match["steps"],
        across=bool(match["across"]),
        without=_classes(match["without"], bits) if match["without"] else 0,
    )


def _classes(names: str, bits: Mapping[str, int]) -> int:
    return sum(bits[name] for name in set(names.split("|")))


def find_shape(shape: Shape, hits: Hits) -> Iterator[tuple[int, int]]:
    """The places of the first and the last word of each match.

    Only the surroundings of words of the rarest step are looked at, so a text is cheap that lacks a step.
    """
    for step in shape.steps:
        if not step & hits.present:
            return
    anchors = _rarest_step(shape, hits)
    reach = -1  # the last place of the match before
    for anchor in anchors:
        if hits.places[anchor] <= reach:
            continue
        near = _neighbourhood(shape, hits, anchor)
        match = _match_ordered(shape, hits, near) if shape.ordered else _match_any(shape, hits, near, anchor)
        if match is not None and not _is_spoilt(shape, hits, match):
            yield match
            reach = match[1]


def _rarest_step(shape: Shape, hits: Hits) -> list[int]:
    """The hits that meet the step which the fewest hits meet."""
    fewest: list[Sequence[int]] = []
    least = len(hits.places) * len(shape.bits) + 1
    for bits in shape.bits:
        groups = [group for bit in bits for group in hits.by_class.get(bit, ())]
        count = sum(map(len, groups))
        if count < least:
            fewest, least = groups, count
    return sorted({number for group in fewest for number in group})


def _neighbourhood(shape: Shape, hits: Hits, anchor: int) -> range:
    """The hits within reach of one, and in its sentence where the shape asks for that."""
    place = hits.places[anchor]
    low = bisect_left(hits.places, place - shape.within)
    high = bisect_right(hits.places, place + shape.within)
    if not shape.across:
        offset = hits.offsets[anchor]
        low = max(low, bisect_left(hits.offsets, hits.words.rfind(SENTENCE, hits.offsets[low], offset)))
        end = hits.words.find(SENTENCE, offset, hits.offsets[high - 1])
        high = high if end < 0 else min(high, bisect_left(hits.offsets, end))
    return range(low, high)


def _match_ordered(shape: Shape, hits: Hits, near: range) -> tuple[int, int] | None:
    """The first match in the neighbourhood; taking the nearest word for each step never loses one."""
    for start in near:
        if not hits.classes[start] & shape.steps[0]:
            continue
        last = hits.places[start] + shape.within
        step = 1
        place = hits.places[start]
        for number in range(start + 1, near.stop):
            if step == len(shape.steps) or hits.places[number] > last:
                break
            if hits.classes[number] & shape.steps[step]:
                step += 1
                place = hits.places[number]
        if step == len(shape.steps):
            return hits.places[start], place
    return None


def _match_any(shape: Shape, hits: Hits, near: range, anchor: int) -> tuple[int, int] | None:
    """A match around the anchor, whatever the order: each step takes the free word that is nearest to the anchor."""
    centre = hits.places[anchor]
    by_distance = sorted(near, key=lambda number: abs(hits.places[number] - centre))
    free = [(hits.classes[number], hits.places[number]) for number in by_distance]
    taken: list[int] = []
    for step in sorted(shape.steps, key=lambda step: sum(1 for classes, _ in free if classes & step)):
        number = next((number for number, (classes, _) in enumerate(free) if classes & step), None)
        if number is None:
            return None
        taken.append(free.pop(number)[1])
    if max(taken) - min(taken) > shape.within:
        return None
    return min(taken), max(taken)


def _is_spoilt(shape: Shape, hits: Hits, match: tuple[int, int]) -> bool:
    if not shape.without:
        return False
    start = bisect_left(hits.places, match[0] - _MARGIN)
    stop = bisect_right(hits.places, match[1] + _MARGIN)
    return any(hits.classes[number] & shape.without for number in range(start, stop))
