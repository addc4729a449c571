"""Waiting between tries: pauses grow to a limit, are spread by chance, and end with patience."""

from __future__ import annotations

import asyncio
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from stook.engine.backoff import BackOff, Patience
from stook.testing import ManualClock


@given(st.floats(0.001, 10), st.floats(10, 1000))
def test_pauses_double_up_to_a_limit(first, longest):
    """Each pause is within half of its due length, which doubles until the longest."""
    due = first
    for pause in islice(BackOff(first, longest).pauses(), 30):
        assert due * 0.5 <= pause <= due * 1.5
        due = min(due * 2, longest)


def test_pauses_are_spread():
    """Two who wait do not come back together."""
    first, second = (list(islice(BackOff(1.0, 8.0).pauses(), 8)) for _ in range(2))
    assert first != second


def test_patience_ends():
    """Tries go on until the time is over, and no longer."""
    clock = ManualClock(jumps=False)
    tries = Patience(clock, BackOff(0.1, 5.0), 60.0)
    waited = 0.0
    while not tries.is_over:
        waited += tries.wait()
    assert 60.0 < waited <= 60.0 + 7.5
    assert abs(clock.monotonic() - waited) < 0.001


def test_a_task_lets_others_run():
    """In a loop the same pauses are slept."""
    clock = ManualClock()

    async def main() -> float:
        tries = Patience(clock, BackOff(1.0, 4.0), 10.0)
        return await tries.sleep() + await tries.sleep()

    slept = asyncio.run(main())
    assert abs(clock.monotonic() - slept) < 0.001
