"""Lanes in the database: one timeline a host for all workers on all machines."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection, Engine

from stook.engine.clock import Clock
from stook.engine.door import LaneState, MemoryStore
from stook.engine.errors import FailureCode, Unavailable
from stook.engine.ledger.dialects import Dialect
from stook.engine.ledger.schema import LANE

__all__ = ["DatabaseLanes"]

T = TypeVar("T")
Step = Callable[[LaneState, float], tuple[LaneState, T]]
log = structlog.get_logger(__name__)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
# The time at which the statement runs, not that at which its transaction began; no type with an edge in 2038.
_NOW = {
    "postgresql": "extract(epoch FROM clock_timestamp())",
    "mysql": "timestampdiff(MICROSECOND, '1970-01-01', sysdate(6)) / 1e6",
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
}
SLACK = 1.02
"""Between processes an answer travels, some faster than others: with so much more than the gap, a second never sees
one start too many because of that."""
PATIENCE = 120.0  # seconds that a database may be away
_CLOSURE = re.compile(r"(?P<run>\S+) (?P<rounds>[0-9]{1,9}) (?P<told>.+)")
SET_BACK = 1.0  # seconds that the last start must lie ahead for the clock to have been set back
RUNS_KEPT = 8  # whose closures a lane's row remembers


class DatabaseLanes:
    """A store of lane states (see `stook.engine.door.LaneStore`), on the database's own clock.

    A lane that is closed is closed for one run: `run` names it, and is the same for all its processes. Another run
    shares the pace and the cooldown, and finds out for itself whether the host still says no.
    """

    def __init__(self, engine: Engine, dialect: Dialect, run: str, clock: Clock, *, patience: float = PATIENCE) -> None:
        self._engine = engine
        self._dialect = dialect
        self._run = run
        self._clock = clock
        self._patience = patience
        self._local = MemoryStore(clock)
        self._thread = ThreadPoolExecutor(1, "lanes")

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        """Apply a pure step to the lane's state, atomically.

        A database that is away, or says no, is waited for; Unavailable when it does not come back.
        """
        if not fresh.gap and self._dialect.name == "sqlite":
            # One host only, and no pace to keep: not worth two looks into the file for each request.
            return await self._local.change(name, fresh, step)
        started = self._clock.monotonic()
        pause = 0.02
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, self._change, name, fresh, step)
            except sa.exc.DBAPIError as error:  # a deadlock, or it is away; whatever it is, no fault of the event
                if self._clock.monotonic() - started > self._patience:
                    raise Unavailable("the database that keeps the lanes is away", FailureCode.DATABASE) from error
                if pause > 1:
                    log.warning("database trouble, a lane waits", lane=name, reason=str(error.orig)[:200])
            await self._clock.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  spreading, not secrecy
            pause = min(pause * 2, 5.0)

    def _change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        """Without a gap most steps change nothing, and a look without a lock is enough."""
        seen = None if fresh.gap else self._look(name, fresh, step)
        return seen or self._write(name, fresh, step)

    def _look(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T] | None:
        with self._engine.connect().execution_options(reads_only=True) as connection:
            row = connection.execute(_look(self._dialect.name), {"name": name}).one()
        now = float(row.moment)
        before = _as_of(now, self._state(row if row.HOST is not None else None, fresh))
        state, answer = step(before, now)
        return (state, answer) if state == before else None

    def _write(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        with self._engine.begin() as connection:
            row = self._read(connection, name) or self._made(connection, name, fresh)
            now = self._now(connection)
            before = _as_of(now, self._state(row, fresh))
            state, answer = step(before, now)
            if state != before:
                changed = sa.update(LANE).where(LANE.c["HOST"] == name).values(self._values(state, fresh, row))
                connection.execute(changed)
        return state, answer

    def _made(self, connection: Connection, name: str, fresh: LaneState) -> sa.Row[Any]:
        """The row as it begins; whoever made it at the same moment, this process has it now."""
        values = self._values(self._state(None, fresh), fresh, None)
        plain = [self._dialect.moment(value) if isinstance(value, datetime) else value for value in values.values()]
        self._dialect.insert_missing(connection, LANE.name, ["HOST", *values], [(name, *plain)])
        row = self._read(connection, name)
        assert row is not None  # noqa: S101  nobody deletes lanes
        return row

    def _read(self, connection: Connection, name: str) -> sa.Row[Any] | None:
        return connection.execute(sa.select(LANE).where(LANE.c["HOST"] == name).with_for_update()).first()

    def _state(self, row: sa.Row[Any] | None, fresh: LaneState) -> LaneState:
        gap = fresh.gap * SLACK
        if row is None:
            return LaneState(gap, started_at=0.0)
        told, rounds = _closures(row.CLOSED_REASON).get(self._run, ("", row.ROUNDS))
        return LaneState(
            gap,
            next_at=_seconds(row.NEXT_AT),
            started_at=_seconds(row.STARTED_AT),
            cooldown_until=_seconds(row.COOLDOWN_UNTIL),
            penalty=row.PENALTY,
            rounds=rounds,
            closed_reason=told,
        )

    def _values(self, state: LaneState, fresh: LaneState, row: sa.Row[Any] | None) -> dict[str, Any]:
        """The columns after HOST. A closure stands beside those of other runs; its rounds are its own, so that the
        next run begins with none."""
        closures, rounds = _closures(row.CLOSED_REASON if row else None), state.rounds
        if state.closed_reason:
            rounds = row.ROUNDS if row and self._run in closures else 0
            closures.setdefault(self._run, (" ".join(state.closed_reason.split()), state.rounds))
        return {
            "NEXT_AT": _moment(state.next_at),
            "STARTED_AT": _moment(state.started_at),
            "GAP": fresh.gap,
            "COOLDOWN_UNTIL": _moment(state.cooldown_until),
            "PENALTY": state.penalty,
            "ROUNDS": rounds,
            "CLOSED_REASON": _lines(closures),
        }

    def _now(self, connection: Connection) -> float:
        return float(connection.exec_driver_sql(f"SELECT {_NOW[self._dialect.name]}").scalar_one())


@cache
def _look(engine: str) -> sa.Select[Any]:
    """The database's time, and beside it the lane's row, if it has one: one trip for both."""
    clock = sa.select(sa.literal_column(_NOW[engine]).label("moment")).subquery("clock")
    return sa.select(clock.c.moment, LANE).select_from(clock.outerjoin(LANE, LANE.c["HOST"] == sa.bindparam("name")))


def _as_of(now: float, state: LaneState) -> LaneState:
    """The state; where the clock was set back since the last start, its times go back as far."""
    ahead = state.started_at - now
    if ahead < SET_BACK:
        return state
    return replace(state, started_at=now, next_at=state.next_at - ahead, cooldown_until=state.cooldown_until - ahead)


def _closures(stored: str | None) -> dict[str, tuple[str, int]]:
    """Who closed the lane, in order: run to reason and rounds. One line each in CLOSED_REASON; words of others count
    for nothing."""
    found = map(_CLOSURE.fullmatch, (stored or "").split("\n"))
    return {match["run"]: (match["told"], int(match["rounds"])) for match in found if match}


def _lines(closures: Mapping[str, tuple[str, int]]) -> str | None:
    kept = list(closures.items())[-RUNS_KEPT:]
    return "\n".join(f"{run} {rounds} {told}" for run, (told, rounds) in kept) or None


def _seconds(moment: datetime) -> float:
    return (moment - _EPOCH).total_seconds()


def _moment(seconds: float) -> datetime:
    return _EPOCH + timedelta(seconds=seconds)
