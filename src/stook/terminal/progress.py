"""What a terminal shows during a long run: how far it is, and what it waits for."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from stook.engine.door import Door
    from stook.engine.tally import Tally

__all__ = ["CrateProgress", "api_note"]


class CrateProgress:
    """Two bars: crates read from the index, and crates enriched by the API, whose pace decides when all is done."""

    def __init__(self, crates: int, api_gap: float) -> None:
        self._gap = api_gap
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
        self._index = self._progress.add_task("index", total=crates, note="")
        self._api = self._progress.add_task("API", total=crates, note="")

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
        waiting = {one.lane: one for one in door.waiting}
        read, enriched = tally.ended["crates.io index"], tally.ended["crates.io API"]
        self._progress.update(self._index, completed=read, note=_note(waiting, "cargo.index"))
        expected = max(tally.claimed["crates.io API"], read)
        note = _note(waiting, "cargo.api")
        if enriched < expected and not note.startswith("cooling"):
            note = api_note(expected - enriched, self._gap, datetime.now(UTC).astimezone())
        self._progress.update(self._api, completed=enriched, total=expected or None, note=note)


def _note(waiting: dict, lane: str) -> str:  # type: ignore[type-arg]
    one = waiting.get(lane)
    if one is None or one.seconds < 1:
        return ""
    return f"cooling down, {one.seconds:.0f} s" if one.is_cooling else f"next request in {one.seconds:.0f} s"


def api_note(requests: int, gap: float, now: datetime) -> str:
    """Why it takes its time, and until when: the API's pace decides, whatever else is quick."""
    seconds = requests * gap
    if seconds < 90:
        return f"one request every {gap:g} s, {seconds:.0f} s left"
    return f"one request every {gap:g} s, done about {now + timedelta(seconds=seconds):%H:%M}"
