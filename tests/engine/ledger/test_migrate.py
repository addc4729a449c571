"""Migrations: equal to the schema, repeatable, and safe when several processes start at once."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event

from stook.engine.errors import EnvironmentFault, FailureCode
from stook.engine.ledger import connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, FIRST_TABLE, VERSION_TABLE, heads, migrate
from stook.engine.ledger.schema import METADATA
from stook.run.products import find_products

PRODUCTS = find_products().products.values()
PLACES = list(dict.fromkeys([ENGINE_MIGRATIONS, *(folder for product in PRODUCTS for folder in product.migrations)]))
CHILD = """
import sys
from pathlib import Path
from stook.engine.ledger import connect
from stook.engine.ledger.migrate import migrate
import alembic.command
print("ready", flush=True)
sys.stdin.readline()
engine, _ = connect(sys.argv[1])
migrate(engine, [Path(place) for place in sys.argv[2:]])
"""


class PowerCut(BaseException):
    """Nothing catches this."""


@pytest.fixture(autouse=True)
def _tables():
    """The metadata holds the tables of all products."""
    for product in PRODUCTS:
        product.queues()


@pytest.fixture
def engine(database_url):
    """An empty database."""
    engine, _ = connect(database_url)
    yield engine
    engine.dispose()


def described(engine):
    """Every table as the database describes it: columns, key and indexes."""
    # An engine without our settings: SQLAlchemy's inspection of PostgreSQL wants JSON decoded.
    plain = sa.create_engine(engine.url)
    inspector = sa.inspect(plain)
    found = {}
    for name in inspector.get_table_names():
        columns = {one["name"].upper(): described_column(one) for one in inspector.get_columns(name)}
        key = [column.upper() for column in inspector.get_pk_constraint(name)["constrained_columns"]]
        indexes = {one["name"].upper(): described_index(one) for one in inspector.get_indexes(name)}
        found[name.upper()] = (columns, key, indexes)
    plain.dispose()
    return found


def described_column(one):
    return repr(one["type"]), getattr(one["type"], "collation", None), one["nullable"], str(one["default"])


def described_index(one):
    options = {name: str(value) for name, value in one.get("dialect_options", {}).items()}
    return [column.upper() for column in one["column_names"]], options, one["unique"]


def ddl(engine):
    """SQLite's own words for its tables and indexes: the head, the parts in any order, and what follows.

    A column that was added later stands last.
    """
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all()
    return {name: parts_of("".join(text.split())) for name, text in rows}


def parts_of(text):
    head, _, rest = text.partition("(")
    inner, _, tail = rest.rpartition(")")
    if not head.startswith("CREATETABLE"):
        return text
    return head, sorted(re.split(r",(?![^(]*\))", inner)), tail


def test_migrations_make_the_schema(engine):
    """The migrations and the schema in code make the same tables: columns, types, collations, keys and indexes."""
    migrate(engine, PLACES)
    migrated = described(engine)
    migrated.pop(VERSION_TABLE.upper())
    words = ddl(engine) if engine.dialect.name == "sqlite" else {}
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP TABLE {VERSION_TABLE}"))
    METADATA.drop_all(engine, checkfirst=False)
    METADATA.create_all(engine, checkfirst=False)
    assert migrated == described(engine)
    for name, text in (ddl(engine) if words else {}).items():
        assert words[name] == text
    assert {*migrated} == {str(name) for name in METADATA.tables}


def test_alembic_sees_no_difference(sqlite_url):
    """Alembic's own comparison finds nothing to migrate."""
    engine, _ = connect(sqlite_url)
    migrate(engine, PLACES)
    with engine.connect() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": False}  # types: see above
        found = compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)
    engine.dispose()
    assert found == []


def test_the_second_time_does_nothing(engine):
    """Migrating what is migrated writes nothing, and does not even load Alembic's machinery again."""
    migrate(engine, PLACES)
    seen = []

    def note(connection, cursor, statement, parameters, context, many):
        seen.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    migrate(engine, PLACES)
    event.remove(engine, "before_cursor_execute", note)
    assert not [one for one in seen if one.startswith(("CREATE", "INSERT", "UPDATE", "ALTER", "BEGIN IMMEDIATE"))]


def test_one_branch_after_the_other(engine):
    """A product's tables may come later than the engine's, and the engine alone is content then."""
    migrate(engine, [ENGINE_MIGRATIONS])
    names = {name.upper() for name in sa.inspect(engine).get_table_names()}
    assert "TB_CRAWLER_POLL" in names
    assert "TB_COMP_LIB_RUST_LIST" not in names
    migrate(engine, PLACES)
    migrate(engine, [ENGINE_MIGRATIONS])
    with engine.connect() as connection:
        stored = set(connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars())
    assert stored == heads(PLACES)


def test_an_interrupted_migration_is_run_again(engine):
    """Wherever a migration was interrupted, the next start completes it."""
    failed = 0
    for step in range(200):
        left = [step]

        def fail(connection, cursor, statement, parameters, context, many, left=left):
            if statement.lstrip().upper().startswith(("CREATE", "INSERT", "UPDATE", "ALTER", "DROP")):
                left[0] -= 1
                if left[0] < 0:
                    raise PowerCut

        event.listen(engine, "before_cursor_execute", fail)
        try:
            migrate(engine, PLACES)
        except PowerCut:
            failed += 1
        else:
            break
        finally:
            event.remove(engine, "before_cursor_execute", fail)
            engine.dispose()
    assert failed > 8
    assert {*METADATA.tables} <= {name.upper() for name in sa.inspect(engine).get_table_names()}


def test_many_processes_may_start_at_once(database_url):
    """Of several processes that find an empty database one migrates, and the others find the work done."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, database_url, *map(str, PLACES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "src")},
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=60) for process in processes]
    assert [(process.returncode, error[-2000:]) for process, (_, error) in zip(processes, ends, strict=True)] == [
        (0, "")
    ] * 4
    engine, _ = connect(database_url)
    assert {*METADATA.tables} <= {name.upper() for name in sa.inspect(engine).get_table_names()}
    engine.dispose()


def revisions(engine):
    with engine.connect() as connection:
        return set(connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars())


def restamp(engine, old, new):
    with engine.begin() as connection:
        words = sa.text(f"UPDATE {VERSION_TABLE} SET version_num = :new WHERE version_num = :old")
        connection.execute(words, {"new": new, "old": old})


@pytest.mark.parametrize("head", sorted(heads(PLACES)))
@pytest.mark.parametrize("create", [True, False])
def test_a_newer_database_is_left_alone(engine, head, create):
    """A branch of ours at a revision that we do not know is said to be a newer Stook's, and nothing is changed."""
    migrate(engine, PLACES)
    restamp(engine, head, f"0099_{head[5:]}")
    before = described(engine)
    with pytest.raises(
        EnvironmentFault, match=rf"newer release: its schema has 0099_{head.partition('_')[2]}"
    ) as caught:
        migrate(engine, PLACES, create=create)
    assert caught.value.code is FailureCode.DATABASE
    assert described(engine) == before


def test_a_plugin_that_is_gone_is_nobodys_concern(engine):
    """Revisions of a branch that no folder knows stay, also while other branches move on."""
    migrate(engine, [ENGINE_MIGRATIONS])
    with engine.begin() as connection:
        connection.execute(sa.text(f"INSERT INTO {VERSION_TABLE} VALUES ('0007_npm')"))
    migrate(engine, PLACES)
    assert revisions(engine) == {*heads(PLACES), "0007_npm"}
    migrate(engine, PLACES)
    assert {*METADATA.tables} <= {name.upper() for name in sa.inspect(engine).get_table_names()}


def test_reading_makes_no_database(engine):
    """Without `create`, an empty database is an error with a sentence, and stays empty."""
    with pytest.raises(EnvironmentFault, match="collect something first") as caught:
        migrate(engine, PLACES, create=False)
    assert caught.value.code is FailureCode.DATABASE
    if engine.dialect.name == "sqlite":
        assert not Path(engine.url.database).exists()
    else:
        assert sa.inspect(engine).get_table_names() == []
    migrate(engine, PLACES)
    migrate(engine, PLACES, create=False)


@pytest.mark.parametrize("kind", ["foreign", "text", "empty", "folder"])
def test_reading_leaves_other_files_as_they_are(tmp_path, kind):
    """A file that is no database of Stook's is refused by commands that only read, byte for byte unchanged."""
    file = tmp_path / "other.db"
    if kind == "foreign":
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE customer (name TEXT)")
    elif kind == "folder":
        file.mkdir()
    else:
        file.write_bytes(b"" if kind == "empty" else b"Dear diary," * 1000)
    before = sorted((path.name, path.is_file() and path.read_bytes()) for path in tmp_path.iterdir())
    engine, _ = connect(f"sqlite:///{file}")
    with pytest.raises(EnvironmentFault, match=r"another program's|cannot be read|no database"):
        migrate(engine, PLACES, create=False)
    engine.dispose()
    assert sorted((path.name, path.is_file() and path.read_bytes()) for path in tmp_path.iterdir()) == before


def test_first_tables_are_found():
    """Each of our branches shows by its first table whether it was ever applied; an empty start has none."""
    texts = [min(folder.glob("[0-9]*.py")).read_text() for folder in PLACES]
    found = [FIRST_TABLE.search(text)[1] for text in texts if "create_table" in text]
    assert len(found) >= 2
    assert set(found) <= set(METADATA.tables)
