"""The spacing of request starts: slots one gap apart, for everybody who shares the state."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from stook.engine.door.lane.state import LaneState

__all__ = ["reserve", "start"]

_ROUNDING = 1e-6  # seconds


def reserve(state: LaneState, now: float, count: int = 1) -> tuple[LaneState, tuple[float, ...]]:
    """Take the next `count` slots; answers how many seconds from now each one starts.

    No slot lies in the past or inside a known cooldown, so idle time banks nothing and a cooldown ends without a burst.
    """
    first = max(now, state.next_at, state.cooldown_until)
    waits = tuple(first + index * state.gap - now for index in range(count))
    # Without a gap there is nothing to remember, and a shared store is spared a write.
    return (replace(state, next_at=first + count * state.gap) if state.gap else state), waits


def start(state: LaneState, now: float, late: float = -inf) -> tuple[LaneState, tuple[float, float] | None]:
    """Start a request whose slot has come; answers when, and in how many seconds from now (0: it has started).

    More seconds mean: ask again then, as somebody else woke late and started less than a gap ago. None means that a
    cooldown or a closure came between. A sleeper may wake a rounding error early, yet counts as started after the
    cooldown it sat out. `late` is the moment of an earlier leave that came too late to be used: the request starts
    now instead, unless somebody else has started since.
    """
    if state.closed_reason or now < state.cooldown_until - _ROUNDING:
        return state, None
    moment = max(now, state.cooldown_until)
    if not state.gap:
        return state, (moment, 0.0)
    free = now if state.started_at <= late + _ROUNDING else state.started_at + state.gap
    if free > now + _ROUNDING:
        return state, (free, free - now)
    return replace(state, started_at=max(moment, free)), (max(moment, free), 0.0)
