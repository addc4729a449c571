"""VERS: canonical out, canonical in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from stook.advisories.ranges import VersionInterval, from_text, from_vers, merge, to_text, to_vers
from stook.engine.errors import Malformed

from ..orders import crates_order  # noqa: TID252
from .test_notation import interval_lists  # noqa: TID252


@settings(deadline=None)
@given(interval_lists)
def test_vers_parses_back(pieces: list[VersionInterval]) -> None:
    """Every set of versions but the empty one is the same after a trip through its VERS."""
    intervals = merge(pieces)
    vers = to_vers(intervals, "cargo")
    if intervals:
        kind, back = from_vers(vers, crates_order)
        assert kind == "cargo"
        assert [(one.low.cut, one.high.cut) for one in back] == [(one.low.cut, one.high.cut) for one in intervals]
        assert to_vers(back, "cargo") == vers
    else:
        assert vers == ""


@pytest.mark.parametrize(
    ("text", "vers"),
    [
        ("*", "vers:cargo/*"),
        ("<1.2.5", "vers:cargo/<1.2.5"),
        ("<=1.2.5", "vers:cargo/<=1.2.5"),
        (">=1.2.0, <1.2.5 || >=2.0.0", "vers:cargo/>=1.2.0|<1.2.5|>=2.0.0"),
        ("=1.0.0", "vers:cargo/1.0.0"),
        ("<1.0.0 || >1.0.0", "vers:cargo/!=1.0.0"),
        (">=0.1.0, <1.0.0 || >1.0.0, <2.0.0", "vers:cargo/>=0.1.0|!=1.0.0|<2.0.0"),
        ("<3.0.0+incompatible", "vers:cargo/<3.0.0+incompatible"),
        ("=1.0.0 || >1.5.0", "vers:cargo/1.0.0|>1.5.0"),
    ],
)
def test_forms(text: str, vers: str) -> None:
    """One way to write each set; `+` is not encoded."""
    assert to_vers(from_text(text, crates_order), "cargo") == vers
    assert to_text(from_vers(vers, crates_order)[1]) == text


@pytest.mark.parametrize(
    "vers",
    [
        "vers:cargo/",
        "vers:Cargo/1.0.0",
        "vers:cargo/>=2.0.0|<1.0.0",
        "vers:cargo/1.0.0|1.0.0+b",
        "vers:cargo/>=1.0.0|>=2.0.0",
        "vers:cargo/<1.0.0|<2.0.0",
        "vers:cargo/>=1.0.0| <2.0.0",
        "vers:cargo/=1.0.0",
        "vers:cargo/*|1.0.0",
        "vers:cargo/>=1.0.0|1.5.0|<2.0.0",
        "vers:cargo/%31.0.0",
        "1.0.0",
    ],
)
def test_what_is_not_canonical_is_refused(vers: str) -> None:
    """The standard asks for an error, not for repair."""
    with pytest.raises(Malformed):
        from_vers(vers, crates_order)
