"""Intervals as text and with brackets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stook.advisories.ranges import VersionBound, VersionInterval, brackets, from_text, merge, to_text
from stook.advisories.ranges.interval import BOTTOM, TOP
from stook.engine.errors import Malformed

from ..orders import crates_order  # noqa: TID252

VERSIONS = ["0.0.0-0", "0.1.0", "1.0.0-rc.1", "1.0.0", "1.0.0+incompatible", "1.2.3-0.20210101000000-0123456789ab"]


def bound(text: str, is_after: bool) -> VersionBound:
    return VersionBound(crates_order(text) or b"", is_after, text)


bounds = st.builds(bound, st.sampled_from(VERSIONS), st.booleans())
interval_lists = st.lists(st.builds(VersionInterval, bounds | st.just(BOTTOM), bounds | st.just(TOP)), max_size=6)


@settings(deadline=None)
@given(interval_lists)
def test_text_parses_back(pieces: list[VersionInterval]) -> None:
    """Merged intervals are the same after a trip through their text, spelling of bounds included."""
    intervals = merge(pieces)
    back = from_text(to_text(intervals), crates_order)
    assert [(one.low.cut, one.high.cut) for one in back] == [(one.low.cut, one.high.cut) for one in intervals]
    assert to_text(back) == to_text(intervals)


@pytest.mark.parametrize(
    ("text", "canonical", "bracketed"),
    [
        ("*", "*", "(,)"),
        ("", "", ""),
        (">=1.2.0,<1.2.5||>=2.0.0", ">=1.2.0, <1.2.5 || >=2.0.0", "[1.2.0,1.2.5)|[2.0.0,)"),
        ("<=1.0.0", "<=1.0.0", "(,1.0.0]"),
        ("1.0.0", "=1.0.0", "[1.0.0]"),
        (">1.0.0, <2.0.0", ">1.0.0, <2.0.0", "(1.0.0,2.0.0)"),
        (">=2.0.0, <1.0.0", "", ""),
        ("<2.0.0 || >=1.0.0", "*", "(,)"),
        (">=1.0.0, >=1.5.0, <3.0.0, <2.0.0", ">=1.5.0, <2.0.0", "[1.5.0,2.0.0)"),
    ],
)
def test_forms(text: str, canonical: str, bracketed: str) -> None:
    """What people write is understood, and both forms are canonical."""
    intervals = from_text(text, crates_order)
    assert to_text(intervals) == canonical
    assert brackets(intervals) == bracketed


@pytest.mark.parametrize(
    "text", [">=", "~1.0.0", "!=1.0.0", ">*", ">=1.0", "1.0.0 2.0.0", "|| 1.0.0", ",", "1" * 1_000_001]
)
def test_other_texts_are_refused(text: str) -> None:
    """A constraint that is not understood is an error, never a wider range."""
    with pytest.raises(Malformed):
        from_text(text, crates_order)
