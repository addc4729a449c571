"""Requests under way in a shared lane: never more than the limit, and none counted for ever."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door.lane.flight import LEASE, board, count_others, report
from stook.engine.door.lane.state import Flights, LaneState

TWO = LaneState(0.0, concurrency=2)


def test_board_up_to_the_limit() -> None:
    """The places are those of all processes together."""
    state, is_free = board(TWO, 10.0, "a", 0)
    assert (is_free, state.flights) == (True, (Flights("a", 1, 10.0 + LEASE),))
    state, is_free = board(state, 11.0, "b", 0)
    assert (is_free, count_others(state, 11.0, "a")) == (True, 1)
    for holder in "abc":
        after, is_free = board(state, 12.0, holder, int(holder != "c"))
        assert not is_free
        assert [(entry.holder, entry.count) for entry in after.flights if entry.holder != holder] == [
            (entry.holder, entry.count) for entry in state.flights if entry.holder != holder
        ]


def test_refusal_corrects_the_own_number() -> None:
    """A process that is refused has what it said it has, whatever the state held before."""
    state = LaneState(0.0, concurrency=1, flights=(Flights("b", 1, 99.0), Flights("a", 1, 99.0)))
    after, is_free = board(state, 12.0, "a", 0)
    assert (is_free, after.flights) == (False, (Flights("b", 1, 99.0),))


def test_killed_process() -> None:
    """The places of a process that does not renew them are free after the lease."""
    state, _ = board(LaneState(0.0, concurrency=1), 10.0, "killed", 0)
    assert not board(state, 10.0 + LEASE - 0.1, "b", 0)[1]
    after, is_free = board(state, 10.0 + LEASE, "b", 0)
    assert (is_free, [entry.holder for entry in after.flights]) == (True, ["b"])


def test_renewal() -> None:
    """A report renews the lease, and the last one leaves nothing behind."""
    state, _ = report(TWO, 10.0, "a", 2)
    state, _ = report(state, 50.0, "a", 2)
    assert not board(state, 60.0 + LEASE / 2, "b", 0)[1]
    assert report(state, 51.0, "a", 0)[0] == TWO
    assert report(TWO, 51.0, "a", 0)[0] is TWO


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.floats(0, 50)), max_size=60), st.integers(1, 4))
def test_never_more_than_the_limit(steps: list[tuple[str, bool, float]], limit: int) -> None:
    """Whoever boards and lands when, as long as leases are renewed, no more are under way than the limit."""
    state, now, under_way = LaneState(0.0, concurrency=limit), 0.0, dict.fromkeys("abc", 0)
    for holder, boards, passed in steps:
        now += passed
        for other, count in under_way.items():
            state, _ = report(state, now - passed / 2, other, count)
        if boards:
            state, is_free = board(state, now, holder, under_way[holder])
            assert is_free == (sum(under_way.values()) < limit)
            under_way[holder] += is_free
        elif under_way[holder]:
            under_way[holder] -= 1
            state, _ = report(state, now, holder, under_way[holder])
        assert sum(entry.count for entry in state.flights) == sum(under_way.values()) <= limit
