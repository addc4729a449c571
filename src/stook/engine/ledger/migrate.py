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

from stook.engine.errors import EnvironmentFault, FailureCode, Unavailable

__all__ = ["ENGINE_MIGRATIONS", "heads", "migrate"]

_HOME = Path(__file__).parent / "migrations"
ENGINE_MIGRATIONS = _HOME / "versions"
VERSION_TABLE = "tb_schema_version"
PATIENCE = 60  # seconds that another process may take to migrate
_LOCK = 0x5354_4F4F_4B  # any number that nobody else locks


def migrate(engine: Engine, locations: Sequence[Path]) -> None:
    """Apply what is missing, branch by branch in the order given; `locations` are folders of scripts, one branch each.

    Scripts are called `<number>_<branch>.py`, their revisions like the file. Branches that the database knows and
    nobody here does, a plug-in's that is gone, are left alone. EnvironmentFault when a branch of ours is newer there.

    Several processes may start at once: the one that comes second finds the work done.
    """
    current = _current(engine)
    if heads(locations) <= current:
        return
    _refuse_newer(locations, current)
    from alembic.util import CommandError  # noqa: PLC0415  a third of a second that only a new schema costs

    with engine.connect() as connection, _alone(connection):
        try:
            for folder in locations:
                _upgrade(locations, folder, connection)
        except CommandError as error:
            raise EnvironmentFault(f"the migrations cannot be run: {error}") from error
        connection.commit()


def heads(locations: Sequence[Path]) -> set[str]:
    """The newest revision of each branch: the last of its numbered files."""
    return {max(_revisions(folder)) for folder in locations}


def _revisions(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("[0-9]*.py")}


def _refuse_newer(locations: Sequence[Path], current: set[str]) -> None:
    """A revision that is not here, of a branch that is here, was made by a newer release."""
    known = set().union(*map(_revisions, locations))
    branches = {_branch(revision) for revision in known}
    newer = sorted(revision for revision in current - known if _branch(revision) in branches)
    if newer:
        here = max(revision for revision in known if _branch(revision) == _branch(newer[0]))
        raise EnvironmentFault(
            f"this database was made by a newer release: its schema has {newer[0]}, and this one knows it up to {here};"
            " install that release or a later one, or choose another database with --db"
        )


def _branch(revision: str) -> str:
    return revision.partition("_")[2]


def _upgrade(locations: Sequence[Path], folder: Path, connection: Connection) -> None:
    """Bring one branch to its head. Alembic is not shown the revisions that it has no script for."""
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415  see above
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = _config(locations, connection)
    script: Any = ScriptDirectory.from_config(config)
    known = set().union(*map(_revisions, locations))
    (head,) = heads([folder])

    def steps(current: tuple[str, ...], context: Any) -> Any:
        return script._upgrade_revs(head, tuple(revision for revision in current if revision in known))

    with EnvironmentContext(config, script, fn=steps, destination_rev=head):
        script.run_env()


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


def _config(locations: Sequence[Path], connection: Connection) -> Any:
    from alembic.config import Config  # noqa: PLC0415  see above

    config = Config()
    config.set_main_option("script_location", str(_HOME))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(str(folder) for folder in locations))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    return config
