"""Slots: one gap apart, never in the past, never inside a cooldown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door.lane.pacer import reserve, start
from stook.engine.door.lane.state import LaneState


def test_first_is_immediate_next_waits() -> None:
    """The first request starts at once, the next one a gap later."""
    state, waits = reserve(LaneState(gap=2.0), 10.0)
    assert waits == (0.0,)
    assert reserve(state, 10.5)[1] == (1.5,)


def test_idle_time_banks_nothing() -> None:
    """After a stall one request starts at once, and the next one waits a whole gap."""
    state, _ = reserve(LaneState(gap=2.0), 10.0)
    state, first = reserve(state, 100.0)
    assert (first, reserve(state, 100.0)[1]) == ((0.0,), (2.0,))


def test_batch() -> None:
    """Slots reserved together are one gap apart, and the next one comes after the last."""
    state, waits = reserve(LaneState(gap=2.0), 10.0, 3)
    assert waits == (0.0, 2.0, 4.0)
    assert reserve(state, 10.0)[1] == (6.0,)


def test_no_slot_inside_a_cooldown() -> None:
    """Slots begin when the cooldown ends, one gap apart: no burst."""
    assert reserve(LaneState(gap=2.0, cooldown_until=70.0), 10.0, 2)[1] == (60.0, 62.0)


@pytest.mark.parametrize(
    ("state", "started"),
    [
        (LaneState(gap=1.0), 10.0),
        (LaneState(gap=0.0, started_at=10.0), 10.0),
        (LaneState(gap=1.0, cooldown_until=10.0), 10.0),
        (LaneState(gap=1.0, cooldown_until=10.0000005), 10.0000005),
        (LaneState(gap=1.0, started_at=9.0000005), 10.0000005),
        (LaneState(gap=1.0, cooldown_until=10.1), None),
        (LaneState(gap=1.0, closed_reason="x"), None),
    ],
)
def test_start(state: LaneState, started: float | None) -> None:
    """A request starts in its slot, unless a cooldown or a closure came while it was waited for."""
    after, answer = start(state, 10.0)
    assert answer == (None if started is None else (started, 0.0))
    assert after.started_at == (started if started and state.gap else state.started_at)


def test_start_instead_of_a_late_one() -> None:
    """Leave that came late is exchanged for a start now, without waiting, unless somebody has started since."""
    state, _ = start(LaneState(gap=1.0), 10.0)
    assert start(state, 10.4, 10.0) == (LaneState(gap=1.0, started_at=10.4), (10.4, 0.0))
    state, _ = start(state, 11.0)
    assert start(state, 11.2, 10.0) == (state, (12.0, pytest.approx(0.8)))
    assert start(LaneState(gap=1.0, started_at=10.0, cooldown_until=70.0), 10.4, 10.0)[1] is None


def test_start_after_somebody_late() -> None:
    """Who started late holds the next one back until a gap has passed, and nobody longer."""
    state = LaneState(gap=1.0, started_at=9.75)
    assert start(state, 10.0) == (state, (10.75, 0.75))
    assert start(state, 10.75)[0].started_at == 10.75


moments = st.lists(st.tuples(st.floats(0, 10), st.integers(1, 4)), min_size=2, max_size=40)


@given(moments, st.sampled_from((0.05, 0.1, 1.0, 3.0)))
def test_pace_is_never_exceeded(calls: list[tuple[float, int]], gap: float) -> None:
    """Whatever the times and batch sizes, any two slots are a gap apart."""
    state, now, slots = LaneState(gap=gap), 0.0, []
    for passed, count in calls:
        now += passed
        state, waits = reserve(state, now, count)
        slots += [now + wait for wait in waits]
    assert all(later - earlier >= gap - 1e-9 for earlier, later in pairwise(slots))
