"""Steps of migrations that can be run again after an interruption, on every engine.

MySQL and MariaDB commit each statement of a migration by itself, so the next start meets half of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.schema import unquoted

__all__ = ["add_columns", "drop_index", "make_index"]

_COMMITTING = ("mysql", "mariadb")  # engines that commit each statement


def add_columns(table: str, *columns: sa.Column[Any]) -> None:
    """Add those of the columns that the table does not have yet."""
    there = _names("COLUMN_NAME", "COLUMNS", table)
    for column in columns:
        if str(column.name) not in there:
            op.add_column(unquoted(table), column)


def make_index(name: str, table: str, columns: Sequence[str], where: str = "") -> None:
    """Make an index, partial where the engine can; leave one of that name as it is."""
    if name not in _names("INDEX_NAME", "STATISTICS", table):
        keys = [unquoted(column) for column in columns]
        condition = sa.text(where) if where else None
        op.create_index(unquoted(name), unquoted(table), keys, sqlite_where=condition, postgresql_where=condition)


def drop_index(name: str, table: str) -> None:
    """Drop an index, if it is still there."""
    if op.get_bind().dialect.name not in _COMMITTING or name in _names("INDEX_NAME", "STATISTICS", table):
        op.drop_index(unquoted(name), unquoted(table))


def _names(column: str, view: str, table: str) -> set[str]:
    """What an interrupted migration may have left: elsewhere than on MySQL nothing, as the others undo it."""
    connection = op.get_bind()
    if connection.dialect.name not in _COMMITTING:
        return set()
    found = f"SELECT {column} FROM information_schema.{view} WHERE table_schema = DATABASE() AND table_name = :name"
    return {str(name) for name in connection.execute(sa.text(found), {"name": table}).scalars()}
