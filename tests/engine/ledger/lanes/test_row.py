"""A lane's state through its row: nothing lost, lines of others harmless, two views made one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door import Flights, LaneState
from stook.engine.ledger.lanes.row import as_of, merged, state_of, values_of

times = st.floats(0, 4e9).map(lambda seconds: round(seconds, 3))
flights = st.lists(
    st.builds(Flights, st.from_regex(r"[0-9a-f]{4}", fullmatch=True), st.integers(1, 99), times), max_size=3
)
states = st.builds(
    LaneState,
    st.just(1.0),
    next_at=times,
    cooldown_until=times,
    penalty=st.floats(0, 900),
    rounds=st.integers(0, 5),
    closed_reason=st.sampled_from(("", "HTTP 403", "throttled in 5 rounds")),
    started_at=times,
    flights=flights.map(tuple),
)


def row_of(values: dict[str, Any]) -> Any:
    return SimpleNamespace(**values)


@given(states, st.sampled_from(("run", "other")))
def test_there_and_back(state: LaneState, run: str) -> None:
    """A state comes back as it was for its own run; for another run it is open, and the rest is the same."""
    values = values_of(state, 1.0, "run", 5.0, None)
    back = state_of(row_of(values), 1.0, run)
    near = {name: pytest.approx(getattr(state, name), abs=1e-3) for name in ("next_at", "started_at", "cooldown_until")}
    if run == "run":
        assert {name: getattr(back, name) for name in near} == near
        assert (back.rounds, back.closed_reason, back.flights) == (state.rounds, state.closed_reason, state.flights)
    else:
        assert (back.closed_reason, back.rounds) == ("", 0 if state.closed_reason else state.rounds)


@pytest.mark.parametrize("line", ["x", "a 1", "a -1 5", "a 1 x", "a 1 5 6", "\n", "a b 1 5", "１ ２ ３"])
def test_foreign_lines(line: str) -> None:
    """What somebody else wrote among the requests under way counts for none, and hides none."""
    values = values_of(LaneState(1.0, started_at=0.0), 1.0, "run", 5.0, None)
    for text in (line, f"{line}\nab 2 7.500"):
        found = state_of(row_of(values | {"FLIGHTS": text}), 1.0, "run").flights
        assert found == ((Flights("ab", 2, 7.5),) if text != line else ())


@given(states, states)
def test_merged(stored: LaneState, ours: LaneState) -> None:
    """Of two views no start, slot, cooldown or request under way is lost, and merging again changes nothing."""
    both = merged(stored, ours)
    assert both.next_at >= max(stored.next_at, ours.next_at)
    assert both.started_at >= max(stored.started_at, ours.started_at)
    assert both.cooldown_until >= max(stored.cooldown_until, ours.cooldown_until) - 1e-3
    assert {entry.holder for entry in both.flights} == {entry.holder for entry in stored.flights + ours.flights}
    assert merged(both, replace(both)) == both


def test_clock_set_back() -> None:
    """With the clock, all times of a lane go back, those of requests under way too."""
    state = LaneState(1.0, 90.0, 95.0, started_at=89.0, flights=(Flights("a", 1, 99.0),))
    assert as_of(88.5, state) is state
    assert as_of(9.0, state) == LaneState(1.0, 10.0, 15.0, started_at=9.0, flights=(Flights("a", 1, 19.0),))
