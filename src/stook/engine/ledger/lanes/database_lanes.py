"""Lanes in the database: one timeline a host for all workers on all machines."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Engine

from stook.engine.clock import Clock
from stook.engine.door import LaneState, Step, is_forgettable
from stook.engine.errors import FailureCode, Unavailable
from stook.engine.ledger.dialects import Dialect
from stook.engine.ledger.lanes.rows import DELETE_AT_MOST, LaneRows

__all__ = ["DatabaseLanes"]

T = TypeVar("T")
log = structlog.get_logger(__name__)

PATIENCE = 120.0  # seconds that a database may be away
TRUST = 0.25
"""Seconds for which a lane without gap and limit, in which nothing is wrong, is not asked for again: two statements
for each request cost a busy worker a tenth of its time. A cooldown that another process begins is seen that much later;
the requests that start meanwhile count as sent before it."""
TRUSTED_AT_MOST = 4096
CLEANING = 3600.0  # seconds between two looks for unused rows
NEXT_CLEANING = 60.0  # the same while there are more than were deleted


class DatabaseLanes:
    """A store of lane states (see `stook.engine.door.LaneStore`), on the database's own clock.

    A lane that is closed is closed for one run: `run` names it, and is the same for all its processes. Another run
    shares pace and cooldown, and finds out for itself whether the host still refuses.
    """

    def __init__(self, engine: Engine, dialect: Dialect, run: str, clock: Clock, *, patience: float = PATIENCE) -> None:
        self.holder = secrets.token_hex(8)
        self._rows = LaneRows(engine, dialect, run)
        self._clock = clock
        self._patience = patience
        self._trusted: dict[str, tuple[LaneState, float, float]] = {}  # state, database's time and ours
        self._thread: ThreadPoolExecutor | None = None
        self._clean_at = clock.monotonic()

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        """Apply a pure step to the lane's state, atomically.

        A database that is away, or says no, is waited for; Unavailable when it does not come back.
        """
        if not fresh.is_limited and (trusted := self._from_trusted(name, step)):
            return trusted
        if fresh.is_limited and self._clock.monotonic() >= self._clean_at:
            await self._clean()
        state, answer, now = await self._run(lambda: self._rows.change(name, fresh, step))
        if not fresh.is_limited:
            self._trust(name, state, now)
        return state, answer

    async def now(self) -> float:
        """The database's time."""
        return await self._run(self._rows.now)

    async def active(self) -> dict[str, LaneState]:
        """The states that matter to this run from now on."""
        return await self._run(self._rows.active)

    async def put(self, states: Mapping[str, LaneState]) -> None:
        """Store these states."""
        await self._run(lambda: self._rows.put(states))

    async def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _from_trusted(self, name: str, step: Step[T]) -> tuple[LaneState, T] | None:
        """The answer from what was seen a moment ago; None if that is too old, or the step changes the state."""
        state, then, seen_at = self._trusted.get(name, (None, 0.0, 0.0))
        age = self._clock.monotonic() - seen_at
        if state is None or age >= TRUST:
            return None
        after, answer = step(state, then + age)
        return (after, answer) if after == state else None

    def _trust(self, name: str, state: LaneState, now: float) -> None:
        if not is_forgettable(state, now):
            self._trusted.pop(name, None)
            return
        if len(self._trusted) >= TRUSTED_AT_MOST:
            self._trusted.clear()
        self._trusted[name] = state, now, self._clock.monotonic()

    async def _run(self, action: Callable[[], T]) -> T:
        started = self._clock.monotonic()
        pause = 0.02
        while True:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "stook-lanes")
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, action)
            except sa.exc.DBAPIError as error:  # a deadlock, or it is away; whatever it is, no fault of the event
                if self._clock.monotonic() - started > self._patience:
                    raise Unavailable("the database that keeps the lanes is away", FailureCode.DATABASE) from error
                if pause > 1:
                    log.warning("database trouble, a lane waits", reason=str(error.orig)[:200])
            await self._clock.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  spreading, not secrecy
            pause = min(pause * 2, 5.0)

    async def _clean(self) -> None:
        """Now and then delete rows of hosts that are no longer asked, a few at a time."""
        self._clean_at = self._clock.monotonic() + CLEANING
        if await self._run(self._rows.delete_unused) >= DELETE_AT_MOST:
            self._clean_at = self._clock.monotonic() + NEXT_CLEANING
