"""A clock whose time moves when nothing else can: hours of waiting pass in no time, in the right order."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

__all__ = ["ManualClock"]

_START = datetime(2026, 11, 1, 12, 0, 0)
_BLIND_PASSES = 64  # loops that do not show their queue get this many turns to become quiet


class ManualClock:
    """Implements `stook.engine.clock.Clock` with virtual time.

    When no task of the running loop is ready, time jumps to the earliest deadline and wakes whoever sleeps until
    then; sleepers of one deadline wake in the order in which they fell asleep. A task that waits for a socket or a
    thread looks idle too: `patience` (real seconds) lets such answers arrive before each jump. With `jumps=False`
    time moves by `advance` alone.
    """

    def __init__(self, start: datetime = _START, *, jumps: bool = True, patience: float = 0.0) -> None:
        self._start = start
        self._elapsed = timedelta()
        self._jumps = jumps
        self._patience = patience
        self._order = count()
        self._sleepers: list[tuple[timedelta, int, asyncio.Future[None]]] = []
        self._watched: asyncio.AbstractEventLoop | None = None

    def now(self) -> datetime:
        return self._start + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed.total_seconds()

    @property
    def sleeping(self) -> int:
        """How many tasks sleep now."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        # Time is whole microseconds here; a shorter sleep must still move it, or its caller could loop for ever.
        deadline = self._elapsed + max(timedelta(seconds=seconds), timedelta.resolution)
        heapq.heappush(self._sleepers, (deadline, next(self._order), future))
        self._watch(future.get_loop())
        await future

    def wait(self, seconds: float) -> None:
        """Whoever blocks a thread moves time, as nobody else could."""
        self.advance(max(seconds, 0.0))

    def advance(self, seconds: float) -> None:
        """Move time forward and wake, in order of their deadlines, all who are due by then."""
        if seconds < 0:
            raise ValueError(f"time only moves forward, not by {seconds} seconds")
        self._wake_until(self._elapsed + timedelta(seconds=seconds))

    def _wake_until(self, moment: timedelta) -> None:
        self._elapsed = max(self._elapsed, moment)
        while self._sleepers and self._sleepers[0][0] <= moment:
            future = heapq.heappop(self._sleepers)[2]
            if not future.done():
                future.set_result(None)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._jumps and self._watched is not loop:
            self._watched = loop
            loop.call_soon(self._when_quiet, loop, self._jump_or_wait, _BLIND_PASSES)

    def _when_quiet(self, loop: asyncio.AbstractEventLoop, then: Callable[[], None], passes: int) -> None:
        # asyncio has no public question for "is anybody ready?"; we run last in this pass if its queue is empty.
        ready = getattr(loop, "_ready", None)
        is_busy = passes > 0 if ready is None else bool(ready)
        if is_busy:
            loop.call_soon(self._when_quiet, loop, then, passes - 1)
        else:
            then()

    def _jump_or_wait(self) -> None:
        loop = asyncio.get_running_loop()
        if self._patience:
            loop.call_later(self._patience, self._when_quiet, loop, self._jump, 0)
        else:
            self._jump()

    def _jump(self) -> None:
        self._watched = None
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        if self._sleepers:
            self._wake_until(self._sleepers[0][0])
            self._watch(asyncio.get_running_loop())
