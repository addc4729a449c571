"""The SQL on TB_LANE: steps on one lane, and what is read, stored and deleted of many."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from stook.engine.door import LaneState, Step
from stook.engine.ledger.dialects import Dialect
from stook.engine.ledger.lanes.row import as_of, merged, moment, state_of, values_of
from stook.engine.ledger.schema import LANE
from stook.engine.ledger.transaction import Transaction

__all__ = ["DELETE_AT_MOST", "LaneRows"]

T = TypeVar("T")
# The time at which the statement runs, not that at which its transaction began; no type with an edge in 2038.
_NOW = {
    "postgresql": "extract(epoch FROM clock_timestamp())",
    "mysql": "timestampdiff(MICROSECOND, '1970-01-01', sysdate(6)) / 1e6",
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
}
SLACK = 1.02
"""The answers of a database travel for different times. Processes that keep 2 % more than the gap between two starts
at the database never make a server see more starts in a second than the gap allows."""
UNUSED = 86400.0  # seconds without a request after which a lane's row is deleted
CLOSED_UNUSED = 30 * 86400.0  # the same for a row that holds a closure: a run may last for weeks
DELETE_AT_MOST = 500  # rows in one transaction


class LaneRows:
    """The rows of one run, on the database's clock. All methods block."""

    def __init__(self, engine: Engine, dialect: Dialect, run: str) -> None:
        self._engine = engine
        self._dialect = dialect
        self._run = run

    def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T, float]:
        """Apply a step atomically; the state after it, its answer, and the database's time.

        Without a gap and a limit most steps change nothing: a look without a lock is tried first.
        """
        seen = None if fresh.is_limited else self._look(name, fresh, step)
        return seen or self._write(name, fresh, step)

    def now(self) -> float:
        with self._engine.connect().execution_options(reads_only=True) as connection:
            return self._now(connection)

    def active(self) -> dict[str, LaneState]:
        """The states that matter to this run from now on, with the gap they were stored with."""
        with self._engine.connect().execution_options(reads_only=True) as connection:
            now = moment(self._now(connection))
            column = LANE.c
            still = sa.or_(
                column["NEXT_AT"] > now,
                column["COOLDOWN_UNTIL"] > now,
                column["PENALTY"] > 0,
                column["ROUNDS"] > 0,
                column["CLOSED_REASON"].is_not(None),
                column["FLIGHTS"].is_not(None),
            )
            return {
                row.HOST: state_of(row, row.GAP, self._run) for row in connection.execute(sa.select(LANE).where(still))
            }

    def put(self, states: Mapping[str, LaneState]) -> None:
        """Store these states in one transaction, together with what other processes have stored meanwhile."""
        with self._engine.begin() as connection:
            now = self._now(connection)
            for name in sorted(states):
                state = states[name]
                row = self._row(connection, name, state)
                both = merged(state_of(row, state.gap, self._run), state)
                self._update(connection, name, values_of(both, state.gap, self._run, now, row))

    def delete_unused(self) -> int:
        """Delete some rows that no request has used for long; returns how many, at most DELETE_AT_MOST."""
        with self._engine.begin() as connection:
            now = self._now(connection)
            unused = sa.and_(_unused(now - UNUSED), LANE.c["CLOSED_REASON"].is_(None)) | _unused(now - CLOSED_UNUSED)
            chosen = sa.select(LANE.c["HOST"]).where(unused).limit(DELETE_AT_MOST).with_for_update(skip_locked=True)
            names = connection.execute(chosen).scalars().all()
            if names:
                connection.execute(sa.delete(LANE).where(LANE.c["HOST"].in_(names), unused))
            return len(names)

    def _look(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T, float] | None:
        """The step's answer, if it changes nothing."""
        with self._engine.connect().execution_options(reads_only=True) as connection:
            row = connection.execute(_with_time(self._dialect.name), {"name": name}).one()
        now = float(row.moment)
        before = self._state(row if row.HOST is not None else None, fresh, now)
        state, answer = step(before, now)
        return (state, answer, now) if state == before else None

    def _write(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T, float]:
        with self._engine.begin() as connection:
            row = self._row(connection, name, fresh)
            now = self._now(connection)
            before = self._state(row, fresh, now)
            state, answer = step(before, now)
            if state != before:
                self._update(connection, name, values_of(state, fresh.gap, self._run, now, row))
        return state, answer, now

    def _update(self, connection: Connection, name: str, values: dict[str, Any]) -> None:
        connection.execute(_update(), {"host": name} | values)

    def _row(self, connection: Connection, name: str, fresh: LaneState) -> sa.Row[Any]:
        """The lane's row, locked; made if it is not there. Another process may make or delete it at any moment."""
        while (row := connection.execute(_locked(), {"host": name}).first()) is None:
            now = self._now(connection)
            values = values_of(LaneState(0.0, started_at=0.0), fresh.gap, self._run, now, None)
            transaction = Transaction(connection, self._dialect)
            plain = [transaction.moment(value) if isinstance(value, datetime) else value for value in values.values()]
            transaction.insert_missing(LANE, ["HOST", *values], [(name, *plain)])
        return row

    def _state(self, row: sa.Row[Any] | None, fresh: LaneState, now: float) -> LaneState:
        gap = fresh.gap * SLACK
        if row is None:
            return LaneState(gap, started_at=0.0, concurrency=fresh.concurrency)
        return as_of(now, state_of(row, gap, self._run, fresh.concurrency))

    def _now(self, connection: Connection) -> float:
        return float(connection.exec_driver_sql(f"SELECT {_NOW[self._dialect.name]}").scalar_one())


@cache
def _locked() -> sa.Select[Any]:
    """A lane's row, locked. This statement and the next are made once: that takes longer than running them."""
    return sa.select(LANE).where(LANE.c["HOST"] == sa.bindparam("host")).with_for_update()


@cache
def _update() -> sa.Update:
    """All columns of a lane's row but its key."""
    values: dict[str, Any] = {each.name: sa.bindparam(each.name) for each in LANE.c if not each.primary_key}
    return sa.update(LANE).where(LANE.c["HOST"] == sa.bindparam("host")).values(values)


@cache
def _with_time(engine: str) -> sa.Select[Any]:
    """The database's time, and beside it the lane's row, if it has one: one trip for both."""
    clock = sa.select(sa.literal_column(_NOW[engine]).label("moment")).subquery("clock")
    return sa.select(clock.c.moment, LANE).select_from(clock.outerjoin(LANE, LANE.c["HOST"] == sa.bindparam("name")))


def _unused(before: float) -> sa.ColumnElement[bool]:
    time, updated = moment(before), LANE.c["UPDATED"]
    return sa.and_(sa.or_(updated.is_(None), updated < time), LANE.c["NEXT_AT"] < time, LANE.c["COOLDOWN_UNTIL"] < time)
