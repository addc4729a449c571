"""One lane: the queue in which requests to a host wait until they may start."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from dataclasses import dataclass
from math import inf
from sys import maxsize
from typing import TypeVar

from stook.engine.clock import Clock
from stook.engine.door.lane import flight, governor, pacer
from stook.engine.door.lane.lease import Lease
from stook.engine.door.lane.pacer import Start
from stook.engine.door.lane.sleeper import Sleeper
from stook.engine.door.lane.state import LaneSettings, LaneState, Ticket, is_calm
from stook.engine.door.lane.store import LaneStore, MemoryStore, Step
from stook.engine.errors import LaneClosed

__all__ = ["UNLIMITED", "Lane", "Waiting"]

T = TypeVar("T")
UNLIMITED = maxsize
"""The room of a lane without a limit of concurrency."""
SLOW_ANSWER = 0.01
"""Seconds. A permission to start that took longer from the store to here is not used; see `Lane._start`."""
MAX_ASKS = 3  # permissions asked for by one request: a store that is far away answers slowly each time
FIRST_POLL, LAST_POLL = 0.05, 1.0  # seconds between two looks for a free place among other processes
VIEW_SECONDS = 1.0  # how long this process relies on what it last saw of other processes' requests


@dataclass(frozen=True, slots=True)
class Waiting:
    """For a progress line: `queued` requests wait in this lane, the first of them for `seconds` more."""

    lane: str
    queued: int
    seconds: float
    is_cooling: bool


class Lane:
    """The requests of this process to one host: they start in order of arrival, at least a gap apart.

    A lane has one cooldown for all its requests, and closes when cooldowns do not help. At most
    `settings.concurrency` requests are under way at once. When several requests wait, up to `batch` slots are
    reserved together, which saves round trips to a shared store.
    """

    def __init__(
        self, name: str, settings: LaneSettings, clock: Clock, store: LaneStore | None = None, batch: int = 1
    ) -> None:
        self.name = name
        self._settings = settings
        self._clock = clock
        self._store: LaneStore = MemoryStore(clock) if store is None else store
        self._batch = batch
        self._fresh = self._state = LaneState(settings.gap, concurrency=settings.concurrency)
        self._seen_at = 0.0  # store's time of the last change
        self._seen_here = -inf  # the same moment on the local clock
        self._head = asyncio.Lock()  # held by the first request of the queue
        self._slots: deque[float] = deque()  # local times; reserved, not used yet
        self._queued = 0
        self._under_way = 0
        self._is_asking = False  # whether the first request asks the store for permission at this moment
        self._due = 0.0  # local time until which the first request waits
        self._quiet_at = 0.0  # local time from which on the pace is of no more interest
        self._sleeper = Sleeper(clock)  # for the first request
        self._lease = Lease(self._report, name) if settings.concurrency and self._store.holder else None

    async def turn(self) -> Ticket:
        """Wait until a request may start, and count it as under way until `leave`; LaneClosed once the lane is closed.

        Whoever is given a ticket calls `leave` when the reply is read, or the request failed or was cancelled.
        """
        self._queued += 1
        try:
            async with self._head:
                await self._wait_for_place()
                ticket = None
                while ticket is None:
                    ticket = await self._start(await self._slot())
                self._under_way += 1
                if self._lease:
                    self._lease.keep()
                return ticket
        except BaseException:
            if self._lease:
                self._lease.notify()  # the store may have let the request in, or not know of one that has left
            raise
        finally:
            self._queued -= 1

    def leave(self) -> None:
        """The request that took a turn is over: its place is free."""
        self._under_way -= 1
        self._sleeper.offer_place()
        if self._lease and not self._queued:  # the next request of the queue reports with its own start
            self._lease.notify()

    async def throttled(self, ticket: Ticket, retry_after: float | None = None) -> None:
        """Report a throttled reply; `retry_after` in seconds, where the server named a time."""
        back_off = self._settings.back_off
        await self._change(lambda state, now: governor.throttled(state, now, ticket, back_off, retry_after))

    async def succeeded(self, ticket: Ticket) -> None:
        """Report a reply that was not throttled."""
        # What was known at this ticket's turn is enough: a cooldown that began later ignores this ticket anyway.
        if not is_calm(self._state):
            back_off = self._settings.back_off
            await self._change(lambda state, now: governor.succeeded(state, now, ticket, back_off))

    async def close(self, reason: str) -> None:
        """Let no further request start; those that wait get LaneClosed at once."""
        await self._change(lambda state, now: governor.closed(state, now, reason))

    async def settle(self) -> None:
        """Wait until the store knows that no request is under way."""
        if self._lease:
            await self._lease.settle()

    @property
    def closed_reason(self) -> str:
        """Why the lane is closed, as last known; empty while it is open."""
        return self._state.closed_reason

    @property
    def waiting(self) -> Waiting | None:
        """How many requests wait, and how long; None when none does."""
        if not self._queued:
            return None
        seconds = max(self._due - self._clock.monotonic(), 0.0)
        return Waiting(self.name, self._queued, seconds, is_cooling=self._state.rounds > 0)

    @property
    def room(self) -> int:
        """How many more requests the lane can make use of now.

        0 when it is closed; during a cooldown 1, for the request that will start first, if none waits yet.
        """
        if self._state.closed_reason:
            return 0
        age = self._clock.monotonic() - self._seen_here
        now = self._seen_at + age
        if now < self._state.cooldown_until:
            return 0 if self._queued else 1
        if not self._settings.concurrency:
            return UNLIMITED
        others = flight.count_others(self._state, now, self._store.holder) if age < VIEW_SECONDS else 0
        return max(self._settings.concurrency - others - self._under_way - self._queued, 0)

    @property
    def is_idle(self) -> bool:
        """Whether a new lane of this name, on the same store, would behave exactly as this one does from now on."""
        if self._queued or self._under_way or self._state.closed_reason or (self._lease and self._lease.is_active):
            return False
        now = self._clock.monotonic()
        last_slot = self._slots[-1] + self._settings.gap if self._slots else 0.0
        is_cooling = self._seen_at + now - self._seen_here < self._state.cooldown_until
        return not is_cooling and now >= max(self._quiet_at, last_slot)

    async def _wait_for_place(self) -> None:
        """Wait until this process has fewer requests under way than the lane allows."""
        self._check_open()
        while 0 < self._settings.concurrency <= self._under_way:
            self._due = self._clock.monotonic()
            await self._sleeper.sleep(inf, wants_place=True)
            self._check_open()

    async def _slot(self) -> float:
        """The local time of the next reserved slot."""
        self._check_open()
        now = self._clock.monotonic()
        while self._slots:
            slot = self._slots.popleft()
            if slot >= now:  # a slot that has passed unused is lost
                return slot
        waits = await self._change(lambda state, at: pacer.reserve(state, at, min(self._batch, self._queued)))
        self._check_open()
        now = self._clock.monotonic()
        first, *others = (now + wait for wait in waits)
        self._slots.extend(others)
        return first

    async def _start(self, slot: float) -> Ticket | None:
        """Start the first request once its slot has come; None when the slot is void.

        The store answers with the moment of the start. When its answer travels for long, as on a busy machine, the
        request really starts later than that moment, and too close to the next one, which another process starts a
        gap after it. Such an answer is not used: the request asks for a new moment in its place, and the next request
        of any process then starts a gap after the new one.
        """
        self._due = slot
        replaced, asks, polls = -inf, 0, 0
        while True:
            await self._sleeper.sleep(self._due - self._clock.monotonic(), wants_place=polls > 0)
            start, seconds = await self._ask(replaced)
            if start is None:
                self._slots.clear()
                return None
            if start.wait == inf:
                self._due = self._clock.monotonic() + _pause(polls)
                polls += 1
                continue
            polls, asks = 0, asks + 1
            if start.wait:
                self._due = self._clock.monotonic() + start.wait
            elif seconds <= SLOW_ANSWER or asks >= MAX_ASKS or not self._settings.gap:
                self._quiet_at = self._clock.monotonic() + self._settings.gap
                return Ticket(start.moment)
            else:
                replaced = start.moment

    async def _ask(self, replaced: float) -> tuple[Start | None, float]:
        """The store's answer to a request that wants to start, and the seconds in which it travelled."""
        decided = self._clock.monotonic()

        def step(state: LaneState, now: float) -> tuple[LaneState, Start | None]:
            nonlocal decided
            decided = self._clock.monotonic()
            after, start = pacer.start(state, now, replaced)
            if self._lease is None or start is None or start.wait:
                return after, start
            boarded, is_free = flight.board(after, now, self._store.holder, self._under_way)
            if is_free:
                return boarded, start
            return flight.report(state, now, self._store.holder, self._under_way)[0], Start(now, inf)

        self._is_asking = True
        try:
            start = await self._change(step)
        finally:
            self._is_asking = False
        return start, self._clock.monotonic() - decided

    async def _report(self) -> int:
        """Tell the store how many requests are under way; returns their number.

        A request that is just asking counts too: when it was let in, only the store knows that yet.
        """
        holder = self._store.holder
        await self._change(lambda state, now: flight.report(state, now, holder, self._under_way + int(self._is_asking)))
        return self._under_way + int(self._is_asking)

    def _check_open(self) -> None:
        if self._state.closed_reason:
            raise LaneClosed(self.name, self._state.closed_reason)

    async def _change(self, step: Step[T]) -> T:
        def noted(state: LaneState, now: float) -> tuple[LaneState, tuple[T, float]]:
            after, answer = step(state, now)
            return after, (answer, now)

        self._state, (answer, self._seen_at) = await self._store.change(self.name, self._fresh, noted)
        self._seen_here = self._clock.monotonic()
        if self._state.closed_reason:
            self._sleeper.wake()
        return answer


def _pause(polls: int) -> float:
    """Seconds until the next look for a free place: longer each time, and never the same in two processes."""
    return min(FIRST_POLL * 2.0**polls, LAST_POLL) * random.uniform(0.5, 1.5)  # noqa: S311  spreading, not secrecy
