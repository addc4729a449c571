"""The spacing of request starts: slots one gap apart, for all processes that share the state."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

from stook.engine.door.lane.state import LaneState

__all__ = ["Start", "reserve", "start"]

_ROUNDING = 1e-6  # seconds


class Start(NamedTuple):
    """The answer to a request that wants to start: with `wait` 0 it has started at `moment`.

    Otherwise it has not started, and asks again in `wait` seconds.
    """

    moment: float
    wait: float = 0.0


def reserve(state: LaneState, now: float, count: int = 1) -> tuple[LaneState, tuple[float, ...]]:
    """Reserve the next `count` slots; the answer says in how many seconds from now each of them begins.

    No slot lies in the past or inside a known cooldown. So time that passed unused is lost, and requests do not all
    start together when a cooldown ends.
    """
    first = max(now, state.next_at, state.cooldown_until)
    waits = tuple(first + index * state.gap - now for index in range(count))
    # Without a gap there is nothing to remember, and a shared store is spared a write.
    return (replace(state, next_at=first + count * state.gap) if state.gap else state), waits


def start(state: LaneState, now: float, replaced: float = -inf) -> tuple[LaneState, Start | None]:
    """Start a request whose slot has come.

    None means that a cooldown or a closure came since the slot was reserved: the slot is void. An answer with a wait
    means that another request started less than a gap ago, because its process woke up late.

    `replaced` is the moment of an earlier start that the caller was given and did not use. The request may then start
    now, at once, unless another request has started since that moment.
    """
    # A timer may fire a rounding error early; such a request counts as started when the cooldown ended.
    if state.closed_reason or now < state.cooldown_until - _ROUNDING:
        return state, None
    moment = max(now, state.cooldown_until)
    if not state.gap:
        return state, Start(moment)
    free = now if state.started_at <= replaced + _ROUNDING else state.started_at + state.gap
    if free > now + _ROUNDING:
        return state, Start(free, free - now)
    moment = max(moment, free)
    return replace(state, started_at=moment), Start(moment)
