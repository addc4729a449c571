"""A database that the first version made: every row survives the migrations, on every engine, and work goes on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

import stook.registries.golang.tables  # noqa: F401  its tables are compared, too
from stook.engine.ledger import Ledger, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.ledger.schema import METADATA
from stook.registries.cargo.product import PRODUCT as CARGO
from stook.registries.cargo.sources import QUEUES
from stook.registries.golang.product import PRODUCT as GO
from stook.registries.store import MIGRATIONS
from stook.testing import ManualClock

DUMP = Path(__file__).parent / "data" / "made_by_0001.sql"
UNTOUCHED = (None, 0, "")  # what old rows have in columns that came later
PLACES = list(dict.fromkeys([ENGINE_MIGRATIONS, *CARGO.migrations, *GO.migrations]))
FULL = ("TB_CRAWLER_POLL", "TB_COMP_LIB_RUST_LIST", "TB_COMP_LIB_GOLANG_LIST_V2", "TB_COMP_LIB_VERSION_GOLANG")


@pytest.fixture
def old_file(tmp_path):
    """The dump as a SQLite file."""
    file = tmp_path / "old.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return file


def first_columns():
    """The columns of the first version, by table."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} for name in tables}


def rows(engine, *, with_new):
    """All rows of all tables of the first version, by table, with or without the columns that came later."""
    found = {}
    first = first_columns()
    with engine.connect() as connection:
        for table in METADATA.tables.values():
            if table.name in first:
                columns = [column for column in table.c if with_new or column.name in first[table.name]]
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
    migrate(engine, PLACES)
    assert rows(engine, with_new=False) == before
    first = first_columns()
    for name, several in rows(engine, with_new=True).items():
        assert all(row[key] in UNTOUCHED for row in several for key in set(row) - first[name])


def test_work_goes_on(old_engine):
    """Events are claimed from where they stood: what was ready now, what was held when the lease has run out."""
    engine, dialect = old_engine
    migrate(engine, PLACES)
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


def test_pins_are_rebuilt(old_engine):
    """What events of the first version say of locks becomes rows of the table of pins."""
    engine, _ = old_engine
    migrate(engine, PLACES)
    pin = METADATA.tables["TB_COMP_LIB_PIN"]
    columns = [pin.c[name] for name in ("PROJECT", "ORIGIN", "TAG", "PRODUCT_KEY", "VERSION", "SOURCE")]
    with engine.connect() as connection:
        found = connection.execute(sa.select(*columns).order_by(pin.c["PRODUCT_KEY"])).all()
    assert {row[:3] + row[4:] for row in map(tuple, found)} == {("p", "p", "v1", "1.0.0", "registry")}
    assert len(found) == 5
