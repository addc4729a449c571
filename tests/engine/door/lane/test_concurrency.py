"""The number of requests under way in a lane, in one process and in several; the room that is left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stook.engine.door import (
    UNLIMITED,
    BackOff,
    Lane,
    Lanes,
    LaneSettings,
    LaneState,
    MemoryStore,
    Step,
    Ticket,
    is_forgettable,
)
from stook.engine.door.lane.flight import LEASE
from stook.engine.door.lane.store import SWEEP_FROM
from stook.engine.errors import LaneClosed


class Gauge:
    """How many requests are under way, and how many were at most."""

    def __init__(self) -> None:
        self.now = self.most = self.total = 0

    async def ask(self, lane: Lane, clock: Any, seconds: float = 1.0) -> Ticket:
        ticket = await lane.turn()
        self.now += 1
        self.total += 1
        self.most = max(self.most, self.now)
        try:
            await clock.sleep(seconds)
        finally:
            self.now -= 1
            lane.leave()
        return ticket


class Shared(MemoryStore):
    """A store that several processes use under names of their own; answers may travel for some turns of the loop."""

    slowness = 0

    def __init__(self, clock: Any, holder: str, states: dict[str, LaneState]) -> None:
        super().__init__(clock)
        self.holder = holder
        self._states = states

    async def change(self, name: str, fresh: LaneState, step: Step[Any]) -> tuple[LaneState, Any]:
        await asyncio.sleep(0)
        changed = await super().change(name, fresh, step)
        for _ in range(self.slowness):
            await asyncio.sleep(0)
        return changed


def lane_of(clock: Any, concurrency: int, gap: float = 0.0, store: Any = None) -> Lane:
    return Lane("host", LaneSettings(gap, concurrency=concurrency), clock, store)


@pytest.mark.parametrize(("limit", "most", "seconds"), [(1, 1, 12.0), (5, 5, 3.0), (0, 12, 1.0)])
def test_limit(clock: Any, limit: int, most: int, seconds: float) -> None:
    """No more are under way than the limit, and a place that is free is taken at once."""

    async def main() -> Gauge:
        lane, gauge = lane_of(clock, limit), Gauge()
        await asyncio.gather(*(gauge.ask(lane, clock) for _ in range(12)))
        return gauge

    gauge = asyncio.run(main())
    assert (gauge.most, gauge.total, clock.time) == (most, 12, 1000.0 + seconds)


def test_limit_and_gap(clock: Any) -> None:
    """The gap holds beside the limit; whichever is slower sets the pace."""

    async def main() -> tuple[float, float]:
        gauge, begun = Gauge(), clock.time
        await asyncio.gather(*(gauge.ask(slow, clock, 4.0) for _ in range(6)))
        middle = clock.time
        await asyncio.gather(*(gauge.ask(spaced, clock, 1.0) for _ in range(6)))
        return middle - begun, clock.time - middle

    slow, spaced = lane_of(clock, 2, 0.5), lane_of(clock, 2, 3.0)
    assert asyncio.run(main()) == (12.5, 16.0)


def test_cancelled_and_closed(clock: Any) -> None:
    """A place is free again when its request is cancelled; closing wakes those that wait for a place."""

    async def main() -> None:
        lane, gauge = lane_of(clock, 1), Gauge()
        first, second, third = (asyncio.ensure_future(gauge.ask(lane, clock, 50.0)) for _ in range(3))
        await clock.sleep(1.0)
        assert (gauge.now, lane.room) == (1, 0)
        first.cancel()
        await clock.sleep(1.0)
        assert (first.cancelled(), gauge.now, gauge.total) == (True, 1, 2)
        await lane.close("enough")
        with pytest.raises(LaneClosed):
            await third
        await second
        assert clock.time == 1051.0

    asyncio.run(main())


@pytest.mark.parametrize("gap", [0.0, 0.3])
def test_processes_share_the_limit(clock: Any, gap: float) -> None:
    """Three processes have no more under way than one lane allows; nobody starves, and all leave their places."""

    async def main() -> tuple[Gauge, list[int]]:
        states: dict[str, LaneState] = {}
        lanes = [lane_of(clock, 2, gap, Shared(clock, name, states)) for name in "abc"]
        gauge = Gauge()
        await asyncio.gather(*(gauge.ask(lane, clock, 0.7) for lane in lanes * 5))
        await asyncio.gather(*(lane.settle() for lane in lanes))
        return gauge, [entry.count for entry in states["host"].flights]

    gauge, left = asyncio.run(main())
    assert (gauge.most, gauge.total, left) == (2, 15, [])
    assert clock.time < 1000.0 + 15


def test_killed_process(clock: Any) -> None:
    """What a killed process had under way is waited for as long as a lease lasts."""

    async def main() -> None:
        states: dict[str, LaneState] = {}
        killed, other = (lane_of(clock, 1, 0.0, Shared(clock, name, states)) for name in "ab")
        await killed.turn()
        gauge = Gauge()
        await gauge.ask(other, clock, 0.0)
        assert LEASE <= clock.time - 1000.0 < LEASE + 2.0

    asyncio.run(main())


def test_cancelled_while_the_store_answers(clock: Any) -> None:
    """A place that the store gave to a request that is cancelled meanwhile comes back."""

    async def main() -> tuple[Any, ...]:
        states: dict[str, LaneState] = {}
        store = Shared(clock, "a", states)
        store.slowness = 10
        lane = lane_of(clock, 1, 0.0, store)
        task = asyncio.ensure_future(lane.turn())
        while not states.get("host", LaneState(0.0)).flights:  # noqa: ASYNC110 - until the store has let it in
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await lane.settle()
        return states["host"].flights

    assert asyncio.run(main()) == ()


def test_room(clock: Any) -> None:
    """Room tells the places that are free, one during a cooldown, none when closed; asking makes no lane."""

    async def main() -> None:
        named = {"two": LaneSettings(0.0, concurrency=2), "free": LaneSettings(0.0)}
        lanes = Lanes(clock, named, default=LaneSettings(0.0, BackOff(base=100.0), 3))
        assert [lanes.room(name) for name in ("two", "free", "other")] == [2, UNLIMITED, 3]
        assert lanes.size == 0
        ticket = await lanes["two"].turn()
        assert lanes.room("two") == 1
        lanes["two"].leave()
        await lanes["other"].throttled(ticket)
        assert lanes.room("other") == 1
        waits = asyncio.ensure_future(lanes["other"].turn())
        await asyncio.sleep(0)
        assert lanes.room("other") == 0
        await waits
        assert (clock.time, lanes.room("other")) == (1100.0, 2)
        await lanes["two"].close("enough")
        assert lanes.room("two") == 0

    asyncio.run(main())


def test_room_beside_other_processes(clock: Any) -> None:
    """What others have under way takes room, for as long as that was seen a moment ago."""

    async def main() -> None:
        states: dict[str, LaneState] = {}
        ours, theirs = (lane_of(clock, 3, 0.0, Shared(clock, name, states)) for name in "ab")
        for _ in range(2):
            await theirs.turn()
        await ours.turn()
        assert ours.room == 0
        clock.time += 2.0
        assert ours.room == 2

    asyncio.run(main())


def test_bad_settings() -> None:
    """Neither gap nor limit is negative."""
    for values in ({"gap": -1.0}, {"concurrency": -1}):
        with pytest.raises(ValueError, match="not a lane"):
            LaneSettings(**values)


@pytest.mark.parametrize("concurrency", [0, 2])
def test_idle_lanes_are_forgotten(clock: Any, concurrency: int) -> None:
    """Twenty thousand hosts, one after the other, never leave more than the last few."""

    async def main() -> tuple[int, int]:
        store = MemoryStore(clock)
        lanes = Lanes(clock, default=LaneSettings(1.0, concurrency=concurrency), store=store)
        most = 0
        for number in range(20_000):
            lane = lanes[f"host{number}.example"]
            ticket = await lane.turn()
            await lane.succeeded(ticket)
            lane.leave()
            clock.time += 0.01
            most = max(most, lanes.size, store.size)
        return most, lanes.size

    most, left = asyncio.run(main())
    assert most <= 2 * SWEEP_FROM
    assert left <= 2 * SWEEP_FROM


def test_what_matters_is_remembered(clock: Any) -> None:
    """Among any number of hosts, a pace, a cooldown, a closure and a request under way are not forgotten."""

    async def main() -> None:
        lanes = Lanes(clock, {"paced": LaneSettings(1e6), "busy": LaneSettings(0.0, concurrency=1)})
        await lanes["paced"].turn()
        lanes["paced"].leave()
        await lanes["cooling"].throttled(await lanes["cooling"].turn(), 900.0)
        lanes["cooling"].leave()
        await lanes["shut"].close("HTTP 403")
        await lanes["busy"].turn()
        for number in range(5 * SWEEP_FROM):
            await lanes[f"host{number}"].turn()
            lanes[f"host{number}"].leave()
            clock.time += 0.1
        assert lanes.closed == {"shut": "HTTP 403"}
        assert [lanes.room(name) for name in ("cooling", "shut", "busy")] == [1, 0, 0]
        started = clock.time
        await lanes["cooling"].turn()
        assert clock.time == max(1900.0, started)
        await lanes["paced"].turn()
        assert clock.time == 1e6 + 1000.0

    asyncio.run(main())


@pytest.mark.parametrize(
    ("state", "is_so"),
    [
        (LaneState(1.0), True),
        (LaneState(1.0, started_at=9.0, next_at=10.0), True),
        (LaneState(1.0, started_at=9.1), False),
        (LaneState(1.0, next_at=10.1), False),
        (LaneState(1.0, cooldown_until=11.0), False),
        (LaneState(1.0, penalty=60.0), False),
        (LaneState(1.0, rounds=1), False),
        (LaneState(1.0, closed_reason="x"), False),
    ],
)
def test_forgettable(state: LaneState, is_so: bool) -> None:
    """A state is forgettable when a new one would behave the same."""
    assert is_forgettable(state, 10.0) is is_so
