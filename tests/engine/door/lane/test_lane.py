"""Turns under load: pace, order, cooldowns that open meanwhile, closing and cancelling."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stook.engine.door import BackOff, Lane, Lanes, LaneSettings, LaneState, MemoryStore, Step, Ticket, Waiting
from stook.engine.door.lane.lane import MAX_ASKS
from stook.engine.errors import LaneClosed


def lane_of(clock: Any, gap: float = 1.0, **more: Any) -> Lane:
    return Lane("host", LaneSettings(gap), clock, **more)


async def start(lane: Lane, clock: Any, starts: list[float]) -> Ticket:
    ticket = await lane.turn()
    starts.append(clock.time)
    return ticket


def test_starts_are_a_gap_apart_in_order(clock: Any) -> None:
    """Ten tasks start in order of arrival, one gap apart, the first at once."""

    async def main() -> list[float]:
        lane, starts = lane_of(clock), list[float]()
        await asyncio.gather(*(start(lane, clock, starts) for _ in range(10)))
        return starts

    assert asyncio.run(main()) == [1000.0 + index for index in range(10)]


def test_success_in_flight_does_not_end_a_cooldown(clock: Any) -> None:
    """A good reply to a request that left before the 429 does not let the next one out early."""

    async def main() -> float:
        lane = lane_of(clock)
        early, unlucky = await lane.turn(), await lane.turn()
        await lane.throttled(unlucky)
        await lane.succeeded(early)
        await lane.turn()
        return clock.time

    assert asyncio.run(main()) == 1061.0


def test_cooldown_opened_while_waiting_for_the_slot(clock: Any) -> None:
    """Whoever waits for its slot when a 429 comes waits for the cooldown too, and then no burst follows."""

    async def main() -> list[float]:
        lane, starts = lane_of(clock, gap=10.0), list[float]()
        first = await start(lane, clock, starts)
        others = [asyncio.ensure_future(start(lane, clock, starts)) for _ in range(3)]
        await clock.sleep(5.0)
        await lane.throttled(first, 100.0)
        await asyncio.gather(*others)
        return starts

    starts = asyncio.run(main())
    assert starts[1] >= 1105.0
    assert all(later - earlier >= 10.0 for earlier, later in pairwise(starts))


def test_closing_wakes_all(clock: Any) -> None:
    """A closed lane lets nobody wait: all in the queue get LaneClosed at once, and so does who comes later."""

    async def main() -> None:
        lane = lane_of(clock, gap=1000.0)
        await lane.turn()
        queue = [asyncio.ensure_future(lane.turn()) for _ in range(3)]
        for _ in range(3):
            await asyncio.sleep(0)
        await lane.close("HTTP 403")
        results = await asyncio.gather(*queue, return_exceptions=True)
        assert [str(result) for result in results] == ["lane host is closed: HTTP 403"] * 3
        assert clock.time < 2000.0
        with pytest.raises(LaneClosed):
            await lane.turn()
        assert (lane.closed_reason, lane.waiting, lane.room) == ("HTTP 403", None, 0)

    asyncio.run(main())


def test_latch(clock: Any) -> None:
    """Five barren rounds close the lane before its fifth wait."""

    async def main() -> None:
        lane = lane_of(clock)
        for _ in range(5):
            await lane.throttled(await lane.turn())
        with pytest.raises(LaneClosed, match="throttled in 5 rounds"):
            await lane.turn()
        assert clock.time == 1000.0 + 60 + 120 + 240 + 480

    asyncio.run(main())


def test_cancelled_waiters_leave_the_queue(clock: Any) -> None:
    """A cancelled turn neither blocks the others nor lets them start early."""

    async def main() -> list[float]:
        lane, starts = lane_of(clock, gap=10.0), list[float]()
        await start(lane, clock, starts)
        tasks = [asyncio.ensure_future(start(lane, clock, starts)) for _ in range(3)]
        for _ in range(3):
            await asyncio.sleep(0)
        assert lane.waiting == Waiting("host", 3, 10.0, is_cooling=False)
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert lane.waiting is None
        return starts

    starts = asyncio.run(main())
    assert len(starts) == 3
    assert all(later - earlier >= 10.0 for earlier, later in pairwise(starts))


@pytest.mark.parametrize("batch", [1, 4])
def test_late_wake_ups_make_no_burst(clock: Any, batch: int) -> None:
    """When sleepers wake too late, the starts after them are still a gap apart."""

    class LateClock(type(clock)):  # type: ignore[misc]
        """Every third sleep takes far too long."""

        slept = 0

        async def sleep(self, seconds: float) -> None:
            self.slept += 1
            await super().sleep(seconds + (0.7 if self.slept % 3 else 2.7))

    async def main() -> list[float]:
        late, starts = LateClock(), list[float]()
        lane = lane_of(late, batch=batch)
        await asyncio.gather(*(start(lane, late, starts) for _ in range(12)))
        return starts

    starts = asyncio.run(main())
    assert all(later - earlier >= 1.0 - 1e-9 for earlier, later in pairwise(starts))


def test_slots_missed_are_lost(clock: Any) -> None:
    """Slots reserved together and slept through are not made up for, as others had their turn meanwhile."""

    async def main() -> list[float]:
        store, starts = MemoryStore(clock), list[float]()
        one, other = (lane_of(clock, store=store, batch=batch) for batch in (4, 1))

        async def stalling() -> None:
            await start(one, clock, starts)
            if len(starts) == 3:
                clock.time += 10.0
                await start(other, clock, starts)

        await asyncio.gather(*(stalling() for _ in range(4)))
        return starts

    starts = sorted(asyncio.run(main()))
    assert all(later - earlier >= 1.0 - 1e-9 for earlier, later in pairwise(starts))


class SharedStore(MemoryStore):
    """A store as several processes see it: its own clock, and others may come between any two changes."""

    def __init__(self, clock: Any) -> None:
        super().__init__(clock)
        self.writes = 0

    async def change(self, name: str, fresh: LaneState, step: Step[Any]) -> tuple[LaneState, Any]:
        self._clock.holds += 1  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        self._clock.holds -= 1  # type: ignore[attr-defined]

        def shifted(state: LaneState, now: float) -> tuple[LaneState, Any]:
            after, answer = step(state, now + 5_000.0)
            self.writes += after is not state
            return after, answer

        return await super().change(name, fresh, shifted)


@pytest.mark.parametrize("batch", [1, 4])
def test_two_processes_share_one_pace(clock: Any, batch: int) -> None:
    """Lanes over one store keep one pace and one cooldown between them, whatever the store's own clock shows."""

    async def main() -> tuple[list[float], int]:
        store, starts = SharedStore(clock), list[float]()
        lanes = [lane_of(clock, store=store, batch=batch) for _ in range(2)]
        tickets = await asyncio.gather(*(start(lane, clock, starts) for lane in lanes * 4))
        writes = store.writes
        await lanes[0].throttled(tickets[0], 300.0)
        await start(lanes[1], clock, starts)
        return starts, writes

    starts, writes = asyncio.run(main())
    starts.sort()
    assert all(later - earlier >= 1.0 - 1e-9 for earlier, later in pairwise(starts))
    assert starts[-1] - starts[-2] >= 300.0
    assert writes <= 8 + (8 if batch == 1 else 4)  # a start each, and the slots


class SlowStore(SharedStore):
    """What it decides is known at once; its answers take so many seconds to come, then none."""

    def __init__(self, clock: Any, *delays: float) -> None:
        super().__init__(clock)
        self.delays = list(delays)

    async def change(self, name: str, fresh: LaneState, step: Step[Any]) -> tuple[LaneState, Any]:
        state, answer = await super().change(name, fresh, step)
        if self.delays and (delay := self.delays.pop(0)):
            await self._clock.sleep(delay)
        return state, answer


def test_slow_answer_is_replaced(clock: Any) -> None:
    """A permission that took long to arrive is replaced by a new one, so no two starts are closer than a gap."""

    async def main() -> list[float]:
        # A slot and a start of the first, which learns of it late; then the second's.
        store, starts = SlowStore(clock, 0.0, 0.0, 0.4), list[float]()
        await asyncio.gather(*(start(lane_of(clock, store=store), clock, starts) for _ in range(2)))
        return sorted(starts)

    first, second = asyncio.run(main())
    assert first >= 1000.4
    assert second - first >= 1.0 - 1e-9


def test_answers_that_are_always_slow(clock: Any) -> None:
    """A store that is far away is asked a few times, and its last answer holds."""
    store = SlowStore(clock, *[0.2] * 100)
    asyncio.run(lane_of(clock, store=store).turn())
    assert len(store.delays) == 100 - 1 - MAX_ASKS  # one answer is the slot


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 5), st.sampled_from(("ok", "throttled", "cancel"))), min_size=1, max_size=12),
    st.integers(1, 4),
    st.sampled_from((0.1, 1.0, 2.0)),
)
def test_pace_holds_for_any_interleaving(
    make_clock: Any, plan: list[tuple[float, str]], batch: int, gap: float
) -> None:
    """Whatever comes when, and is throttled or cancelled, starts are a gap apart and none lies in a cooldown."""
    clock, starts = make_clock(), list[float]()

    async def obedient(lane: Lane) -> Ticket:
        ticket = await start(lane, clock, starts)
        assert ticket.issued_at >= cooldowns[-1]
        return ticket

    async def visit(lane: Lane, delay: float, fate: str) -> None:
        await clock.sleep(delay)
        task = asyncio.ensure_future(obedient(lane))
        if fate == "cancel":
            await clock.sleep(gap / 2)
            task.cancel()
        try:
            ticket = await task
        except asyncio.CancelledError:
            return
        await clock.sleep(0.3)
        if fate == "throttled":
            await lane.throttled(ticket)
            cooldowns.append(clock.time + 60.0 if ticket.issued_at >= cooldowns[-1] else cooldowns[-1])
        else:
            await lane.succeeded(ticket)

    async def main() -> None:
        lane = Lane("host", LaneSettings(gap, BackOff(maximum=60.0, give_up=100)), clock, batch=batch)
        await asyncio.gather(*(visit(lane, delay, fate) for delay, fate in plan))

    cooldowns = [0.0]
    asyncio.run(main())
    assert all(later - earlier >= gap - 1e-6 for earlier, later in pairwise(starts))


def test_lanes_are_made_once_with_their_settings(clock: Any) -> None:
    """A name always gives the same lane; settings by name, else the default; each lane has its own cooldown."""

    async def main() -> None:
        lanes = Lanes(clock, {"slow": LaneSettings(gap=9.0)}, default=LaneSettings(gap=2.0))
        assert lanes["slow"] is lanes["slow"]
        for name in ("slow", "slow", "other", "other"):
            await lanes[name].turn()
        assert clock.time == 1011.0
        await lanes["slow"].close("HTTP 403")
        await lanes["other"].turn()
        assert (lanes.closed, lanes.waiting) == ({"slow": "HTTP 403"}, ())

    asyncio.run(main())
