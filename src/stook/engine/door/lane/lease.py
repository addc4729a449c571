"""The lease on a process's places in a shared lane: reported when they change, renewed while they last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from stook.engine.door.lane.flight import RENEW
from stook.engine.errors import StookError

__all__ = ["Lease"]

log = structlog.get_logger(__name__)


class Lease:
    """Calls `report` in a task of its own, so that no request waits for it; the task ends when `report` returns 0."""

    def __init__(self, report: Callable[[], Awaitable[int]], lane: str) -> None:
        self._report = report
        self._lane = lane
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_active(self) -> bool:
        """Whether there is something to renew or to report."""
        return self._task is not None and not self._task.done()

    def keep(self) -> None:
        """Renew from now on: a request has started."""
        if not self.is_active:
            self._task = asyncio.create_task(self._renew())

    def notify(self) -> None:
        """Report soon: the number of requests has changed."""
        self._changed.set()
        self.keep()

    async def settle(self) -> None:
        """Wait until all is reported; for a lane that has no requests any more."""
        if self._task is not None:
            self._changed.set()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _renew(self) -> None:
        count = 1
        while count or self._changed.is_set():
            try:
                async with asyncio.timeout(RENEW):
                    await self._changed.wait()
            except TimeoutError:
                pass
            self._changed.clear()
            try:
                count = await self._report()
            except StookError as error:  # the store is away: the entry expires, or the next report corrects it
                log.warning("requests under way not reported", lane=self._lane, reason=error.reason)
                count = 0
