"""A sleep of one task that another one can end early."""

from __future__ import annotations

import asyncio
from functools import partial
from math import inf

from stook.engine.clock import Clock

__all__ = ["Sleeper"]


class Sleeper:
    """Lets at most one task sleep at a time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiter: asyncio.Future[None] | None = None
        self._wants_place = False

    async def sleep(self, seconds: float, *, wants_place: bool = False) -> None:
        """Sleep for so long at most, which may be infinity; `wants_place` says that a free place ends the sleep."""
        if seconds <= 0:
            return
        loop = asyncio.get_running_loop()
        self._waiter, self._wants_place = loop.create_future(), wants_place
        timer: asyncio.Task[None] | None = None
        if seconds < inf:
            timer = loop.create_task(self._clock.sleep(seconds))
            timer.add_done_callback(partial(_finish, self._waiter))
        try:
            await self._waiter
        finally:
            self._waiter, self._wants_place = None, False
            if timer is not None:
                timer.cancel()

    def wake(self) -> None:
        """End the sleep."""
        if self._waiter is not None:
            _finish(self._waiter)

    def offer_place(self) -> None:
        """End the sleep, if it waits for a place."""
        if self._wants_place:
            self.wake()


def _finish(waiter: asyncio.Future[None], timer: object = None) -> None:
    if not waiter.done():
        waiter.set_result(None)
