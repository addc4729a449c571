"""Dates are read as precisely as they are written, and what is no date is none."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.datasets.model.dates import parse_date


@pytest.mark.parametrize(
    ("value", "text", "first"),
    [
        ("February 2012", "2012-02", date(2012, 2, 1)),
        ("feb 2012", "2012-02", date(2012, 2, 1)),
        ("February 11, 2012", "2012-02-11", date(2012, 2, 11)),
        ("Feb 1, 2012", "2012-02-01", date(2012, 2, 1)),
        ("2012-02-03", "2012-02-03", date(2012, 2, 3)),
        ("2012-2-3T10:00", "2012-02-03", date(2012, 2, 3)),
        ("2012-2", "2012-02", date(2012, 2, 1)),
        ("2012", "2012", date(2012, 1, 1)),
        (2012, "2012", date(2012, 1, 1)),
        ("(c) 2012", "2012", date(2012, 1, 1)),
        ("20120203", "2012", date(2012, 1, 1)),
        ("03 2012", None, None),
        ("février 2012", None, None),
        ("2012-13-01", None, None),
        ("February 30, 2012", None, None),
        ("0000", None, None),
        ("", None, None),
        (None, None, None),
        ("١٩٩٩", None, None),
    ],
)
def test_forms(value: object, text: str | None, first: date | None) -> None:
    """As text and as the first day of what is said."""
    assert parse_date(value) == text
    assert parse_date(value, as_text=False) == first


def test_a_date_stays() -> None:
    """A date comes back as it is, asked for text or not."""
    assert parse_date(date(2012, 2, 3)) == date(2012, 2, 3)


@given(st.text())
def test_any_text_ends_well(text: str) -> None:
    """A date or None, never an error."""
    parse_date(text)
    parse_date(text, as_text=False)
