"""A host's timeline: every request waits here for its turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Protocol, TypeVar

from stook.engine.clock import Clock
from stook.engine.door.lane import governor, pacer
from stook.engine.door.lane.state import Ladder, LaneState, Ticket
from stook.engine.errors import LaneClosed

__all__ = ["Lane", "LaneStore", "MemoryStore", "Step", "Waiting"]

T = TypeVar("T")
Step = Callable[[LaneState, float], tuple[LaneState, T]]
LATE = 0.01
"""Seconds that leave to start may take from a shared store to here: half of what the store's slack leaves a second."""
ASKS = 3  # for one leave: from a store that is far away it is late each time


class LaneStore(Protocol):
    """Where lanes keep their state: this process, or a row that many processes share."""

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        """Apply a pure step to the named state (`fresh` when there is none) at the store's own time, atomically.

        Answers the state after it and the step's answer. A step that returns the state it got needs no write.
        The pace between processes is exact to within the time this answer travels.
        """
        ...


class MemoryStore:
    """Lanes of one process, on its monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, LaneState] = {}

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        state, answer = step(self._states.get(name, fresh), self._clock.monotonic())
        self._states[name] = state
        return state, answer


@dataclass(frozen=True, slots=True)
class Waiting:
    """For a progress line: `queued` requests wait on this lane, the first for `seconds` more."""

    lane: str
    queued: int
    seconds: float
    is_cooling: bool


class Lane:
    """One timeline: at most one start a gap, a shared cooldown, and an end when it does not help.

    `batch` slots are reserved at once when that many requests queue: fewer round trips to a shared store.
    """

    def __init__(
        self, name: str, gap: float, ladder: Ladder, clock: Clock, store: LaneStore | None = None, batch: int = 1
    ) -> None:
        self.name = name
        self._fresh = self._state = LaneState(gap=max(gap, 0.0))
        self._ladder = ladder
        self._clock = clock
        self._store: LaneStore = store or MemoryStore(clock)
        self._batch = batch
        self._turns = asyncio.Lock()
        self._slots: deque[float] = deque()  # local monotonic times, reserved and not yet used
        self._queued = 0
        self._due = 0.0
        self._sleeper: asyncio.Future[None] | None = None

    async def turn(self) -> Ticket:
        """Wait for cooldown and pace, in order of arrival; LaneClosed once the lane is shut."""
        self._queued += 1
        try:
            async with self._turns:
                while True:
                    ticket = await self._start_in(await self._slot())
                    if ticket is not None:
                        return ticket
                    self._slots.clear()
        finally:
            self._queued -= 1

    async def throttled(self, ticket: Ticket, retry_after: float | None = None) -> None:
        """Report a throttled reply; `retry_after` in seconds where the server said so."""
        await self._change(lambda state, now: governor.throttled(state, now, ticket, self._ladder, retry_after))

    async def succeeded(self, ticket: Ticket) -> None:
        """Report a reply that was not throttled."""
        # The state as of this ticket's turn is enough: a cooldown begun since ignores this ticket anyway.
        if not governor.is_calm(self._state):
            await self._change(lambda state, now: governor.succeeded(state, now, ticket, self._ladder))

    async def close(self, reason: str) -> None:
        """Let no further request out, and wake those that wait."""
        await self._change(lambda state, now: governor.closed(state, now, reason))

    @property
    def closed_reason(self) -> str:
        """Why the lane is shut, as last known; empty while it is open."""
        return self._state.closed_reason

    @property
    def give_up_rounds(self) -> int | None:
        """How many barren rounds latched the lane; None when it is open, or was closed for another reason."""
        gave_up = self._state.closed_reason and self._state.rounds >= self._ladder.give_up
        return self._state.rounds if gave_up else None

    @property
    def waiting(self) -> Waiting | None:
        """Who waits, and how long for; None when nobody does."""
        if not self._queued:
            return None
        seconds = max(self._due - self._clock.monotonic(), 0.0)
        return Waiting(self.name, self._queued, seconds, is_cooling=self._state.rounds > 0)

    async def _slot(self) -> float:
        """The local time of this request's slot."""
        self._check_open()
        now = self._clock.monotonic()
        while self._slots:
            due = self._slots.popleft()
            if due >= now:  # a slot that passed unused is lost: idle time banks nothing
                return due
        waits = await self._change(lambda state, at: pacer.reserve(state, at, min(self._batch, self._queued)))
        self._check_open()
        now = self._clock.monotonic()
        first, *others = (now + wait for wait in waits)
        self._slots.extend(others)
        return first

    async def _start_in(self, slot: float) -> Ticket | None:
        """Leave to start, once the slot has come; None when it no longer holds.

        Leave that comes late, as a busy machine's may, would bring two starts together: it is exchanged for a new one.
        """
        self._due = slot
        late, asks = -inf, 0
        while True:
            await self._sleep_until(self._due)
            started, travelled = await self._ask(late)
            if started is None:
                return None
            moment, wait = started
            asks += 1
            if wait:
                self._due = self._clock.monotonic() + wait
            elif travelled <= LATE or asks >= ASKS or not self._fresh.gap:
                return Ticket(moment)
            else:
                late = moment

    async def _ask(self, late: float) -> tuple[tuple[float, float] | None, float]:
        """The pacer's answer, and how many seconds it took to come from the store."""
        given = self._clock.monotonic()

        def step(state: LaneState, now: float) -> tuple[LaneState, tuple[float, float] | None]:
            nonlocal given
            given = self._clock.monotonic()
            return pacer.start(state, now, late)

        started = await self._change(step)
        return started, self._clock.monotonic() - given

    def _check_open(self) -> None:
        if self._state.closed_reason:
            raise LaneClosed(self.name, self._state.closed_reason)

    async def _sleep_until(self, due: float) -> None:
        """Sleep, or be woken when the lane is closed."""
        delay = due - self._clock.monotonic()
        if delay <= 0:
            return
        self._sleeper = asyncio.get_running_loop().create_future()
        sleep = asyncio.ensure_future(self._clock.sleep(delay))
        try:
            done, _ = await asyncio.wait({sleep, self._sleeper}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            sleep.cancel()
            self._sleeper = None

    async def _change(self, step: Step[T]) -> T:
        self._state, answer = await self._store.change(self.name, self._fresh, step)
        if self._state.closed_reason and self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)
        return answer
