"""The back_off, the latch, whose success counts, and Retry-After."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door.lane.governor import closed, retry_after, succeeded, throttled
from stook.engine.door.lane.state import BackOff, LaneState, Ticket

BACK_OFF = BackOff()
CALM = LaneState(gap=1.0)


def climb(rounds: int, back_off: BackOff = BACK_OFF, hint: float | None = None) -> LaneState:
    """A lane after so many barren rounds, each one's request sent when the cooldown was over."""
    state, now = CALM, 0.0
    for _ in range(rounds):
        state, _ = throttled(state, now, Ticket(now), back_off, hint)
        now = state.cooldown_until
    return state


@pytest.mark.parametrize(("rounds", "penalty"), [(1, 60), (2, 120), (3, 240), (4, 480), (5, 900)])
def test_cooldowns_double(rounds: int, penalty: float) -> None:
    """Cooldowns double from the base to the maximum."""
    assert (climb(rounds).penalty, climb(rounds).rounds) == (penalty, rounds)


def test_latch() -> None:
    """The fifth barren round closes the lane, and nothing opens it again."""
    assert not climb(4).closed_reason
    state = climb(5)
    assert state.closed_reason == "throttled in 5 rounds"
    assert succeeded(state, 1e6, Ticket(1e6), BACK_OFF)[0] == state
    assert throttled(state, 1e6, Ticket(1e6), BACK_OFF)[0] == state


@pytest.mark.parametrize(("hint", "penalty"), [(None, 60), (5, 60), (300, 300), (90_000, 900), (-5, 60)])
def test_retry_after_lengthens_only(hint: float | None, penalty: float) -> None:
    """The server's wish counts when it is longer than the back_off, and up to the maximum."""
    assert climb(1, hint=hint).penalty == penalty


def test_one_limiter_one_round() -> None:
    """Replies to requests that left before the cooldown add no round, even after it ended."""
    state, _ = throttled(CALM, 10.0, Ticket(9.0), BACK_OFF)
    state, _ = throttled(state, 11.0, Ticket(9.5), BACK_OFF)
    assert (state.rounds, state.cooldown_until) == (1, 70.0)
    state, _ = throttled(state, 75.0, Ticket(9.9), BACK_OFF)
    assert (state.rounds, state.cooldown_until) == (1, 75.0)


def test_late_hint_extends() -> None:
    """A Retry-After of the same round moves the end of the cooldown, not the back_off."""
    state, _ = throttled(CALM, 10.0, Ticket(9.0), BACK_OFF)
    state, _ = throttled(state, 20.0, Ticket(9.5), BACK_OFF, 100.0)
    assert (state.rounds, state.penalty, state.cooldown_until) == (1, 60.0, 120.0)


def test_success_in_flight_does_not_count() -> None:
    """A success whose request left before the cooldown began clears nothing."""
    state, _ = throttled(CALM, 10.0, Ticket(9.0), BACK_OFF)
    assert succeeded(state, 12.0, Ticket(9.9), BACK_OFF)[0] == state
    assert succeeded(state, 90.0, Ticket(9.9), BACK_OFF)[0] == state


@pytest.mark.parametrize(("rounds", "penalty"), [(1, 0.0), (2, 60.0), (3, 120.0), (4, 240.0)])
def test_success_halves(rounds: int, penalty: float) -> None:
    """A success of this round forgets the rounds and halves the penalty, down to none."""
    state = climb(rounds)
    state, _ = succeeded(state, state.cooldown_until, Ticket(state.cooldown_until), BACK_OFF)
    assert (state.rounds, state.penalty) == (0, penalty)


def test_close_keeps_the_first_reason() -> None:
    """A closed lane stays closed for the reason it was closed for."""
    state, _ = closed(CALM, 0.0, "HTTP 403")
    assert closed(state, 1.0, "other")[0].closed_reason == "HTTP 403"


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2000), st.floats(0, 2000))), st.integers(1, 6))
def test_latches_after_exactly_that_many_rounds(steps: list[tuple[bool, float, float]], give_up: int) -> None:
    """Whatever happens, a lane is closed if and only if it saw `give_up` rounds without a success between."""
    back_off, state, now = BackOff(give_up=give_up), CALM, 0.0
    for is_throttle, passed, hint in steps:
        now += passed
        ticket = Ticket(max(now - 1.0, 0.0))
        step = throttled(state, now, ticket, back_off, hint) if is_throttle else succeeded(state, now, ticket, back_off)
        before, state = state, step[0]
        assert not before.closed_reason or state == before
        assert state.penalty <= back_off.maximum
        assert bool(state.closed_reason) == (state.rounds >= give_up)


@pytest.mark.parametrize("values", [(0, 10, 1), (20, 10, 1), (1, 2, 0)])
def test_bad_back_off(values: tuple[float, float, int]) -> None:
    """A back-off whose cooldowns could not grow is refused."""
    with pytest.raises(ValueError, match="not a back-off"):
        BackOff(*values)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sat, 01 Aug 2026 00:02:00 GMT", 120.0),
        ("Fri, 31 Jul 2026 23:00:00 GMT", 0.0),
        ("Saturday, 01-Aug-26 00:01:00 GMT", 60.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("１２", None),
        ("9" * 400, 999_999_999_999.0),
        ("Sat, 99 Aug 2026 00:02:00 GMT", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    """Seconds or an HTTP date; nothing is guessed from anything else."""
    assert retry_after(value, datetime(2026, 8, 1)) == seconds
