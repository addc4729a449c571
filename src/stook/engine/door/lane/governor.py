"""Back-pressure: how throttled and successful replies change a lane's state."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from email.utils import parsedate_to_datetime

from stook.engine.clock import naive_utc
from stook.engine.door.lane.state import BackOff, LaneState, Ticket, is_calm

__all__ = ["closed", "retry_after", "succeeded", "throttled"]


def throttled(
    state: LaneState, now: float, ticket: Ticket, back_off: BackOff, hint: float | None = None
) -> tuple[LaneState, None]:
    """Begin a cooldown, or make the current one longer.

    Replies to requests that started before the current cooldown began belong to the same event at the server: they
    count as one round. `hint` is the server's Retry-After in seconds, obeyed up to the back-off's maximum. The last
    round closes the lane.
    """
    if state.closed_reason:
        return state, None
    asked = min(max(hint or 0.0, 0.0), back_off.maximum)
    if ticket.issued_at < state.cooldown_until:
        return replace(state, cooldown_until=max(state.cooldown_until, now + asked)), None
    doubled = min(state.penalty * 2, back_off.maximum) if state.penalty else back_off.base
    penalty = max(doubled, asked)
    rounds = state.rounds + 1
    reason = f"throttled in {rounds} rounds" if rounds >= back_off.give_up else ""
    until = now + penalty
    return replace(state, cooldown_until=until, penalty=penalty, rounds=rounds, closed_reason=reason), None


def succeeded(state: LaneState, now: float, ticket: Ticket, back_off: BackOff) -> tuple[LaneState, None]:
    """Forget the rounds and halve the penalty, unless the request started before the cooldown began."""
    if state.closed_reason or is_calm(state) or ticket.issued_at < state.cooldown_until:
        return state, None
    penalty = max(state.penalty / 2, back_off.base) if state.penalty > back_off.base else 0.0
    return replace(state, rounds=0, penalty=penalty), None


def closed(state: LaneState, now: float, reason: str) -> tuple[LaneState, None]:
    """Close the lane; the first reason stays."""
    return (state if state.closed_reason else replace(state, closed_reason=reason)), None


def retry_after(value: str, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for (RFC 9110, 10.2.3): a number or a date; None when it is neither."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        moment = naive_utc(parsedate_to_datetime(text))
    except (ValueError, OverflowError):
        return None
    return max((moment - now).total_seconds(), 0.0)
