"""Times as the index writes them."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import Malformed
from stook.registries.golang.times import datetime_nanoseconds, moment, nanoseconds, rfc3339

FIRST = nanoseconds("0001-01-01T00:00:00Z")
LAST = nanoseconds("9999-12-31T23:59:59.999999999Z")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.5Z", 500_000_000),
        ("1970-01-01T00:00:01.000000001Z", 1_000_000_001),
        ("1970-01-01T00:00:00.0000000019Z", 1),
        ("1970-01-01T00:00:00.999999999999Z", 999_999_999),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:30:00.25-00:30", 250_000_000),
        ("2019-04-10T19:08:52.997264Z", 1_554_923_332_997_264_000),
    ],
)
def test_nanoseconds(raw: str, expected: int) -> None:
    """Text becomes the exact number, cut at nanoseconds."""
    assert nanoseconds(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "", "Z", "2019-04-10", "2019-04-10 19:08:52Z", "2019-04-10T19:08:52", "2019-04-10t19:08:52z",
        "2019-13-10T19:08:52Z", "2019-02-29T00:00:00Z", "2019-04-10T24:00:00Z", "2019-04-10T19:08:60Z",
        "2019-W15-3T19:08:52Z", "0000-01-01T00:00:00Z", "2019-04-10T19:08:52.Z", "2019-04-10T19:08:52Z\n",
        "2019-04-10T19:08:52+25:00", "２019-04-10T19:08:52Z",
    ],
)  # fmt: skip
def test_no_time(raw: str) -> None:
    """Anything but RFC 3339 with a zone is refused."""
    with pytest.raises(Malformed, match="not an RFC 3339 time"):
        nanoseconds(raw)


def test_text_order_is_not_time_order() -> None:
    """Trimmed zeros turn the order of texts round; integers keep it."""
    earlier, later = "2019-04-10T19:08:52.6889Z", "2019-04-10T19:08:52.68895Z"
    assert earlier > later
    assert nanoseconds(earlier) < nanoseconds(later)


@given(st.integers(FIRST, LAST))
def test_text_and_back(time: int) -> None:
    """Writing a time and reading it is identity."""
    assert nanoseconds(rfc3339(time)) == time


@given(st.integers(FIRST, LAST))
def test_moment_cuts(time: int) -> None:
    """A moment is never later than the time it stands for, and less than a microsecond earlier."""
    assert 0 <= time - datetime_nanoseconds(moment(time)) < 1_000


def test_zeros_are_trimmed() -> None:
    """Times are written as Go writes them."""
    assert rfc3339(1_500_000_000) == "1970-01-01T00:00:01.5Z"
    assert rfc3339(1_000_000_000) == "1970-01-01T00:00:01Z"
    assert moment(0) == datetime(1970, 1, 1)
