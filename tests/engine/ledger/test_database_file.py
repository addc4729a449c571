"""A SQLite file that vanishes is noticed, and one that is only read stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from stook.engine.errors import EnvironmentFault
from stook.engine.ledger import connect
from stook.engine.ledger.dialects.sqlite_file import open_frozen
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """An engine and its file, with the engine's tables."""
    file = tmp_path / "stook.db"
    engine, _ = connect(f"sqlite:///{file}")
    migrate(engine, [ENGINE_MIGRATIONS])
    yield engine, file
    engine.dispose()


def _delete(file: Path) -> None:
    file.unlink()


def _replace(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(file.read_bytes())
    other.rename(file)


@pytest.mark.parametrize("act", [_delete, _replace])
def test_a_file_that_vanishes(opened: Any, act: Any) -> None:
    """After the file is deleted or replaced no transaction begins, and no new file is made."""
    engine, file = opened
    act(file)
    with pytest.raises(EnvironmentFault, match="deleted or replaced"), engine.begin():
        pass
    assert file.exists() is (act is _replace)


def test_reading_makes_no_file(tmp_path: Path) -> None:
    """A command that only reads makes no database, and refuses another program's file."""
    file = tmp_path / "none.db"
    engine, _ = connect(f"sqlite:///{file}", reads_only=True)
    with pytest.raises(EnvironmentFault, match="no database"):
        migrate(engine, [ENGINE_MIGRATIONS], create=False)
    file.write_bytes(b"hello" * 1000)
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        migrate(engine, [ENGINE_MIGRATIONS], create=False)
    assert [path.name for path in tmp_path.iterdir()] == ["none.db"]


def test_frozen(opened: Any) -> None:
    """A file whose folder nobody can write to is read without a file beside it."""
    engine, file = opened
    engine.dispose()
    before = sorted(path.name for path in file.parent.iterdir())
    connection = open_frozen(file)
    names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert len(names) > 3
    assert sorted(path.name for path in file.parent.iterdir()) == before


def test_frozen_with_a_rest(opened: Any) -> None:
    """A database of which a part lies beside the file is refused, not read in half."""
    _, file = opened
    file.with_name("stook.db-wal").write_bytes(b"x")
    with pytest.raises(EnvironmentFault, match="not in the database file yet"):
        open_frozen(file)


def test_sa_still_reads(opened: Any) -> None:
    """The watch lets an untouched file be."""
    engine, _ = opened
    with engine.begin() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1
