"""The manual clock moves time only when nobody else can move, and wakes sleepers in order."""

import asyncio
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.clock import Clock
from stook.testing import ManualClock


def test_is_a_clock_that_stands_still():
    """Without sleep or advance, no time passes."""
    clock: Clock = ManualClock(datetime(2026, 1, 1))
    assert (clock.now(), clock.monotonic()) == (datetime(2026, 1, 1), 0.0)
    assert (clock.now(), clock.monotonic()) == (datetime(2026, 1, 1), 0.0)


def test_a_lone_sleeper_wakes_at_once_at_its_deadline():
    """An hour of sleep costs no real time and moves both readings by an hour."""
    clock = ManualClock()
    before = clock.now()
    asyncio.run(clock.sleep(3600))
    assert clock.now() - before == timedelta(hours=1)
    assert clock.monotonic() == 3600.0


def test_sleepers_wake_in_order_of_deadline():
    """Time jumps to the earliest deadline when all are asleep, not further."""
    clock, seen = ManualClock(), []

    async def worker(name, *naps):
        for nap in naps:
            await clock.sleep(nap)
            seen.append((clock.monotonic(), name))

    async def main():
        await asyncio.gather(worker("a", 3, 3), worker("b", 1, 4), worker("c", 2))

    asyncio.run(main())
    assert seen == [(1, "b"), (2, "c"), (3, "a"), (5, "b"), (6, "a")]


@given(st.lists(st.lists(st.integers(0, 50), max_size=6), max_size=6))
def test_many_sleepers_see_exactly_their_own_deadlines(plans):
    """Whatever the plans of the tasks: each sees the sum of its naps, and time never goes back."""
    clock, seen = ManualClock(), []

    async def worker(naps):
        total = 0
        for nap in naps:
            await clock.sleep(nap)
            total += nap
            assert clock.monotonic() == total
            seen.append(total)

    async def main():
        await asyncio.gather(*map(worker, plans))

    asyncio.run(main())
    assert seen == sorted(seen)


def test_equal_deadlines_wake_first_come_first_served():
    """Sleepers of one deadline wake in the order in which they fell asleep."""
    clock, seen = ManualClock(), []

    async def worker(name):
        await clock.sleep(5)
        seen.append(name)

    async def main():
        await asyncio.gather(*(worker(name) for name in "abcdef"))

    asyncio.run(main())
    assert "".join(seen) == "abcdef"


def test_time_waits_for_tasks_that_can_run():
    """However many steps a busy task takes, nobody wakes before it rests."""
    clock, seen = ManualClock(), []

    async def busy():
        for _ in range(500):
            await asyncio.sleep(0)
        seen.append(("busy", clock.monotonic()))

    async def sleeper():
        await clock.sleep(1)
        seen.append(("sleeper", clock.monotonic()))

    async def main():
        await asyncio.gather(sleeper(), busy())

    asyncio.run(main())
    assert seen == [("busy", 0.0), ("sleeper", 1.0)]


def test_a_cancelled_sleeper_holds_no_time():
    """A deadline that nobody waits for any more is passed over."""
    clock = ManualClock()

    async def main():
        short = asyncio.create_task(clock.sleep(1))
        long = asyncio.create_task(clock.sleep(10))
        await asyncio.sleep(0)
        short.cancel()
        await long
        return clock.monotonic(), short.cancelled(), clock.sleeping

    assert asyncio.run(main()) == (10.0, True, 0)


def test_zero_and_less_only_yield():
    """Sleeping for no time lets others run and moves nothing."""
    clock = ManualClock()
    asyncio.run(clock.sleep(0))
    asyncio.run(clock.sleep(-1))
    assert clock.monotonic() == 0.0


def test_a_tiny_sleep_still_moves_time():
    """A sleep below the resolution moves time by one microsecond, so that a loop around it ends."""
    clock = ManualClock()
    asyncio.run(clock.sleep(1e-9))
    assert clock.monotonic() == 1e-6


def test_without_jumps_only_advance_wakes():
    """A clock that may not jump wakes sleepers when told to, and only those that are due."""
    clock, seen = ManualClock(jumps=False), []

    async def worker(seconds):
        await clock.sleep(seconds)
        seen.append(seconds)

    async def main():
        tasks = [asyncio.create_task(worker(seconds)) for seconds in (20, 10, 30)]
        for _ in range(50):
            await asyncio.sleep(0)
        assert (seen, clock.sleeping) == ([], 3)
        clock.advance(25)
        await asyncio.gather(*tasks[:2])
        assert (seen, clock.sleeping) == ([10, 20], 1)
        clock.advance(5)
        await tasks[2]

    asyncio.run(main())
    assert clock.monotonic() == 30.0


def test_advance_works_without_a_loop_and_never_backwards():
    """Plain code may move the clock too, but not into the past."""
    clock = ManualClock()
    clock.advance(90)
    assert clock.monotonic() == 90.0
    with pytest.raises(ValueError, match="only moves forward"):
        clock.advance(-1)


def test_serves_one_loop_after_another():
    """A run that ended with sleepers does not disturb the next one."""
    clock = ManualClock()

    async def leave_one_asleep():
        task = asyncio.create_task(clock.sleep(1000))
        await asyncio.sleep(0)
        return task

    asyncio.run(leave_one_asleep())
    asyncio.run(clock.sleep(7))
    assert clock.monotonic() == 7.0


def test_patience_lets_threads_answer_before_time_jumps():
    """With patience, a thread's answer comes before the jump; without, time would not wait for it."""
    clock, seen = ManualClock(patience=0.2), []

    async def thread():
        await asyncio.to_thread(sum, range(1000))
        seen.append(("thread", clock.monotonic()))

    async def sleeper():
        await clock.sleep(60)
        seen.append(("sleeper", clock.monotonic()))

    async def main():
        await asyncio.gather(sleeper(), thread())

    asyncio.run(main())
    assert seen == [("thread", 0.0), ("sleeper", 60.0)]
