"""The number of requests under way in a lane that several processes share, as leases that expire."""

from __future__ import annotations

from dataclasses import replace

from stook.engine.door.lane.state import Flights, LaneState

__all__ = ["LEASE", "RENEW", "board", "count_others", "report"]

LEASE = 60.0
"""Seconds after which the requests of a process that does not renew its entry count no more."""
RENEW = LEASE / 3  # seconds between two renewals


def report(state: LaneState, now: float, holder: str, count: int) -> tuple[LaneState, None]:
    """Set how many requests of `holder` are under way. Entries that have expired are dropped.

    The number is absolute, not a difference: applying the step twice, after a lost answer, does no harm.
    """
    others = tuple(entry for entry in state.flights if entry.holder != holder and entry.until > now)
    ours = (Flights(holder, count, now + LEASE),) if count else ()
    if not ours and others == state.flights:
        return state, None
    return replace(state, flights=others + ours), None


def board(state: LaneState, now: float, holder: str, count: int) -> tuple[LaneState, bool]:
    """Add one request to the `count` that `holder` has under way, if the lane has a free place; says whether it had.

    Without a free place the entry of `holder` is set to `count`.
    """
    is_free = count_others(state, now, holder) + count < state.concurrency
    return report(state, now, holder, count + is_free)[0], is_free


def count_others(state: LaneState, now: float, holder: str) -> int:
    """How many requests of other processes are under way."""
    return sum(entry.count for entry in state.flights if entry.holder != holder and entry.until > now)
