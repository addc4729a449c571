"""Dates as sources write them, as precise as they are."""

from __future__ import annotations

import calendar
import re
from datetime import date as Date  # noqa: N812  the function's argument is a date

__all__ = ["parse_date"]

_MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if number
}
_MONTH_YEAR = re.compile(r"(\w{1,20}) (\d{4})", re.ASCII)
_MONTH_DAY_YEAR = re.compile(r"(\w{1,20}) (\d{1,2}), (\d{4})", re.ASCII)
_YEAR_MONTH_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_YEAR_MONTH = re.compile(r"(\d{4})-(\d{1,2})", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)


def parse_date(value: object, *, as_text: bool = True) -> str | Date | None:
    """A date as `2012`, `2012-02` or `2012-02-11`, or as the first day of what it names; None if there is none.

    Understood: `February 2012`, `Feb 11, 2012`, `2012-2-3`, `2012-02`, `2012`, anywhere in the text. A `date` comes
    back as it is. A day that the calendar lacks, or a month of no English name, is not taken for less than it says:
    it gives None.
    """
    if isinstance(value, Date):
        return value
    parts = _parts(str(value))
    if parts is None:
        return None
    year, month, day = parts
    try:
        first = Date(year, month or 1, day or 1)
    except ValueError:
        return None
    if not as_text:
        return first
    return "-".join([f"{year:04}", *(f"{part:02}" for part in (month, day) if part is not None)])


def _parts(text: str) -> tuple[int, int | None, int | None] | None:
    if found := _MONTH_YEAR.search(text):
        month = _MONTHS.get(found[1].lower())
        return (int(found[2]), month, None) if month else None
    if found := _MONTH_DAY_YEAR.search(text):
        month = _MONTHS.get(found[1].lower())
        return (int(found[3]), month, int(found[2])) if month else None
    if found := _YEAR_MONTH_DAY.search(text):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _YEAR_MONTH.search(text):
        return int(found[1]), int(found[2]), None
    if found := _YEAR.search(text):
        return int(found[0]), None, None
    return None
