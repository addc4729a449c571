"""Intervals: union, intersection, membership, and the row for SQL."""

from __future__ import annotations

import sqlite3
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from stook.advisories.ranges import ALL, VersionBound, VersionInterval, contains, intersect, interval_keys, merge
from stook.advisories.ranges.interval import BOTTOM, TOP

KEYS = [bytes([number]) for number in range(1, 10)]
keys = st.sampled_from(KEYS)
bounds = st.builds(VersionBound, keys, st.booleans())
intervals = st.builds(VersionInterval, bounds | st.just(BOTTOM), bounds | st.just(TOP))
lists = st.lists(intervals, max_size=8)


def at(key: bytes, text: str = "", *, after: bool = False) -> VersionBound:
    return VersionBound(key, after, text)


@settings(deadline=None)
@given(lists)
def test_merge_keeps_exactly_what_was_there(pieces: list[VersionInterval]) -> None:
    """A key is in the union if it was in any piece, and the union is sorted with gaps between its intervals."""
    united = merge(pieces)
    for key in KEYS:
        assert contains(united, key) == any(key in piece for piece in pieces)
    assert all(one.low.cut < one.high.cut for one in united)
    assert all(one.high.cut < other.low.cut for one, other in pairwise(united))
    assert merge(reversed(united)) == united


@settings(deadline=None)
@given(lists, lists)
def test_intersection(left: list[VersionInterval], right: list[VersionInterval]) -> None:
    """A key is in the intersection if it is in both, and the result is merged already."""
    both = intersect(merge(left), merge(right))
    for key in KEYS:
        assert contains(both, key) == (contains(merge(left), key) and contains(merge(right), key))
    assert merge(both) == both


def test_touching_intervals_join() -> None:
    """`[a,b)` and `[b,c)` are one interval; `[a,b)` and `(b,c)` leave out b."""
    low, middle, high = KEYS[0], KEYS[4], KEYS[8]
    left, right = VersionInterval(at(low), at(middle)), VersionInterval(at(middle), at(high))
    assert merge([left, right]) == (VersionInterval(at(low), at(high)),)
    apart = VersionInterval(at(middle, after=True), at(high))
    assert merge([left, apart]) == (left, apart)
    assert not contains((left, apart), middle)


def test_spellings_of_one_precedence_are_one_bound() -> None:
    """`1.0.0+a` and `1.0.0` have one key, so intervals that meet there touch."""
    left = VersionInterval(BOTTOM, at(KEYS[2], "1.0.0+a"))
    assert merge([left, VersionInterval(at(KEYS[2], "1.0.0"), TOP)]) == (ALL,)


@settings(deadline=None)
@given(lists)
def test_rows_answer_in_sql_as_intervals_do(pieces: list[VersionInterval]) -> None:
    """The documented condition over an interval's row finds exactly the keys that the interval holds."""
    united = merge(pieces)
    connection = sqlite3.connect(":memory:")
    connection.execute("create table i (low_key blob, low_included int, high_key blob, high_included int)")
    connection.executemany("insert into i values (?, ?, ?, ?)", [interval_keys(one)[:4] for one in united])
    query = """select count(*) from i where (low_key < :k or low_included and low_key = :k)
               and (high_key > :k or high_included and high_key = :k)"""
    for key in KEYS:
        (count,) = connection.execute(query, {"k": key}).fetchone()
        assert count == contains(united, key)
    connection.close()


def test_a_row_carries_texts_and_has_no_null() -> None:
    """Open ends are the empty key and 0xff; bounds keep their spelling."""
    assert interval_keys(ALL) == (b"", True, b"\xff", False, "", "")
    row = interval_keys(VersionInterval(at(KEYS[0], "1.0.0"), at(KEYS[1], "2.0.0", after=True)))
    assert row == (KEYS[0], True, KEYS[1], True, "1.0.0", "2.0.0")
