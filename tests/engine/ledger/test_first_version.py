"""A database that the first version made: every row survives the migrations, on every engine, and work goes on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from stook.engine.ledger import Ledger, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.ledger.schema import METADATA
from stook.registries.cargo.sources import QUEUES
from stook.registries.store import MIGRATIONS
from stook.testing import ManualClock

DUMP = Path(__file__).parent / "data" / "made_by_0001.sql"
NEW = {"LAST_CODE": None, "DELIVERIES": 0, "LANE": ""}  # columns that came later, and what old rows have there
FULL = ("TB_CRAWLER_POLL", "TB_COMP_LIB_RUST_LIST", "TB_COMP_LIB_GOLANG_LIST_V2", "TB_COMP_LIB_VERSION_GOLANG")


@pytest.fixture
def old_file(tmp_path):
    """The dump as a SQLite file."""
    file = tmp_path / "old.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return file


def rows(engine, *, with_new):
    """All rows of all tables of the first version, by table, with or without the columns that came later."""
    found = {}
    names = {name.upper() for name in sa.inspect(engine).get_table_names()}
    with engine.connect() as connection:
        for table in METADATA.tables.values():
            columns = [column for column in table.c if with_new or column.name not in NEW]
            if table.name in names and table.name != "TB_CRAWLER_LANE":
                several = connection.execute(sa.select(*columns)).mappings()
                found[table.name] = sorted(({str(key): plain(row[key]) for key in row} for row in several), key=repr)
    return found


def plain(value):
    return bytes(value) if isinstance(value, bytes | memoryview) else value


def first_revisions(tmp_path):
    """Folders with the first migration of each branch alone."""
    for folder in (ENGINE_MIGRATIONS, MIGRATIONS):
        target = tmp_path / folder.parent.name
        target.mkdir()
        first = min(folder.glob("[0-9]*.py"))
        shutil.copy(first, target / first.name)
        yield target


@pytest.fixture
def old_engine(database_url, old_file, tmp_path):
    """The database of the first version on each engine."""
    if database_url.startswith("sqlite"):
        database_url = f"sqlite:///{old_file}"
    engine, dialect = connect(database_url)
    if engine.dialect.name != "sqlite":
        migrate(engine, list(first_revisions(tmp_path)))
        source, _ = connect(f"sqlite:///{old_file}")
        with engine.begin() as connection:
            for name, several in rows(source, with_new=False).items():
                if several:
                    connection.execute(sa.insert(METADATA.tables[name]), several)
        source.dispose()
    yield engine, dialect
    engine.dispose()


def test_no_row_is_lost(old_engine):
    """What stood in the tables stands there; new columns have what an untouched row has."""
    engine, _ = old_engine
    before = rows(engine, with_new=False)
    assert all(before[name] for name in FULL)
    migrate(engine, [ENGINE_MIGRATIONS, MIGRATIONS])
    assert rows(engine, with_new=False) == before
    for several in rows(engine, with_new=True).values():
        for row in several:
            assert {key: row[key] for key in NEW if key in row} == {key: NEW[key] for key in NEW if key in row}


def test_work_goes_on(old_engine):
    """Events are claimed from where they stood: what was ready now, what was held when the lease has run out."""
    engine, dialect = old_engine
    migrate(engine, [ENGINE_MIGRATIONS, MIGRATIONS])
    with engine.connect() as connection:
        poll = METADATA.tables["TB_CRAWLER_POLL"]
        released = connection.execute(sa.select(poll.c["DUE_AT"]).where(poll.c["NAME"] == "ready")).scalar_one()
    clock = ManualClock(released, jumps=False)
    ledger = Ledger(engine, dialect, QUEUES, clock)
    events = ledger.claim("cargo-index", 50)
    assert [(event.name, event.facts["locks"]) for event in events] == [("ready", {"p": {"v1": ["1.0.0"]}})]
    ledger.release(events)
    clock.advance(timedelta(hours=2).total_seconds())
    found = {event.name: (event.processed, event.deliveries) for event in ledger.claim("cargo-index", 50)}
    assert found == {"held": (20, 1), "ready": (20, 1), "waiting": (20, 0)}
    clock.advance(timedelta(hours=7).total_seconds())
    assert {event.name: event.processed for event in ledger.claim("cargo-index", 50)}["rung"] == 21
