"""A lane's state as a row of TB_LANE, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from stook.engine.door import Flights, LaneState

__all__ = ["RUNS_KEPT", "as_of", "merged", "moment", "seconds", "state_of", "values_of"]

RUNS_KEPT = 8
"""A lane that closes is closed for one run. Its row remembers the closures of so many runs."""
ROUNDING = 1e-3  # seconds that a time may change on its way through the database
SET_BACK = 1.0  # seconds that the last start must lie ahead for the clock to have been set back
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_CLOSURE = re.compile(r"(?P<run>\S+) (?P<rounds>[0-9]{1,9}) (?P<reason>.+)")
_FLIGHTS = re.compile(r"(?P<holder>\S+) (?P<count>[0-9]{1,9}) (?P<until>[0-9]{1,12}(\.[0-9]{1,9})?)")


def state_of(row: sa.Row[Any], gap: float, run: str, concurrency: int = 0) -> LaneState:
    """The state that a row holds for a run; `gap` and `concurrency` are those of the settings."""
    reason, rounds = _closures(row.CLOSED_REASON).get(run, ("", row.ROUNDS))
    return LaneState(
        gap,
        next_at=seconds(row.NEXT_AT),
        started_at=seconds(row.STARTED_AT),
        cooldown_until=seconds(row.COOLDOWN_UNTIL),
        penalty=row.PENALTY,
        rounds=rounds,
        closed_reason=reason,
        concurrency=concurrency,
        flights=_flights(row.FLIGHTS),
    )


def values_of(state: LaneState, gap: float, run: str, now: float, row: sa.Row[Any] | None) -> dict[str, Any]:
    """The columns beside HOST, over what the row holds now; `now` is the database's time.

    A closure is one line beside those of other runs. The rounds that led to it stand in that line, so that the next
    run begins with none.
    """
    closures, rounds = _closures(row.CLOSED_REASON if row else None), state.rounds
    if state.closed_reason:
        rounds = row.ROUNDS if row and run in closures else 0
        closures.setdefault(run, (" ".join(state.closed_reason.split()), state.rounds))
    return {
        "NEXT_AT": moment(state.next_at),
        "STARTED_AT": moment(state.started_at),
        "GAP": gap,
        "COOLDOWN_UNTIL": moment(state.cooldown_until),
        "PENALTY": state.penalty,
        "ROUNDS": rounds,
        "CLOSED_REASON": _closure_lines(closures),
        "FLIGHTS": "\n".join(f"{entry.holder} {entry.count} {entry.until:.3f}" for entry in state.flights) or None,
        "UPDATED": moment(now),
    }


def merged(stored: LaneState, ours: LaneState) -> LaneState:
    """The state of both, where neither process knew of the other: the later times, and the later cooldown."""
    holders = {entry.holder for entry in ours.flights}
    later = stored if stored.cooldown_until > ours.cooldown_until + ROUNDING else ours
    return replace(
        ours,
        next_at=max(stored.next_at, ours.next_at),
        started_at=max(stored.started_at, ours.started_at),
        cooldown_until=later.cooldown_until,
        penalty=later.penalty,
        rounds=later.rounds,
        flights=tuple(entry for entry in stored.flights if entry.holder not in holders) + ours.flights,
    )


def as_of(now: float, state: LaneState) -> LaneState:
    """The state; where the clock was set back since the last start, its times are moved back as far."""
    ahead = state.started_at - now
    if ahead < SET_BACK:
        return state
    return replace(
        state,
        started_at=now,
        next_at=state.next_at - ahead,
        cooldown_until=state.cooldown_until - ahead,
        flights=tuple(replace(entry, until=entry.until - ahead) for entry in state.flights),
    )


def seconds(time: datetime) -> float:
    """Seconds since 1970."""
    return (time - _EPOCH).total_seconds()


def moment(since_epoch: float) -> datetime:
    """The time so many seconds after 1970; not before."""
    return _EPOCH + timedelta(seconds=max(since_epoch, 0.0))


def _closures(stored: str | None) -> dict[str, tuple[str, int]]:
    """The runs that closed the lane, in order: reason and rounds by run. Lines of another form close nothing."""
    found = map(_CLOSURE.fullmatch, (stored or "").split("\n"))
    return {match["run"]: (match["reason"], int(match["rounds"])) for match in found if match}


def _closure_lines(closures: Mapping[str, tuple[str, int]]) -> str | None:
    kept = list(closures.items())[-RUNS_KEPT:]
    return "\n".join(f"{run} {rounds} {reason}" for run, (reason, rounds) in kept) or None


def _flights(stored: str | None) -> tuple[Flights, ...]:
    """The requests under way; a line of another form counts for none."""
    found = map(_FLIGHTS.fullmatch, (stored or "").split("\n"))
    return tuple(Flights(match["holder"], int(match["count"]), float(match["until"])) for match in found if match)
