"""Places for visits that run side by side: so many a source, or a lane where events have lanes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stook.engine.loop.active_visit import ActiveVisit

__all__ = ["Places"]

_Key = tuple[int, str]


class Places:
    """A semaphore for each source and lane in use; those that nobody uses are forgotten."""

    def __init__(self) -> None:
        self._semaphores: dict[_Key, asyncio.Semaphore] = {}
        self._users: Counter[_Key] = Counter()

    @asynccontextmanager
    async def place_of(self, visit: ActiveVisit) -> AsyncIterator[None]:
        """Wait for a place, in order of arrival, and hold it."""
        key = (id(visit.source), visit.lane)
        semaphore = self._semaphores.setdefault(key, asyncio.Semaphore(visit.source.tasks))
        self._users[key] += 1
        try:
            async with semaphore:
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._semaphores[key]
