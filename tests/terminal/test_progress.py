"""The progress line: the API's pace, and when it will be done."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stook.terminal.progress import api_note

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("requests", "gap", "note"),
    [
        (10, 1.0, "one request every 1 s, 10 s left"),
        (7, 0.2, "one request every 0.2 s, 1 s left"),
        (180, 1.0, "one request every 1 s, done about 12:03"),
        (7200, 1.0, "one request every 1 s, done about 14:00"),
    ],
)
def test_api_note(requests: int, gap: float, note: str) -> None:
    """It says what is waited for, in seconds at the end and by the clock before."""
    assert api_note(requests, gap, NOON) == note
