"""Intervals of versions over byte keys: order, union, intersection, membership, and their form in SQL.

A bound is a cut between keys, just below one or just above it. So `<` and `<=`, `>=` and `>` are one thing on two
sides, and the algebra compares cuts and nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, TypeAlias

__all__ = ["ALL", "BOTTOM", "TOP", "IntervalKeys", "Intervals", "VersionBound", "VersionInterval"]
__all__ += ["contains", "intersect", "interval_keys", "locate", "merge"]

Cut: TypeAlias = tuple[bytes, bool]


@dataclass(frozen=True, slots=True)
class VersionBound:
    """A cut below `key`, or above it with `is_after`; `text` is the version as written, empty at an open end."""

    key: bytes
    is_after: bool = False
    text: str = ""

    @property
    def cut(self) -> Cut:
        """Sorts bounds; the text never counts, as two spellings may have one precedence."""
        return self.key, self.is_after


BOTTOM = VersionBound(b"")
TOP = VersionBound(b"\xff")


@dataclass(frozen=True, slots=True)
class VersionInterval:
    """The versions between two cuts; `low` is below `high`."""

    low: VersionBound
    high: VersionBound

    def __contains__(self, key: bytes) -> bool:
        return self.low.cut <= (key, False) < self.high.cut

    @property
    def is_open_above(self) -> bool:
        return self.high.cut == TOP.cut

    @property
    def is_point(self) -> bool:
        """Whether it holds the versions of one precedence only."""
        return self.low.key == self.high.key


ALL = VersionInterval(BOTTOM, TOP)
Intervals: TypeAlias = tuple[VersionInterval, ...]
"""Sorted, none empty, no two that overlap or touch."""


class IntervalKeys(NamedTuple):
    """An interval for SQL, with the texts of its bounds.

    A version's key k is in it if
    (low_key < k or low_included and low_key = k) and (high_key > k or high_included and high_key = k).
    Open ends are the empty key and 0xff, so that no column is NULL.
    """

    low_key: bytes
    low_included: bool
    high_key: bytes
    high_included: bool
    low: str
    high: str


_LOW_CUT = attrgetter("low.cut")


def merge(intervals: Iterable[VersionInterval]) -> Intervals:
    """Their union: sorted, empty ones dropped, those that overlap or touch joined; a bound keeps its first spelling."""
    united: list[VersionInterval] = []
    for interval in sorted(intervals, key=_LOW_CUT):
        if interval.low.cut >= interval.high.cut:
            continue
        if united and interval.low.cut <= united[-1].high.cut:
            last = united[-1]
            if interval.high.cut > last.high.cut:
                united[-1] = VersionInterval(last.low, interval.high)
        else:
            united.append(interval)
    return tuple(united)


def intersect(left: Intervals, right: Intervals) -> Intervals:
    """The versions in both, in one walk along both."""
    return tuple(_overlaps(left, right))


def _overlaps(left: Intervals, right: Intervals) -> Iterator[VersionInterval]:
    i = j = 0
    while i < len(left) and j < len(right):
        low = max(left[i].low, right[j].low, key=attrgetter("cut"))
        high = min(left[i].high, right[j].high, key=attrgetter("cut"))
        if low.cut < high.cut:
            yield VersionInterval(low, high)
        if left[i].high.cut < right[j].high.cut:
            i += 1
        else:
            j += 1


def locate(intervals: Sequence[VersionInterval], key: bytes) -> VersionInterval | None:
    """The interval of a merged sequence that holds the key."""
    at = bisect_right(intervals, (key, False), key=_LOW_CUT)
    return intervals[at - 1] if at and key in intervals[at - 1] else None


def contains(intervals: Sequence[VersionInterval], key: bytes) -> bool:
    """Whether an interval of a merged sequence holds the key."""
    return locate(intervals, key) is not None


def interval_keys(interval: VersionInterval) -> IntervalKeys:
    """The interval as a row for an index."""
    low, high = interval.low, interval.high
    return IntervalKeys(low.key, not low.is_after, high.key, high.is_after, low.text, high.text)
