"""The progress bars of a long run on stderr: how far each stage is, and what it waits for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from stook.terminal.stage import Stage

if TYPE_CHECKING:
    from stook.engine.door import Door, Waiting
    from stook.engine.tally import Tally

__all__ = ["StageProgress", "pace_note"]


class StageProgress:
    """One bar a stage. Nothing is drawn where stderr is no terminal.

    The first stage expects `packages` visits, each later one as many as the stage before it has done. `gap` gives a
    lane's seconds between two requests.
    """

    def __init__(self, stages: Sequence[Stage], packages: int, gap: Callable[[str], float]) -> None:
        self._packages = packages
        self._gap = gap
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            disable=not self.is_shown,
            transient=True,
        )
        self._bars: list[tuple[Stage, TaskID]] = [
            (stage, self._progress.add_task(stage.label, total=packages, note="")) for stage in stages
        ]

    @property
    def is_shown(self) -> bool:
        return sys.stderr.isatty()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def update(self, tally: Tally, door: Door) -> None:
        """Called a few times a second."""
        waiting = {waiter.lane: waiter for waiter in door.waiting}
        expected = self._packages
        for number, (stage, bar) in enumerate(self._bars):
            done = tally.ended[stage.source]
            expected = max(tally.claimed[stage.source], expected)
            note = self._note(stage, waiting, expected - done if number else 0)
            self._progress.update(bar, completed=done, total=expected or None, note=note)
            expected = done

    def _note(self, stage: Stage, waiting: Mapping[str, Waiting], left: int) -> str:
        waiter = waiting.get(stage.lane)
        if waiter is not None and waiter.is_cooling and waiter.seconds >= 1:
            return f"cooling down, {waiter.seconds:.0f} s"
        if left > 0:
            return pace_note(left, self._gap(stage.lane), datetime.now(UTC).astimezone())
        if waiter is None or waiter.seconds < 1:
            return ""
        return f"next request in {waiter.seconds:.0f} s"


def pace_note(requests: int, gap: float, now: datetime) -> str:
    """The pace of a lane and the time that so many requests take at it; answers may take longer."""
    seconds = requests * gap
    if seconds < 90:
        return f"one request every {gap:g} s, {seconds:.0f} s left"
    return f"one request every {gap:g} s, done about {now + timedelta(seconds=seconds):%H:%M}"
