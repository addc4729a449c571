"""PostgreSQL, and what speaks its protocol and SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, ExceptionContext

from stook.engine.errors import UserError
from stook.engine.ledger.dialects.dialect import (
    Named,
    Rows,
    assignments,
    batches,
    column_list,
    is_refusal,
    is_too_large,
    tuples,
)
from stook.engine.ledger.dialects.pool import ping_the_idle
from stook.engine.ledger.dialects.text import ColumnWriter, written

__all__ = ["Postgresql", "postgresql_engine"]

log = structlog.get_logger(__name__)
_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
_SPECIAL = re.compile(r"[\\\t\n\r]")
COPY_BATCH = 1000
THRESHOLD = "prepare_threshold"
PREPARE_AFTER = 5  # runs of a statement
POOLED = ("26000", "42P05")  # SQLSTATE: no such prepared statement; there is one of that name
READ_ONLY = "25006"  # SQLSTATE of a write where none is possible
COPY_FROM = 50  # rows from which a COPY into a temporary table is faster than a statement a row


@dataclass(frozen=True, slots=True)
class Postgresql:
    """Bulk writes by COPY into a temporary table and one INSERT from it."""

    name: str = "postgresql"
    place: str = "ctid"
    keeps_times_as_text: bool = False
    has_partial_indexes: bool = True
    joins_laterally: bool = True
    parenthesizes_unions: bool = True

    def insert_missing(self, connection: Connection, table: str, columns: Sequence[str], rows: Rows) -> None:
        self._insert(connection, table, columns, rows, "ON CONFLICT DO NOTHING")

    def insert(self, connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        _copy(connection, f"COPY {table} ({column_list(columns)}) FROM STDIN", rows)

    def upsert(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[str],
        rows: Rows,
        key: Sequence[str],
        update: Sequence[str],
    ) -> None:
        # One statement may touch a row once only; of two rows with one key the later counts.
        places = [list(columns).index(name) for name in key]
        latest = {tuple(row[place] for place in places): row for row in rows}
        sets = assignments(update, "excluded.{}", table + ".{}")
        self._insert(
            connection, table, columns, list(latest.values()), f"ON CONFLICT ({column_list(key)}) DO UPDATE SET {sets}"
        )

    def among(self, ids: Sequence[bytes]) -> Named:
        # One value: the driver reads long statements anew each time, and writes arrays slowly.
        size = len(ids[0]) if ids else 1
        split = f"SELECT substring(%(ids)b FROM place * {size} + 1 FOR {size})"
        return f"= ANY(ARRAY({split} FROM generate_series(0, %(last)s) AS place))", {
            "ids": b"".join(ids),
            "last": len(ids) - 1,
        }

    def at(self, places: Sequence[Any]) -> Named:
        return "= ANY(%(places)s::tid[])", {"places": "{" + ",".join(f'"{place}"' for place in places) + "}"}

    def is_refusal(self, error: sa.exc.DBAPIError) -> bool:
        return is_too_large(error) or is_refusal(error)

    def _insert(self, connection: Connection, table: str, columns: Sequence[str], rows: Rows, conflict: str) -> None:
        names = column_list(columns)
        if not rows:
            return
        if len(rows) < COPY_FROM:
            values = column_list(["%s"] * len(columns))
            connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({values}) {conflict}", tuples(rows))
            return
        staging = f"staging_{table.lower()}"
        connection.exec_driver_sql(
            f"CREATE TEMPORARY TABLE IF NOT EXISTS {staging} (LIKE {table} INCLUDING DEFAULTS) ON COMMIT DROP"
        )
        connection.exec_driver_sql(f"TRUNCATE {staging}")
        _copy(connection, f"COPY {staging} ({names}) FROM STDIN", rows)
        connection.exec_driver_sql(f"INSERT INTO {table} ({names}) SELECT {names} FROM {staging} {conflict}")


def _texts(column: Sequence[str]) -> Iterable[str]:
    return [value.translate(_ESCAPES) for value in column] if _SPECIAL.search("".join(column)) else column


WRITERS: dict[type, ColumnWriter] = {
    type(None): lambda column: [r"\N"] * len(column),
    int: lambda column: map(str, column),
    bool: lambda column: [str(int(value)) for value in column],
    float: lambda column: map(repr, column),
    bytes: lambda column: [rf"\\x{value.hex()}" for value in column],
    str: _texts,
    datetime: lambda column: map(str, column),
}
"""Values as COPY's text format has them."""


def _copy(connection: Connection, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    """SQLAlchemy knows no COPY; the driver's errors are made those that it would raise.

    The server works on each batch while the next is written.
    """
    driver: Any = connection.dialect.loaded_dbapi
    cursor: Any = connection.connection.cursor()
    try:
        with cursor, cursor.copy(statement) as copy:
            for some in batches(rows, COPY_BATCH):
                copy.write("\n".join([*written(some, WRITERS, "\t"), ""]))
    except driver.Error as error:
        is_lost = bool(connection.connection.closed or cursor.connection.closed)
        raise _read_only(statement, error) or sa.exc.DBAPIError.instance(
            statement, None, error, driver.Error, connection_invalidated=is_lost
        ) from error


def postgresql_engine(url: URL) -> sa.Engine:
    """An engine on psycopg 3; READ COMMITTED, as queues want it. JSON comes back as text, as it was written."""
    try:
        import psycopg  # noqa: F401, PLC0415  an extra
    except ImportError:
        raise UserError("PostgreSQL needs psycopg: python -m pip install 'stook[postgresql]'") from None
    session = _Session(_threshold(url))
    chosen = url.difference_update_query([THRESHOLD]).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(chosen, isolation_level="READ COMMITTED")
    ping_the_idle(engine)
    event.listen(engine, "connect", session.prepare)
    event.listen(engine, "handle_error", session.on_error)
    return engine


def _threshold(url: URL) -> int | None:
    """The URL's option `prepare_threshold`: a number, or `none` for a pooler that cannot prepare statements."""
    text = url.query.get(THRESHOLD, str(PREPARE_AFTER))
    if text == "none":
        return None
    if not (isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 6):
        raise UserError(f"the database URL's {THRESHOLD} is neither a number nor none")
    return int(text)


@dataclass(slots=True)
class _Session:
    """How connections are set up. `threshold` is after how many runs a statement is prepared; None for never."""

    threshold: int | None

    def prepare(self, connection: Any, record: object) -> None:
        from psycopg.types.json import set_json_loads  # noqa: PLC0415  an extra

        set_json_loads(lambda data: bytes(data).decode() if not isinstance(data, str) else data, connection)
        connection.prepare_threshold = self.threshold
        with connection.cursor() as cursor:
            cursor.execute("SET timezone TO 'UTC'")
            cursor.execute("SET lock_timeout TO '60s'")
            # Compiling a plan costs more than any of ours takes; not all that speak the protocol know the setting.
            cursor.execute("SELECT set_config('jit', 'off', false) FROM pg_settings WHERE name = 'jit'")
        connection.commit()

    def on_error(self, context: ExceptionContext) -> sa.exc.OperationalError | None:
        """Make of an error that may pass an OperationalError, and have another connection next time."""
        error = context.original_exception
        trouble = _read_only(context.statement, error)
        if getattr(error, "sqlstate", None) in POOLED:
            # The pooler led us to another server process than the one that has prepared the statement.
            self.threshold = None
            log.warning("statements are no longer prepared, as a connection pooler seems to be between")
            trouble = sa.exc.OperationalError(context.statement, None, error)
        if trouble:
            context.is_disconnect = True  # another connection may lead to the server that takes writes now
        return trouble


def _read_only(statement: str | None, error: BaseException) -> sa.exc.OperationalError | None:
    """To the driver a server that takes no writes, as after a failover, is a mistake of ours; it may pass."""
    if getattr(error, "sqlstate", None) != READ_ONLY:
        return None
    return sa.exc.OperationalError(statement, None, error)
