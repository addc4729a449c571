"""Lanes of a SQLite file: in memory while one process uses the file, in its table while several do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TypeVar

import structlog

from stook.engine.clock import Clock
from stook.engine.door import LaneState, MemoryStore, Step, is_forgettable
from stook.engine.errors import StookError
from stook.engine.ledger.lanes.database_lanes import DatabaseLanes
from stook.engine.ledger.lanes.presence import Presence

__all__ = ["ResidentLanes"]

T = TypeVar("T")
log = structlog.get_logger(__name__)

LOOK = 0.1  # seconds between two looks for other processes
NOTICE = 0.25  # seconds after which every other process has seen a new one and stored its lanes
RETURN = 5.0  # seconds without another process after which lanes come back to memory


class ResidentLanes:
    """A store of lane states (see `stook.engine.door.LaneStore`) for a SQLite file.

    A turn costs about 2 ms of CPU in the table of a SQLite file and 0.07 ms in memory, so one process alone keeps its
    lanes in memory. Two commands that run at once on one file must keep one pace all the same, and nobody tells the
    first one that a second was started. So each process looks for others, at most LOOK seconds before each start:

    - A new process that sees another one waits NOTICE seconds before its first request.
    - A process that sees another one stores in the table what it knows, and uses the table from then on.
    - Alone again for RETURN seconds, a process reads the table and goes on in memory.

    Cooldowns and closures are stored at once, as they must outlive a process that is killed. All times are on the
    database's clock: in memory, that is its time when the lanes came there, and the monotonic time since.
    """

    def __init__(self, table: DatabaseLanes, presence: Presence, clock: Clock) -> None:
        self.holder = table.holder
        self._table = table
        self._presence = presence
        self._clock = clock
        self._unlimited = MemoryStore(clock)
        self._memory: dict[str, LaneState] | None = None  # None: lanes are in the table
        self._offset = 0.0  # seconds that the database's clock is ahead of our monotonic one
        self._has_entered = False
        self._is_alone = False
        self._looked_at = self._alone_since = -RETURN
        self._moving = asyncio.Lock()
        self._watch: asyncio.Task[None] | None = None

    @property
    def is_in_memory(self) -> bool:
        """Whether the lanes are in memory now."""
        return self._memory is not None

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        """Apply a pure step to the lane's state, atomically; errors are those of the table."""
        if not fresh.is_limited:
            # On one machine it is not worth a look into the file for each request.
            return await self._unlimited.change(name, fresh, step)
        if self._memory is None or not self._look():
            async with self._moving:
                await self._move()
        if self._memory is None:
            return await self._table.change(name, fresh, step)
        before = self._memory.get(name, fresh)
        if (before.gap, before.concurrency) != (fresh.gap, fresh.concurrency):
            before = replace(before, gap=fresh.gap, concurrency=fresh.concurrency)
        state, answer = step(before, self._now())
        self._memory[name] = state
        self._keep_watch()
        if _back_pressure(state) != _back_pressure(before):
            await self._table.put({name: state})
        return state, answer

    async def close(self) -> None:
        """Store what the next process must know."""
        if self._watch is not None:
            self._watch.cancel()
        async with self._moving:
            await self._store()
        self._presence.leave()
        self._has_entered = False
        await self._table.close()

    def _now(self) -> float:
        return self._clock.monotonic() + self._offset

    def _look(self) -> bool:
        """Whether this process is alone, as seen at most LOOK seconds ago."""
        if self._clock.monotonic() - self._looked_at >= LOOK:
            self._look_again()
        return self._is_alone

    def _look_again(self) -> None:
        was_alone, self._is_alone = self._is_alone, self._presence.is_alone()
        self._looked_at = self._clock.monotonic()
        if self._is_alone and not was_alone:
            self._alone_since = self._looked_at

    async def _move(self) -> None:
        """Bring the lanes to where they belong now."""
        if not self._has_entered:
            await self._enter()
        elif not self._look():
            await self._store()
        elif self._memory is None and self._clock.monotonic() - self._alone_since >= RETURN:
            await self._load()

    async def _enter(self) -> None:
        try:
            self._presence.enter()
        except OSError as error:
            log.warning("cannot look for other processes, lanes are kept in the file", reason=error.strerror)
            self._has_entered, self._looked_at = True, float("inf")  # never alone
            return
        self._has_entered = True
        if self._look():
            await self._load()
        else:
            await asyncio.sleep(NOTICE)  # real time, as the other processes have it

    async def _load(self) -> None:
        self._offset = await self._table.now() - self._clock.monotonic()
        self._memory = await self._table.active()

    async def _store(self) -> None:
        """Move the lanes to the table; what is only a memory of old requests stays behind."""
        if self._memory is None:
            return
        now = self._now()
        active = {name: state for name, state in self._memory.items() if not is_forgettable(state, now)}
        self._memory = None
        if active:
            await self._table.put(active)

    def _keep_watch(self) -> None:
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._look_around())

    async def _look_around(self) -> None:
        """Look for others as long as there is something that they must know, also while no request starts here."""
        while self._memory:
            await asyncio.sleep(LOOK)
            self._look_again()
            if not self._is_alone:
                async with self._moving:
                    try:
                        await self._store()
                    except StookError as error:
                        log.warning("lanes not stored", reason=error.reason)
            elif self._memory:
                now = self._now()
                self._memory = {name: state for name, state in self._memory.items() if not is_forgettable(state, now)}


def _back_pressure(state: LaneState) -> tuple[float, float, int, str]:
    return state.cooldown_until, state.penalty, state.rounds, state.closed_reason
