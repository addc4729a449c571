"""SQLite: one file, one writer at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection

from stook.engine.backoff import BackOff, Patience
from stook.engine.clock import RealClock
from stook.engine.errors import UserError
from stook.engine.ledger.dialects.dialect import Named, Rows, assignments, batches, column_list, is_refusal, tuples
from stook.engine.ledger.dialects.sqlite_file import FileWatch, is_frozen, open_frozen

__all__ = ["Sqlite", "sqlite_engine"]

OLDEST = (3, 37)
STATEMENT_ROWS = 500
PATIENCE = 60.0  # seconds that a connection waits for the file
RETRY = 0.02
PRAGMAS = (
    "page_size=8192",
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "cache_size=-131072",
    "wal_autocheckpoint=16384",
    "case_sensitive_like=ON",  # names are bytes, in patterns too
)


@dataclass(frozen=True, slots=True)
class Sqlite:
    """Bulk writes by `executemany`, which measured faster than every other way."""

    name: str = "sqlite"
    place: str = "rowid"
    keeps_times_as_text: bool = True
    has_partial_indexes: bool = True
    joins_laterally: bool = False
    parenthesizes_unions: bool = False

    def insert_missing(self, connection: Connection, table: str, columns: Sequence[str], rows: Rows) -> None:
        if rows:
            connection.exec_driver_sql(f"{_insert(table, columns)} ON CONFLICT DO NOTHING", tuples(rows))

    def insert(self, connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Many rows a statement: the interpreter is free for other threads all the while, not row by row."""
        for batch in batches(rows, STATEMENT_ROWS):
            connection.exec_driver_sql(_insert(table, columns, len(batch)), tuple(chain.from_iterable(batch)))

    def upsert(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[str],
        rows: Rows,
        key: Sequence[str],
        update: Sequence[str],
    ) -> None:
        if rows:
            sets = assignments(update, "excluded.{}", table + ".{}")
            statement = f"{_insert(table, columns)} ON CONFLICT ({column_list(key)}) DO UPDATE SET {sets}"
            connection.exec_driver_sql(statement, tuples(rows))

    def among(self, ids: Sequence[bytes]) -> Named:
        named = [f"x'{identity.hex()}'" for identity in ids]
        return f"IN ({','.join(named)})", {}

    def at(self, places: Sequence[Any]) -> Named:
        return f"IN ({column_list([str(place) for place in places])})", {}

    def is_refusal(self, error: sa.exc.DBAPIError) -> bool:
        return is_refusal(error)


def _insert(table: str, columns: Sequence[str], rows: int = 1) -> str:
    return f"INSERT INTO {table} ({column_list(columns)}) VALUES {column_list([_places(len(columns))] * rows)}"


def _places(count: int) -> str:
    return f"({column_list('?' * count)})"


def sqlite_engine(url: URL, *, reads_only: bool = False) -> sa.Engine:
    """An engine whose connections are set up for one writer and many readers.

    With `reads_only`, a file in a folder where nothing can be written is read as one that nobody changes.
    """
    if sqlite3.sqlite_version_info < OLDEST:
        raise UserError(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or later is needed")
    if url.database in (None, "", ":memory:"):
        raise UserError("the database URL names no file, so nothing would be kept; use sqlite:////FOLDER/FILE")
    chosen = url.set(drivername="sqlite")
    engine = sa.create_engine(chosen, connect_args={"timeout": PATIENCE, "check_same_thread": False})
    file = Path(str(url.database))
    if reads_only and is_frozen(file):
        engine = sa.create_engine(chosen, creator=partial(open_frozen, file))
        event.listen(engine, "begin", _begin)
        return engine
    watch = FileWatch(file)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "connect", watch.on_connect)
    event.listen(engine, "begin", watch.on_begin)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    for pragma in PRAGMAS:
        _set(connection, pragma)


def _set(connection: sqlite3.Connection, pragma: str) -> None:
    """Set one pragma, waiting for a busy file.

    SQLite does not wait by itself where several connections turn one new file to WAL, or where one opens
    a file that another is just closing: each holds a lock that the other needs, so it fails at once.
    """
    tries: Patience | None = None
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}")
            return
        except sqlite3.OperationalError as error:
            tries = tries or Patience(RealClock(), BackOff(RETRY, RETRY), PATIENCE)
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or tries.is_over:
                raise
        tries.wait()


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once: upgrading a read lock later cannot wait and fails."""
    reads = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
