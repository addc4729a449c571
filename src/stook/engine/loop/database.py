"""The thread that speaks to the database: one call at a time, and patience when the database is away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog

from stook.engine.backoff import BackOff

__all__ = ["LAST_PATIENCE", "PATIENCE", "DatabaseThread"]

T = TypeVar("T")
log = structlog.get_logger(__name__)

PATIENCE = 120.0  # seconds that a database may be away
LAST_PATIENCE = 10.0  # the same while the run is closing
BACK_OFF = BackOff(first=0.1, longest=5.0)


class DatabaseThread:
    """Runs the ledger's blocking calls for the loop, in the order in which they were made."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._thread = ThreadPoolExecutor(1, "ledger")
        self._patience = patience

    async def call(self, action: Callable[..., T], *arguments: Any) -> T:
        """The action's result. While the database is away the action is tried again, until the patience ends."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        pauses: Iterator[float] | None = None
        while True:
            try:
                return await loop.run_in_executor(self._thread, action, *arguments)
            except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
                if loop.time() - started > self._patience:
                    raise
                pauses = pauses or BACK_OFF.pauses()
                pause = next(pauses)
                log.warning("database trouble, trying again", seconds=round(pause, 1), reason=str(error.orig)[:200])
            await asyncio.sleep(pause)

    def shorten_patience(self) -> None:
        """A run that is closing waits for a database that is away, but not long."""
        self._patience = min(self._patience, LAST_PATIENCE)

    def close(self) -> None:
        self._thread.shutdown(wait=False)
