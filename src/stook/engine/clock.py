"""Time as a part that can be replaced: the real clock here, a manual one in `stook.testing`."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "RealClock", "naive_utc"]


class Clock(Protocol):
    """`now` is UTC without a zone, to the microsecond; `monotonic` is in seconds.

    `sleep` lets other tasks run meanwhile; `wait` blocks the thread, for code without a loop.
    """

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
    def wait(self, seconds: float) -> None: ...


class RealClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC).replace(tzinfo=None)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: TID251  the one place


def naive_utc(moment: datetime) -> datetime:
    """A moment as this project keeps it: UTC, no zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
