"""Go's spellings: escaped names, pseudo-versions, timestamps."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.testing.modules import escape, is_pseudo, pseudo_time, stamp, unescape


@given(st.text("abcXYZ019./-_~+", max_size=30))
def test_unescape_undoes_escape(text):
    """Every name survives the round trip, and no upper-case letter is sent."""
    assert escape(text) == escape(text).lower()
    assert unescape(escape(text)) == text


@pytest.mark.parametrize("text", ["Upper", "a!", "a!!b", "a!1"])
def test_unescape_refuses_what_escape_never_writes(text):
    """Raw upper case and a stray exclamation mark are errors."""
    assert unescape(text) is None


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v0.0.0-20191109021931-daa7c04131f5", True),
        ("v1.2.4-0.20191109021931-daa7c04131f5", True),
        ("v1.2.3-pre.0.20191109021931-daa7c04131f5", True),
        ("v2.0.1-0.20191109021931-daa7c04131f5+incompatible", True),
        ("v1.2.3-20191109021931-daa7c04131f5", False),
        ("v1.2.3", False),
    ],
)
def test_pseudo_versions(version, expected):
    """All three forms are known, and the look-alike is not one."""
    assert is_pseudo(version) is expected
    assert (pseudo_time(version) == datetime(2019, 11, 9, 2, 19, 31)) is expected


def test_stamps_drop_trailing_zeros():
    """As Go writes times: the fraction is as short as it can be."""
    assert stamp(datetime(2026, 1, 2, 3, 4, 5, 120_000)) == "2026-01-02T03:04:05.12Z"
    assert stamp(datetime(2026, 1, 2, 3, 4, 5)) == "2026-01-02T03:04:05Z"
