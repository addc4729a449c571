"""Times of the index and the proxy: RFC 3339 text to nanoseconds and back, without rounding."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from stook.engine.errors import Malformed

__all__ = ["MICROSECOND", "datetime_nanoseconds", "moment", "nanoseconds", "rfc3339"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEGINNING = _EPOCH.replace(tzinfo=None)  # without zones the difference costs half
_FIRST_DAY = (datetime.min - _BEGINNING).days
_LAST_DAY = (datetime.max - _BEGINNING).days
_SECOND = 1_000_000_000  # nanoseconds
MICROSECOND = 1_000
_STAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6}([0-9]{0,94}))?(?:Z|[-+][0-9]{2}:[0-9]{2})"
)


def nanoseconds(raw: str) -> int:
    """RFC 3339 text as nanoseconds since 1970; finer digits are cut, never rounded up. Raises Malformed."""
    match = _STAMP.fullmatch(raw)
    try:
        if match is None:
            raise ValueError
        elapsed = (
            datetime.fromisoformat(raw[:-1]) - _BEGINNING if raw[-1] == "Z" else datetime.fromisoformat(raw) - _EPOCH
        )
    except (ValueError, OverflowError):
        raise Malformed(f"not an RFC 3339 time: {raw[:60]!r}") from None
    if not _FIRST_DAY <= elapsed.days <= _LAST_DAY:  # an offset may lead out of the calendar
        raise Malformed(f"not a time of the years 1 to 9999: {raw[:60]!r}")
    time = (elapsed.days * 86_400 + elapsed.seconds) * _SECOND + elapsed.microseconds * MICROSECOND
    finer = match[1]
    return time + int(finer[:3].ljust(3, "0")) if finer else time


def rfc3339(time: int) -> str:
    """Nanoseconds as the index writes them: UTC, no trailing zeros, `Z`."""
    seconds, fraction = divmod(time, _SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return f"{text}.{fraction:09d}".rstrip("0") + "Z" if fraction else f"{text}Z"


def moment(time: int) -> datetime:
    """Nanoseconds as this project keeps times: UTC, no zone, microseconds, cut."""
    return _BEGINNING + timedelta(microseconds=time // MICROSECOND)


def datetime_nanoseconds(moment: datetime) -> int:
    """The inverse of `moment`, for a UTC time without a zone."""
    elapsed = moment.replace(tzinfo=UTC) - _EPOCH
    return (elapsed.days * 86_400 + elapsed.seconds) * _SECOND + elapsed.microseconds * MICROSECOND
