"""Upstream's values as our columns can hold them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["moment"]


def moment(text: str | None) -> datetime | None:
    """A time as naive UTC; ValueError when it is none, or lies outside the calendar."""
    if not text:
        return None
    try:
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ValueError(f"not a time: {text[:80]!r}") from None
