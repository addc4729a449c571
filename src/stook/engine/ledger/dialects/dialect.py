"""The seam between the ledger and its SQL engines, and the SQL text they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection

__all__ = [
    "Dialect",
    "Named",
    "Rows",
    "assignments",
    "batches",
    "column_list",
    "is_conflict",
    "is_refusal",
    "is_too_large",
    "tuples",
]

Rows = Sequence[Sequence[Any]]
Named = tuple[str, dict[str, Any]]

_LOST_TO_OTHERS = {
    "sqlstate": ("40001", "40P01", "55P03"),  # serialization, deadlock, lock time-out
    "sqlite_errorname": ("SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"),
}
_LOST_NUMBERS = (1205, 1213)  # lock time-out and deadlock of MySQL; not all its drivers tell the state
_TOO_LARGE_STATES = ("22001", "54")  # a text for its column; the server's limits: a row, an index entry, a nesting
_TOO_LARGE_NUMBERS = (1071, 1118, 1153, 1301, 1406)  # of MySQL: key, row, packet, result, column


class Dialect(Protocol):
    """One SQL engine's ways. All writes happen inside the transaction of the given connection."""

    @property
    def name(self) -> str: ...
    @property
    def has_partial_indexes(self) -> bool:
        """Whether an index keeps out the rows that its condition leaves out (see `schema.due_index`)."""
        ...

    @property
    def joins_laterally(self) -> bool:
        """Whether one statement can take a range of rows for each row of another."""
        ...

    @property
    def parenthesizes_unions(self) -> bool:
        """Whether each part of a union may stand in parentheses, with an order, a limit and a lock of its own."""
        ...

    def insert(self, connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows, or fail on the first that is there."""
        ...

    def insert_missing(self, connection: Connection, table: str, columns: Sequence[str], rows: Rows) -> None:
        """Insert what is not there yet, by primary key; what exists is not touched."""
        ...

    def upsert(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[str],
        rows: Rows,
        key: Sequence[str],
        update: Sequence[str],
    ) -> None:
        """Insert, or overwrite the columns `update` where the key exists.

        An entry `COL=expression` is written as it stands, with `{new}` for the new value and `{old}` for the stored
        one; expressions that look at other stored columns stand before those columns' own entries.
        """
        ...

    def among(self, ids: Sequence[bytes]) -> Named:
        """What stands behind a column in a condition that it is one of these ids, and named parameters of that."""
        ...

    @property
    def place(self) -> str:
        """Where a queue's row lies: what finds a row again without an index, as long as we hold its lock."""
        ...

    def at(self, places: Sequence[Any]) -> Named:
        """The same as `among` for places."""
        ...

    @property
    def keeps_times_as_text(self) -> bool:
        """Whether the writes above want times as text (`types.moment_text`)."""
        ...

    def is_refusal(self, error: sa.exc.DBAPIError) -> bool:
        """Whether the database refuses what it was given, and would again; any other trouble may pass."""
        ...


def is_refusal(error: sa.exc.DBAPIError) -> bool:
    """What the drivers' classes say."""
    return not (error.connection_invalidated or isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError))


def is_too_large(error: sa.exc.DBAPIError) -> bool:
    """Whether some value is larger than a column, an index, a statement or the engine can hold."""
    cause = error.orig
    state = str(getattr(cause, "sqlstate", None) or "")
    number = cause.args[0] if cause and cause.args else None
    is_toobig = getattr(cause, "sqlite_errorname", None) == "SQLITE_TOOBIG"
    return is_toobig or state.startswith(_TOO_LARGE_STATES) or number in _TOO_LARGE_NUMBERS


def is_conflict(error: sa.exc.DBAPIError) -> bool:
    """Whether other transactions were in the way: the same one, run again from its beginning, may well succeed."""
    cause = error.orig
    if any(getattr(cause, name, None) in codes for name, codes in _LOST_TO_OTHERS.items()):
        return True
    return bool(cause and cause.args and cause.args[0] in _LOST_NUMBERS)


def column_list(columns: Sequence[str]) -> str:
    return ", ".join(columns)


def assignments(update: Sequence[str], new: str, old: str) -> str:
    """The SET list; `new` and `old` are patterns for a column's new and stored value."""
    return ", ".join(_assignment(entry, new, old) for entry in update)


def _assignment(entry: str, new: str, old: str) -> str:
    name, _, expression = entry.partition("=")
    if not expression:
        return f"{name} = {new.format(name)}"
    return f"{name} = " + expression.format(new=new.format(name), old=old.format(name))


def batches(rows: Iterable[Sequence[Any]], size: int) -> Iterator[Rows]:
    """So many at a time."""
    left = iter(rows)
    while batch := list(islice(left, size)):
        yield batch


def tuples(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Rows as drivers want them."""
    return [row if isinstance(row, tuple) else tuple(row) for row in rows]
