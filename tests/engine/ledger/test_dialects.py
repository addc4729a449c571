"""The engines' own ways of writing many rows: the same result on each."""

from __future__ import annotations

import sqlite3
import threading
from datetime import datetime
from decimal import Decimal
from urllib.parse import unquote

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stook.engine.errors import UserError
from stook.engine.ledger import connect
from stook.engine.ledger.dialects.mysql import STATEMENT_ROWS, WRITERS
from stook.engine.ledger.dialects.text import written
from stook.engine.ledger.schema import unquoted
from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big

THINGS = sa.Table(
    unquoted("TB_TEST_THING"),
    sa.MetaData(),
    sa.Column(unquoted("NAME"), Identity(64), primary_key=True),
    sa.Column(unquoted("CURSOR"), LongText()),  # a reserved word on MariaDB, and a column of ours
    sa.Column(unquoted("NUMBER"), big()),
    sa.Column(unquoted("DIGEST"), Binary(64)),
    sa.Column(unquoted("SEEN"), Moment()),
    sa.Column(unquoted("FACTS"), Json()),
)
COLUMNS = ["NAME", "CURSOR", "NUMBER", "DIGEST", "SEEN", "FACTS"]


@pytest.fixture
def things(bench):
    """A table with a column of each type."""
    THINGS.metadata.create_all(bench.ledger.engine)
    return bench


def write(bench, rows, update=None, *, are_new=False):
    with bench.ledger.transaction() as transaction:
        packed = [(*row[:4], transaction.moment(row[4]), row[5]) for row in rows]
        if are_new:
            assert transaction.insert_fresh(THINGS, COLUMNS, packed)
        elif update is None:
            transaction.insert_missing(THINGS, COLUMNS, packed)
        else:
            transaction.upsert(THINGS, COLUMNS, packed, update)


def stored(bench):
    with bench.ledger.reading() as connection:
        rows = connection.execute(sa.select(*(THINGS.c[name] for name in COLUMNS)).order_by(THINGS.c["NAME"])).all()
    return [(*row[:3], None if row[3] is None else bytes(row[3]), *row[4:]) for row in rows]


def thing(name, number=1, text="t"):
    return (name, text, number, b"d", datetime(2026, 1, 1), "{}")


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40) | st.sampled_from(
    ["%s", "%(a)s", "a'b", 'a"b', "a\\b", "a\\'b", "\\", "`;--", ":bound", "\x1a\b\t\r\n", "☃𝒳", "\\N", "\\."]
)
moments = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31))
rows = st.tuples(
    texts | st.none(),
    st.integers(-(2**63), 2**63 - 1) | st.none(),
    st.binary(max_size=64) | st.none(),
    moments | st.none(),
)


@pytest.mark.parametrize("are_new", [False, True])
@pytest.mark.parametrize("many", [0, 60])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(rows, min_size=1, max_size=8))
def test_what_is_written_is_read(things, many, are_new, values):
    """Every text, number, byte string and time comes back as it was, by the slow way and by the fast ones."""
    with things.ledger.transaction() as transaction:
        transaction.execute(sa.delete(THINGS))
    some = [(f"n{place:02}", *value, '{"a": [1.50, "\\u2603"]}') for place, value in enumerate(values)]
    more = [thing(f"x{place:02}") for place in range(many)]
    write(things, [*some, *more], are_new=are_new)
    assert stored(things) == [*some, *more]


@pytest.mark.parametrize("many", [1, 60, STATEMENT_ROWS + 1])
def test_inserting_leaves_what_exists(things, many):
    """`insert_missing` adds new rows, and touches none that is there; doubles in one batch are one row."""
    write(things, [thing("n0000", number=7)])
    some = [thing(f"n{place:04}") for place in range(many)]
    write(things, [*some, *some])
    assert [row[2] for row in stored(things)] == [7, *[1] * (many - 1)]


@pytest.mark.parametrize("many", [2, 60, STATEMENT_ROWS + 1])
def test_fresh_rows_are_all_new_or_none_is_written(things, many):
    """`insert_fresh` writes all rows, or none if one of them is there; the transaction goes on either way."""
    some = [thing(f"n{place:04}") for place in range(many)]
    with things.ledger.transaction() as transaction:
        packed = [(*row[:4], transaction.moment(row[4]), row[5]) for row in some]
        assert transaction.insert_fresh(THINGS, COLUMNS, packed[many // 2 : many // 2 + 1])
        assert not transaction.insert_fresh(THINGS, COLUMNS, packed)
        assert transaction.insert_fresh(THINGS, COLUMNS, packed[: many // 2])
    assert stored(things) == some[: many // 2 + 1]


@pytest.mark.parametrize("many", [1, 60])
def test_upserting_overwrites_what_is_told(things, many):
    """`upsert` overwrites the named columns alone; of doubles in one batch the later counts."""
    names = [f"n{place:04}" for place in range(many)]
    write(things, [thing(name, text="old") for name in names])
    write(things, [thing(name, number, "new") for name in names for number in (2, 3)], ["NUMBER"])
    assert {(row[1], row[2]) for row in stored(things)} == {("old", 3)}


def test_upserting_by_expression(things):
    """An entry may combine the stored and the new value, and look at other stored columns written after it."""
    write(things, [thing("a", 5), thing("b", 50, text="kept")])
    update = ["CURSOR=CASE WHEN {old} = 'kept' THEN {old} ELSE {new} END", "NUMBER={old} + {new}"]
    write(things, [thing("a", 1, "new"), thing("b", 1, "new"), thing("c", 1, "new")], update)
    assert [row[:3] for row in stored(things)] == [("a", "new", 6), ("b", "kept", 51), ("c", "new", 1)]


def test_nothing_to_write(things):
    """No rows are no statement."""
    write(things, [])
    write(things, [], ["NUMBER"])
    assert stored(things) == []


def test_identities_are_bytes(things):
    """Case, signs and blanks at the end tell names apart, as keys and in comparisons."""
    names = ["a", "A", "a ", "a  ", "a-b", "a_b", "a\t"]
    write(things, [thing(name) for name in names])
    assert [row[0] for row in stored(things)] == sorted(names)
    with things.ledger.reading() as connection:
        for name in names:
            found = connection.execute(sa.select(THINGS.c["NAME"]).where(THINGS.c["NAME"] == name)).scalars().all()
            assert found == [name]


def test_times_have_no_edge(things):
    """Times before 1970, after 2038 and to the microsecond are kept, ordered and compared."""
    times = [
        datetime(1969, 7, 20),
        datetime(2026, 1, 1, 0, 0, 0, 1),
        datetime(2026, 1, 1, 0, 0, 0, 2),
        datetime(2106, 2, 7),
    ]
    write(things, [(f"n{place}", None, None, None, when, None) for place, when in enumerate(times)])
    with things.ledger.reading() as connection:
        seen = THINGS.c["SEEN"]
        assert connection.execute(sa.select(seen).order_by(seen)).scalars().all() == times
        assert connection.execute(sa.select(seen).where(seen <= times[1]).order_by(seen)).scalars().all() == times[:2]


def test_an_operators_spelling_of_now_is_due(sqlite_bench):
    """On SQLite a time set by `datetime('now')`, with a blank for the T, is due when it should be."""
    (identity,) = sqlite_bench.announce("a")
    for stamp, due in ((sqlite_bench.now, 1), (sqlite_bench.later(3600 * 24), 0)):
        with sqlite_bench.ledger.transaction() as transaction:
            text = stamp.isoformat(" ", timespec="seconds")
            transaction.execute(sa.text("UPDATE TB_CRAWLER_POLL SET DUE_AT = :at, PROCESSED = 0"), {"at": text})
        events = sqlite_bench.claim()
        assert len(events) == due
        assert all(event.id == identity for event in events)


@pytest.mark.parametrize("value", [1j, [], Decimal(1)])
def test_text_is_for_known_types(value):
    """A value that has no text is refused, not guessed at, also among others that have one."""
    with pytest.raises(TypeError, match=f"no SQL text for {type(value).__name__}"):
        written([(1, "a"), (value, "a")], WRITERS, ",")


@pytest.mark.parametrize("url", ["", "nonsense", "oracle://x/y", "http://example.org/"])
def test_other_urls_are_refused(url):
    """What is no database of ours is the user's mistake."""
    with pytest.raises(UserError, match="use sqlite:///FILE"):
        connect(url)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:"])
def test_sqlite_needs_a_file(url):
    """Without a file each thread would have an empty database of its own."""
    with pytest.raises(UserError, match="names no file"):
        connect(url)


@pytest.mark.parametrize("rest", ["?b.db", "?mode=ro", "?uri=true", "?"])
def test_sqlite_urls_have_no_options(tmp_path, rest):
    """What follows a question mark would be dropped, and the tables be in another file than the URL names."""
    with pytest.raises(UserError, match="write %3F"):
        connect(f"sqlite:///{tmp_path}/a{rest}")


@pytest.mark.parametrize("name", ["a b.db", "ä#@:;&.db", "a%3Fb%25.db"])
def test_sqlite_files_have_any_name(tmp_path, name):
    """The file is where the URL says, whatever its name."""
    engine, _ = connect(f"sqlite+aiosqlite:///{tmp_path}/{name}")  # whose driver is another is still ours
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE ANY_TABLE (N)")
    engine.dispose()
    assert (tmp_path / unquote(name)).is_file()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://me:geheim@geheim@127.0.0.1/x", "more than one @; .*%40"),
        ("postgresql://me@127.0.0.1:geheim/x", "a port that is no number"),
        ("mysql://me:geheim@127.0.0.1", "names no database"),
        ("mysql://me@127.0.0.1/x?nope=geheim", "does not know: nope"),
        ("mysql://me@127.0.0.1/x?connect_timeout=geheim", "value cannot be read"),
    ],
)
def test_urls_that_lead_nowhere(url, reason):
    """A URL that names nothing to keep things in is the user's mistake, and what may be a password is not repeated."""
    with pytest.raises(UserError, match=reason) as caught:
        connect(url)
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_new_file_that_another_holds_is_waited_for(tmp_path, lock):
    """SQLite itself gives up at once where a file is to become WAL while another writes to it."""
    file = tmp_path / "stook.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE ANY_TABLE (N)")
    other.execute(lock)
    release = threading.Timer(0.2, other.execute, ["COMMIT"])
    release.start()
    engine, _ = connect(f"sqlite:///{file}")
    try:
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    finally:
        release.join()
        other.close()
        engine.dispose()


FORGET = "DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"  # behind the driver's back, as another server process would


def test_a_pooler_is_noticed(postgresql_url):
    """When prepared statements turn out to be another process's, that may pass, and no more are prepared."""
    engine, dialect = connect(postgresql_url)

    def run(times=1):
        for _ in range(times):
            prepared = once()
        return prepared

    def once():
        with engine.begin() as connection:
            connection.exec_driver_sql("SELECT %(number)s", {"number": 1}).all()
            prepared = connection.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements").scalar_one()
            connection.exec_driver_sql(FORGET)
        return prepared

    with pytest.raises(sa.exc.OperationalError, match="prepared statement") as caught:
        run(20)
    assert not dialect.is_refusal(caught.value)
    assert run(20) == 0
    engine.dispose()


def test_statements_need_not_be_prepared(postgresql_url):
    """The URL may say so from the beginning; anything but a number or `none` is a mistake."""
    engine, _ = connect(f"{postgresql_url}&prepare_threshold=none")
    with engine.connect() as connection:
        for _ in range(20):
            connection.exec_driver_sql("SELECT %(number)s", {"number": 1}).all()
        assert connection.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements").scalar_one() == 0
    engine.dispose()
    with pytest.raises(UserError, match="prepare_threshold"):
        connect(f"{postgresql_url}&prepare_threshold=never")
