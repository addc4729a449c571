"""Columns, and types of columns that mean the same on SQLite, PostgreSQL and MySQL/MariaDB."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from operator import methodcaller
from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, LargeBinary, SmallInteger, String, Text
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.elements import quoted_name
from sqlalchemy.types import TypeDecorator, TypeEngine

__all__ = [
    "Binary",
    "Identity",
    "Json",
    "LongText",
    "Moment",
    "big",
    "column",
    "moment_text",
    "read_moment",
    "small",
    "unquoted",
]


_YEARS = "2"  # how all times begin

small = SmallInteger
"""A status code or a flag."""
big = BigInteger
"""A 64-bit count or token."""
moment_text: Callable[[datetime], str] = methodcaller("isoformat", timespec="microseconds")
"""A moment as SQLite keeps it: ISO 8601 with a `T` and microseconds.

The `T` sorts after the blank of SQLite's own `datetime('now')`, so a time that an operator sets by SQL in either
spelling is due when it should be. It is written in C, as it runs for every time in every row.
"""


def unquoted(name: str) -> quoted_name:
    """A name in capital letters; PostgreSQL folds it to lower case, as it does in people's queries."""
    return quoted_name(name, quote=False)


def column(
    name: str, kind: TypeEngine[Any], *, null: bool = True, key: bool = False, default: str | None = None
) -> Column[Any]:
    """A column; the default is the database's."""
    return Column(unquoted(name), kind, primary_key=key, nullable=null and not key, server_default=default)


def read_moment(value: str | datetime | None) -> datetime | None:
    """A moment as a driver gives it: text from SQLite, in our spelling or an operator's.

    What is no time lies where a claim, which compares texts, sees it: before all times, or after.
    """
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return datetime.min if value < _YEARS else datetime.max


class Identity(TypeDecorator[str]):
    """A name or version: ASCII, compared byte by byte on every engine."""

    impl = String
    cache_ok = True

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self.length = length

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TEXT(collation="C"))
        if dialect.name in ("mysql", "mariadb"):
            # MySQL has no NO PAD collation for ASCII: there, trailing blanks do not tell names apart.
            collation = "ascii_nopad_bin" if getattr(dialect, "is_mariadb", False) else "ascii_bin"
            return dialect.type_descriptor(mysql.VARCHAR(self.length, charset="ascii", collation=collation))
        return dialect.type_descriptor(String(self.length))


class Moment(TypeDecorator[datetime]):
    """A UTC time to the microsecond, without a 1970 or 2038 edge."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TIMESTAMP(precision=6))
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(sqlite.TEXT())

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any] | None:
        if dialect.name == "sqlite":
            return lambda value: None if value is None else moment_text(value)
        return None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        if dialect.name == "sqlite":
            return read_moment
        return None


class Binary(TypeDecorator[bytes]):
    """Bytes of at most `length`; `fixed` where they never differ in length."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, length: int, fixed: bool = False) -> None:
        super().__init__(length)
        self.length = length
        self.fixed = fixed

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name in ("mysql", "mariadb"):
            kind = mysql.BINARY if self.fixed else mysql.VARBINARY
            return dialect.type_descriptor(kind(self.length))
        return dialect.type_descriptor(LargeBinary())


class Json(TypeDecorator[str]):
    """A JSON document, bound and read as text; JSON on engines that have it."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.JSON())
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.JSON())
        return dialect.type_descriptor(sqlite.JSON())

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        return None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        return None

    def coerce_compared_value(self, op: Any, value: Any) -> TypeEngine[Any]:
        return Text()


class LongText(TypeDecorator[str]):
    """Words for people, of any length and script."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.MEDIUMTEXT(charset="utf8mb4"))
        return dialect.type_descriptor(Text())
