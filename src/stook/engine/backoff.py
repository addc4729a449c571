"""Waiting between tries: pauses that grow, spread by chance so that many who wait do not come back together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from stook.engine.clock import Clock

__all__ = ["BackOff", "Patience"]

SPREAD = 0.5  # of a pause, to either side


@dataclass(frozen=True, slots=True)
class BackOff:
    """Pauses in seconds: `first`, then twice as long each time up to `longest`."""

    first: float
    longest: float

    def pauses(self) -> Iterator[float]:
        """The pauses one after the other, without end, each up to half longer or shorter."""
        pause = self.first
        while True:
            yield pause * random.uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311  spreading, not secrecy
            pause = min(pause * 2, self.longest)


class Patience:
    """The tries at one thing: pauses between them, until `seconds` have passed since the first.

    After a failure, `is_over` says whether to give up; if not, `wait` or `sleep` before the next try.
    """

    def __init__(self, clock: Clock, back_off: BackOff, seconds: float) -> None:
        self._clock = clock
        self._pauses = back_off.pauses()
        self._end = clock.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return self._clock.monotonic() > self._end

    def wait(self) -> float:
        """Block this thread for the next pause; returns its seconds."""
        pause = next(self._pauses)
        self._clock.wait(pause)
        return pause

    async def sleep(self) -> float:
        """Let other tasks run for the next pause; returns its seconds."""
        pause = next(self._pauses)
        await self._clock.sleep(pause)
        return pause
