"""One write transaction: what a source's `keep` is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import Table
from sqlalchemy.engine import Connection

from stook.engine.ledger.dialects import Dialect, Named
from stook.engine.ledger.types import moment_text

__all__ = ["Transaction", "chunks", "these"]

THESE = "IN (/* these */)"  # where the dialect's own way to name many rows goes

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Slices of at most `size`."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def these(column: str = "ID") -> sa.ColumnElement[bool]:
    """In a prepared statement: whether the row is one of those that are named where it is run."""
    return sa.text(f"{column} {THESE}")  # type: ignore[return-value]


_Compiled = tuple[str, dict[str, Any], Sequence[str] | None]
"""The driver's text of a statement, the values that are part of it, and the order of its parameters."""


def _compiled(statement: sa.Executable, dialect: sa.Dialect) -> _Compiled:
    compiled: Any = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
    return str(compiled), compiled.params, compiled.positiontup


_prepared = lru_cache(256)(_compiled)


@dataclass(frozen=True, slots=True)
class Transaction:
    """All of it is kept, or nothing is. Rows are dictionaries or sequences in the order of `columns`.

    `woken` gathers the lanes in which events are due earlier than before; they are written last (`queue.lanes.wake`).
    """

    connection: Connection
    dialect: Dialect
    woken: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def wake_lane(self, queue: str, lane: str, due_at: datetime) -> None:
        """Note that an event of this lane is due then; not for events without a lane."""
        key = (queue, lane)
        known = self.woken.get(key)
        if lane and (known is None or due_at < known):
            self.woken[key] = due_at

    def execute(self, statement: sa.Executable, parameters: Any = None) -> Any:
        """A statement's result; rows are what the database says, and typed where they are read."""
        return self.connection.execute(statement, parameters)

    def rows(self, statement: sa.Executable, values: Mapping[str, Any], named: Named | None = None) -> list[Any]:
        """The rows of a statement, as the driver gives them: tuples, times of SQLite as text.

        This and `change` are for statements that are made once and run all the time, their `these` being `named` by
        the dialect: putting a statement together, and typing its rows, costs as much as running it.
        """
        result = self._run(statement, values, named)
        rows: list[Any] = result.cursor.fetchall()
        result.close()
        return rows

    def change(self, statement: sa.Executable, values: Mapping[str, Any], named: Named | None = None) -> int:
        """Run such a statement; returns how many rows matched."""
        return int(self._run(statement, values, named).rowcount)

    def _run(self, statement: sa.Executable, values: Mapping[str, Any], named: Named | None) -> Any:
        text, within, order = _prepared(statement, self.connection.dialect)
        bound = {**within, **self._plain(values)}
        if named:
            text, bound = text.replace(THESE, named[0]), bound | named[1]
        return self.connection.exec_driver_sql(text, bound if order is None else tuple(bound[name] for name in order))

    def with_ids(self, table: Table, expressions: Sequence[str], ids: Sequence[bytes]) -> Iterator[Any]:
        """The rows of these ids that are there: ID as bytes, then each SQL expression as the driver gives it."""
        wanted = ", ".join(["ID", *expressions])
        for part in chunks(ids, 2000):
            named, bound = self.dialect.among(part)
            text = f"SELECT {wanted} FROM {table.name} WHERE ID {named}"
            for identity, *values in self.connection.exec_driver_sql(text, bound or None):
                yield bytes(identity), *values

    def insert_missing(self, table: Table, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert the rows whose primary key is not there yet."""
        self.dialect.insert_missing(self.connection, table.name, columns, rows)

    def insert_fresh(self, table: Table, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bool:
        """Insert rows that are most likely all new, the fastest way; returns whether they were. If not, none is."""
        try:
            with self.connection.begin_nested():
                self.dialect.insert(self.connection, table.name, columns, rows)
        except sa.exc.IntegrityError:
            return False
        return True

    def upsert(
        self, table: Table, columns: Sequence[str], rows: Sequence[Sequence[Any]], update: Sequence[str]
    ) -> None:
        """Insert rows, or overwrite the columns `update` of those that exist (see `Dialect.upsert`)."""
        key = [column.name for column in table.primary_key.columns]
        self.dialect.upsert(self.connection, table.name, columns, rows, key, update)

    def moment(self, value: datetime | None) -> Any:
        """A time as `insert_missing` and `upsert` want it."""
        return moment_text(value) if value is not None and self.dialect.keeps_times_as_text else value

    def update(
        self, table: Table, changes: Mapping[str, Any], where: sa.ColumnElement[bool], rows: Sequence[Mapping[str, Any]]
    ) -> int:
        """Run one UPDATE for each row of bound parameters; returns how many rows matched."""
        if not rows:
            return 0
        # Handed to the driver: SQLAlchemy's own way looks at every value of every row.
        return self._each(_compiled(sa.update(table).where(where).values(changes), self.connection.dialect), rows)

    def change_each(self, statement: sa.Executable, rows: Sequence[Mapping[str, Any]]) -> int:
        """Run a statement that is made once for each row of its parameters; returns how many rows matched."""
        return self._each(_prepared(statement, self.connection.dialect), rows) if rows else 0

    def _each(self, compiled: _Compiled, rows: Sequence[Mapping[str, Any]]) -> int:
        text, within, order = compiled
        bound = [{**within, **self._plain(row)} for row in rows]
        values: Any = bound if order is None else [tuple(row[name] for name in order) for row in bound]
        return int(self.connection.exec_driver_sql(text, values).rowcount)

    def _plain(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values as the driver wants them."""
        if not self.dialect.keeps_times_as_text:
            return values
        return {name: moment_text(value) if isinstance(value, datetime) else value for name, value in values.items()}
