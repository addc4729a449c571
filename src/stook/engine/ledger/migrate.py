"""Bringing a database to the newest schema, by Alembic, and only when it is not there yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from stook.engine.errors import FailureCode, Unavailable

__all__ = ["ENGINE_MIGRATIONS", "heads", "migrate"]

_HOME = Path(__file__).parent / "migrations"
ENGINE_MIGRATIONS = _HOME / "versions"
VERSION_TABLE = "tb_schema_version"
PATIENCE = 60  # seconds that another process may take to migrate
_LOCK = 0x5354_4F4F_4B  # any number that nobody else locks


def migrate(engine: Engine, locations: Sequence[Path]) -> None:
    """Apply what is missing; `locations` are folders of migration scripts, one branch each.

    Several processes may start at once: the one that comes second finds the work done.
    """
    if heads(locations) <= _current(engine):
        return
    from alembic import command  # noqa: PLC0415  a third of a second that only a new schema costs

    with engine.connect() as connection, _alone(connection):
        command.upgrade(_config(locations, connection), "heads")
        connection.commit()


def heads(locations: Sequence[Path]) -> set[str]:
    """The newest revision of each branch: the last of its numbered files."""
    return {max(path.stem for path in folder.glob("[0-9]*.py")) for folder in locations}


def _current(engine: Engine) -> set[str]:
    with engine.connect().execution_options(reads_only=True) as connection:
        if not sa.inspect(connection).has_table(VERSION_TABLE):
            return set()
        return set(connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars())


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """Only one process migrates at a time. A transaction of SQLite is alone by itself."""
    match connection.dialect.name:
        case "postgresql":
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            yield
        case "mysql" | "mariadb":
            with _named_lock(connection):
                yield
        case _:
            yield


@contextmanager
def _named_lock(connection: Connection) -> Iterator[None]:
    """MySQL and MariaDB commit each step of a migration, so no transaction can hold a lock meanwhile."""
    name = sa.text("SELECT GET_LOCK(CONCAT('stook.', MD5(DATABASE())), :patience)")
    if connection.execute(name, {"patience": PATIENCE}).scalar_one() != 1:
        raise Unavailable("another process is migrating this database, and does not end", FailureCode.DATABASE)
    event.listen(connection, "before_cursor_execute", _resumable, retval=True)
    try:
        yield
    finally:
        connection.rollback()
        connection.execute(sa.text("SELECT RELEASE_LOCK(CONCAT('stook.', MD5(DATABASE())))"))
        event.remove(connection, "before_cursor_execute", _resumable)


def _resumable(
    connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, executemany: bool
) -> tuple[str, Any]:
    """A migration that was interrupted finds some of its tables there. MySQL does not say this of indexes."""
    kinds = "TABLE|INDEX|UNIQUE INDEX" if connection.dialect.is_mariadb else "TABLE"  # type: ignore[attr-defined]
    return re.sub(rf"^\s*CREATE ({kinds}) (?!IF NOT)", r"CREATE \1 IF NOT EXISTS ", statement), parameters


def _config(locations: Sequence[Path], connection: Connection):  # type: ignore[no-untyped-def]
    from alembic.config import Config  # noqa: PLC0415  see above

    config = Config()
    config.set_main_option("script_location", str(_HOME))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(str(folder) for folder in locations))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    return config
