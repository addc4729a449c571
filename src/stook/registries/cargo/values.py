"""Upstream's values as our columns can hold them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

__all__ = ["moment", "without_nul"]

# An escaped NUL inside a JSON text; a backslash that is itself escaped does not begin one.
_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")


def without_nul(raw: bytes) -> bytes:
    """JSON text with the replacement character for NUL, which PostgreSQL's text cannot hold."""
    return _NUL.sub(rb"\1\\ufffd", raw) if b"\\u0000" in raw else raw


def moment(text: str | None) -> datetime | None:
    """A time as naive UTC; ValueError when it is none, or lies outside the calendar."""
    if not text:
        return None
    try:
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ValueError(f"not a time: {text[:80]!r}") from None
