"""MySQL 8 and MariaDB 10.6 or later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import signature
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects.mysql.base import MySQLIdentifierPreparer
from sqlalchemy.engine import URL, Connection

from stook.engine.errors import UserError
from stook.engine.ledger.dialects.dialect import (
    Named,
    Rows,
    assignments,
    batches,
    column_list,
    is_refusal,
    is_too_large,
)
from stook.engine.ledger.dialects.packets import longest_statement, read_limit, sized_connection
from stook.engine.ledger.dialects.pool import ping_the_idle
from stook.engine.ledger.dialects.text import ColumnWriter, written

__all__ = ["Mysql", "mysql_engine"]

STATEMENT_ROWS = 1000
STATEMENT_LENGTH = 1 << 20  # characters
BYTES = 4  # of a character, at most
BAD_DATA = ("21", "22", "23")  # classes of SQLSTATE: cardinality, data, integrity; many are "operational" to the driver
BROKEN_CHECK = 3819  # MySQL 8 gives it no class

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", '"': '\\"', "\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z"})
_SPECIAL = re.compile("[\\\\'\"\0\n\r\x1a]")


@dataclass(frozen=True, slots=True)
class Mysql:
    """Bulk writes by statements of many rows of literals: the driver's own binding costs several times as much."""

    name: str = "mysql"
    place: str = "SEQ"
    keeps_times_as_text: bool = False
    has_partial_indexes: bool = False
    joins_laterally: bool = False
    parenthesizes_unions: bool = True

    def insert_missing(self, connection: Connection, table: str, columns: Sequence[str], rows: Rows) -> None:
        # INSERT IGNORE would hide other errors too.
        self._insert(connection, table, columns, rows, f"ON DUPLICATE KEY UPDATE {columns[0]} = {table}.{columns[0]}")

    def insert(self, connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        self._insert(connection, table, columns, rows, "")

    def upsert(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[str],
        rows: Rows,
        key: Sequence[str],
        update: Sequence[str],
    ) -> None:
        sets = assignments([_quoted(entry) for entry in update], "VALUES({})", table + ".{}")
        self._insert(connection, table, columns, rows, f"ON DUPLICATE KEY UPDATE {sets}")

    def among(self, ids: Sequence[bytes]) -> Named:
        return f"IN ({','.join(_hex(ids))})", {}

    def at(self, places: Sequence[Any]) -> Named:
        return f"IN ({column_list([str(place) for place in places])})", {}

    def is_refusal(self, error: sa.exc.DBAPIError) -> bool:
        state = getattr(error.orig, "sqlstate", None) or ""
        is_check = bool(error.orig and error.orig.args and error.orig.args[0] == BROKEN_CHECK)
        return state.startswith(BAD_DATA) or is_check or is_too_large(error) or is_refusal(error)

    def _insert(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        conflict: str,
    ) -> None:
        most = min(STATEMENT_LENGTH, longest_statement(connection.connection.driver_connection) // BYTES)
        for statement in _statements(table, columns, rows, most):
            # The driver must not look for its own placeholders in our literals.
            connection.exec_driver_sql(f"{statement} {conflict}", execution_options={"no_parameters": True})


def _quoted(entry: str) -> str:
    name, sign, expression = entry.partition("=")
    return f"`{name}`{sign}{expression}"


def _statements(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], most: int) -> Iterator[str]:
    """INSERTs of all rows, of at most so many characters, or of one row that has more."""
    head = f"INSERT INTO {table} ({column_list([f'`{name}`' for name in columns])}) VALUES "
    for batch in batches(rows, STATEMENT_ROWS):
        together: list[str] = []
        size = len(head)
        for text in written(batch, WRITERS, ","):
            if together and size + len(text) > most:
                yield f"{head}({'),('.join(together)})"
                together, size = [], len(head)
            together.append(text)
            size += len(text) + 3
        yield f"{head}({'),('.join(together)})"


def _hex(column: Sequence[bytes]) -> Iterable[str]:
    return [f"0x{value.hex()}" if value else "''" for value in column]


def _texts(column: Sequence[str]) -> Iterable[str]:
    if _SPECIAL.search("".join(column)):
        column = [value.translate(_ESCAPES) for value in column]
    return [f"'{value}'" for value in column]


def _moments(column: Sequence[datetime]) -> Iterable[str]:
    return [f"'{value.isoformat(' ', 'microseconds')}'" for value in column]


WRITERS: dict[type, ColumnWriter] = {
    type(None): lambda column: ["NULL"] * len(column),
    int: lambda column: map(str, column),
    bool: lambda column: [str(int(value)) for value in column],
    float: lambda column: map(repr, column),
    bytes: _hex,
    str: _texts,
    datetime: _moments,
}
"""Values as SQL text; safe only with the session that `mysql_engine` sets up: utf8mb4, and backslashes that escape."""


def mysql_engine(url: URL) -> sa.Engine:
    """An engine on PyMySQL; READ COMMITTED, without which a claim locks the whole backlog."""
    try:
        import pymysql  # noqa: F401, PLC0415  an extra
    except ImportError:
        raise UserError("MySQL and MariaDB need PyMySQL: python -m pip install 'stook[mysql]'") from None
    if not url.database:
        raise UserError("the database URL names no database; use mysql://USER@HOST/DATABASE")
    query = {**url.query, "charset": "utf8mb4"}
    chosen = url.set(drivername="mysql+pymysql", query=query)
    try:
        engine = sa.create_engine(chosen, isolation_level="READ COMMITTED")
    except ValueError:
        raise UserError("the database URL has an option whose value cannot be read") from None
    _check_options(engine)
    ping_the_idle(engine)
    event.listen(engine, "do_connect", _connect)
    event.listen(engine, "connect", _prepare)
    _quote_all_names(engine)
    return engine


def _connect(dialect: Any, record: object, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    return sized_connection()(*arguments, **options)


def _check_options(engine: sa.Engine) -> None:
    """The driver takes its options as arguments, and knows no better word for a wrong one than TypeError."""
    from pymysql.connections import Connection as Driver  # noqa: PLC0415  an extra

    _, options = engine.dialect.create_connect_args(engine.url)
    if unknown := sorted(set(options) - set(signature(Driver).parameters)):
        raise UserError(f"the database URL has options that PyMySQL does not know: {', '.join(unknown)[:80]}")


def _prepare(connection: Any, record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00', innodb_lock_wait_timeout = 60")
        cursor.execute("SET sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'")
    read_limit(connection)


class _QuoteAll(MySQLIdentifierPreparer):
    """Quotes every name: CURSOR is reserved here, and the schema leaves names unquoted for PostgreSQL's sake.

    A subclass, as SQLAlchemy makes a new one of these for itself once it knows the server.
    """

    def quote(self, ident: str, force: Any = None) -> str:
        return self.quote_identifier(ident)


def _quote_all_names(engine: sa.Engine) -> None:
    engine.dialect.preparer = _QuoteAll
    engine.dialect.identifier_preparer = _QuoteAll(engine.dialect)  # type: ignore[arg-type]
