"""The progress line: the API's pace, and when it will be done."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from stook.engine.tally import Tally
from stook.terminal.progress import StageProgress, pace_note
from stook.terminal.stage import Stage

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
def test_pace_note(requests: int, gap: float, note: str) -> None:
    """It says what is waited for, in seconds at the end and by the clock before."""
    assert pace_note(requests, gap, NOON) == note


STAGES = (Stage("files", "files source", "shop.files"), Stage("API", "API source", "shop.api"))


def bars(tally: Tally, *waiting: Any) -> list[tuple[str, float, float | None, str]]:
    """What the bars show: label, done, expected, note."""
    progress = StageProgress(STAGES, 10, lambda lane: 2.0 if lane == "shop.api" else 0.0)
    progress.update(tally, SimpleNamespace(waiting=waiting))  # type: ignore[arg-type]
    return [(task.description, task.completed, task.total, task.fields["note"]) for task in progress._progress.tasks]


def test_stages() -> None:
    """The first stage expects the packages that were named, a later one as many as came through the one before."""
    tally = Tally(ended=Counter({"files source": 4, "API source": 1}), claimed=Counter({"API source": 2}))
    assert bars(tally) == [("files", 4, 10, ""), ("API", 1, 4, "one request every 2 s, 6 s left")]


def test_more_than_was_named() -> None:
    """What the first packages announced counts too: no bar is over-full."""
    tally = Tally(ended=Counter({"files source": 12}), claimed=Counter({"files source": 15}))
    assert bars(tally)[0][:3] == ("files", 12, 15)


def test_a_cooldown_is_shown() -> None:
    """A stage whose lane cools down says so, and for how long."""
    cooling = SimpleNamespace(lane="shop.api", seconds=40.0, is_cooling=True)
    assert bars(Tally(ended=Counter({"files source": 4})), cooling)[1][3] == "cooling down, 40 s"
