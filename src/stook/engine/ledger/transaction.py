"""One write transaction: what a source's `keep` is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import Table
from sqlalchemy.engine import Connection

from stook.engine.ledger.dialects import Dialect

__all__ = ["Transaction", "among", "chunks"]

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Slices of at most `size`."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def among(connection: Connection, column: sa.Column[Any], ids: Sequence[bytes]) -> sa.ColumnElement[bool]:
    """Whether a column holds one of these ids, which are all of one length.

    On PostgreSQL they go as one value: its driver reads long statements anew each time, and writes arrays slowly.
    """
    if connection.dialect.name != "postgresql":
        return column.in_(ids)
    split = (
        f"{column.name} = ANY(ARRAY(SELECT substring(:joined FROM place * :size + 1 FOR :size)"
        " FROM generate_series(0, :last) AS place))"
    )
    size = sa.bindparam("size", len(ids[0]) if ids else 1, sa.Integer, unique=True)
    joined = sa.bindparam("joined", b"".join(ids), sa.LargeBinary, unique=True)
    last = sa.bindparam("last", len(ids) - 1, sa.Integer, unique=True)
    return sa.text(split).bindparams(joined, size, last)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Transaction:
    """All of it is kept, or nothing is. Rows are dictionaries or sequences in the order of `columns`."""

    connection: Connection
    dialect: Dialect

    def execute(self, statement: sa.Executable, parameters: Any = None) -> Any:
        """A statement's result; rows are what the database says, and typed where they are read."""
        return self.connection.execute(statement, parameters)

    def with_ids(self, table: Table, expressions: Sequence[str], ids: Sequence[bytes]) -> Iterator[Any]:
        """The rows of these ids that are there: ID as bytes, then each SQL expression as the driver gives it."""
        for some in chunks(ids, 2000):
            for identity, *values in self.dialect.with_ids(self.connection, table.name, expressions, some):
                yield bytes(identity), *values

    def insert_missing(self, table: Table, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert the rows whose primary key is not there yet."""
        self.dialect.insert_missing(self.connection, table.name, columns, rows)

    def insert_fresh(self, table: Table, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
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
        return self.dialect.moment(value)

    def update(
        self, table: Table, changes: Mapping[str, Any], where: sa.ColumnElement[bool], rows: Sequence[Mapping[str, Any]]
    ) -> int:
        """Run one UPDATE for each row of bound parameters; returns how many rows matched."""
        if not rows:
            return 0
        # Compiled once and handed to the driver: SQLAlchemy's own way looks at every value of every row.
        compiled = sa.update(table).where(where).values(changes).compile(dialect=self.connection.dialect)
        told = [compiled.params | {name: self._plain(value) for name, value in row.items()} for row in rows]
        names = compiled.positiontup
        values: Any = told if names is None else [tuple(row[name] for name in names) for row in told]
        return int(self.connection.exec_driver_sql(str(compiled), values).rowcount)

    def _plain(self, value: Any) -> Any:
        return self.dialect.moment(value) if isinstance(value, datetime) else value
