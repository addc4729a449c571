"""Bringing a database to the newest schema, by Alembic, and only when it is not there yet."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from stook.engine.errors import EnvironmentFault, FailureCode, Unavailable
from stook.engine.ledger.database_file import NOTHING, VERSION_TABLE, check_file

__all__ = ["ENGINE_MIGRATIONS", "VERSION_TABLE", "check_exists", "check_revisions", "heads", "migrate"]

_HOME = Path(__file__).parent / "migrations"
ENGINE_MIGRATIONS = _HOME / "versions"
PATIENCE = 60  # seconds that another process may take to migrate
FIRST_TABLE = re.compile(r"create_table\(\s*(?:\w+\()?[\"'](\w+)[\"']")
_LOCK = 0x5354_4F4F_4B  # any number that nobody else locks


def migrate(engine: Engine, locations: Sequence[Path], *, create: bool = True) -> None:
    """Apply what is missing; `locations` are folders of migration scripts, one branch each, the engine's first.

    Several processes may start at once: the one that comes second finds the work done. EnvironmentFault where a
    newer release has changed the database, and, without `create`, where it holds nothing of Stook's: that is for
    commands that only read, and leaves no file behind. Branches are upgraded in the order given.
    """
    if not create:
        check_exists(engine)
    stored = _stored(engine)
    check_revisions(engine, locations, stored)
    if heads(locations) <= stored:
        return
    from alembic.util import CommandError  # noqa: PLC0415  a third of a second that only a new schema costs

    with engine.connect() as connection, _alone(connection):
        try:
            _upgrade(locations, connection)
        except CommandError as error:
            raise EnvironmentFault(f"the migrations cannot be run: {error}") from error
        connection.commit()


def heads(locations: Sequence[Path]) -> set[str]:
    """The newest revision of each branch: the last of its numbered files."""
    return {max(_revisions(folder)) for folder in locations}


def check_exists(engine: Engine) -> None:
    """Raise EnvironmentFault where the database holds nothing of Stook's. Of SQLite no file is made or changed."""
    if engine.dialect.name == "sqlite":
        check_file(Path(str(engine.url.database)))
    elif not _stored(engine):
        raise EnvironmentFault(NOTHING)


def check_revisions(engine: Engine, locations: Sequence[Path], stored: Collection[str]) -> None:
    """Raise EnvironmentFault if a branch of ours was taken further by a newer release.

    A revision that no location knows may also be of a plug-in that is gone: that one is nobody's concern.
    """
    known = [set(_revisions(folder)) for folder in locations]
    unknown = sorted(set(stored).difference(*known))
    branches = {_branch(revision) for revisions in known for revision in revisions}
    newer = [revision for revision in unknown if _branch(revision) in branches]
    moved = [
        max(revisions)
        for folder, revisions in zip(locations, known, strict=True)
        if unknown and revisions.isdisjoint(stored) and _is_applied(engine, folder)
    ]
    if newer or moved:
        raise EnvironmentFault(
            f"this database was made by a newer release: its schema has {', '.join(newer or unknown)[:200]}, which this"
            " one does not know; install that release or a later one, or choose another database with --db"
        )


def _branch(revision: str) -> str:
    return revision.partition("_")[2]


def _revisions(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("[0-9]*.py")]


def _is_applied(engine: Engine, folder: Path) -> bool:
    """Whether the first table of a branch is there."""
    first = min(folder.glob("[0-9]*.py")).read_text(encoding="utf-8")
    made = FIRST_TABLE.search(first)
    if made is None:
        return False
    with engine.connect().execution_options(reads_only=True) as connection:
        inspector = sa.inspect(connection)
        return any(name.upper() == made[1].upper() for name in inspector.get_table_names())


def _stored(engine: Engine) -> set[str]:
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


def _upgrade(locations: Sequence[Path], connection: Connection) -> None:
    """As Alembic's command does, but for revisions that no location knows: they stay as they are."""
    from alembic.config import Config  # noqa: PLC0415  a third of a second that only a new schema costs
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_HOME))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(str(folder) for folder in locations))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    scripts = ScriptDirectory.from_config(config)
    known = {revision for folder in locations for revision in _revisions(folder)}

    for folder in locations:
        (head,) = heads([folder])

        def steps(stored: tuple[str, ...], context: Any, head: str = head) -> Any:
            return scripts._upgrade_revs(head, tuple(revision for revision in stored if revision in known))  # type: ignore[arg-type]

        with EnvironmentContext(config, scripts, fn=steps, destination_rev=head):
            scripts.run_env()
