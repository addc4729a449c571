"""The one transaction that keeps what visits found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event as sa_event

from stook.engine.ledger import VisitResult
from stook.engine.ledger.dialects.pool import USED
from stook.engine.ledger.feeds import STATUS, VALIDATOR
from stook.engine.words import Announcement, Code, Cursor, Found, Outcome, Validators

URL = "https://index.example/a"


class PowerCut(BaseException):
    """Nothing catches this."""


def full(bench, events, name="a"):
    """A visit with something for every table."""
    found = Found(
        Outcome(Code.COMPLETE),
        records=[(name, "{}")],
        announcements=[Announcement("pages", f"next-{name}", facts={"x": 1}), Announcement("feeds", f"feed-{name}")],
        cursor=Cursor(f"feed-{name}", "7", ["seen"]),
        forget=frozenset({"https://gone.example/"}),
    )
    return VisitResult(bench.source, events, found, {f"{URL}{name}": Validators("e", "", b"d" * 32)})


def tables(bench):
    """All rows of all tables, as text."""
    with bench.ledger.reading() as connection:
        names = sorted(sa.inspect(connection).get_table_names())
        rows = {name: connection.execute(sa.text(f"SELECT * FROM {name}")).all() for name in names}
    return {name: sorted(map(repr, some)) for name, some in rows.items()}


def writes_of(bench, batch: Sequence[VisitResult]) -> int:
    """How many statements keeping this takes."""
    statements: list[str] = []

    def note(connection, cursor, statement, parameters, context, many):
        statements.append(statement)

    sa_event.listen(bench.ledger.engine, "before_cursor_execute", note)
    bench.ledger.keep(batch)
    sa_event.remove(bench.ledger.engine, "before_cursor_execute", note)
    return len(statements)


def test_all_is_kept_together(bench):
    """Records, next events, the cursor, validators and the outcome are there after one call."""
    bench.announce("a")
    kept = bench.ledger.keep([full(bench, bench.claim())])
    assert (kept.outcomes, kept.written, kept.lost) == ({Code.COMPLETE: 1}, {"record": 1}, 0)
    assert bench.records() == {"a": "{}"}
    assert [event.facts["x"] for event in bench.claim()] == [1]
    assert [event.name for event in bench.claim(queue="feeds")] == ["feed-a"]
    assert bench.ledger.cursor("feed-a") == Cursor("feed-a", "7", ["seen"])
    assert bench.ledger.validators([f"{URL}a", URL]) == {f"{URL}a": Validators("e", "", b"d" * 32, f"{URL}a")}


@pytest.mark.parametrize("kind", ["power", "database"])
def test_all_or_nothing_at_every_step(bench, kind):
    """If any statement of a keep fails, nothing at all is written, and the same keep can be done again."""
    bench.announce("a", "b")
    events = {event.name: [event] for event in bench.claim()}
    steps = writes_of(bench, [full(bench, events["a"])])
    assert steps >= 7
    before = tables(bench)
    for step in range(steps):
        left = [step]

        def fail(connection, cursor, statement, parameters, context, many, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise PowerCut if kind == "power" else sa.exc.OperationalError(statement, None, Exception("gone away"))

        sa_event.listen(bench.ledger.engine, "before_cursor_execute", fail)
        with pytest.raises((PowerCut, sa.exc.OperationalError)):
            bench.ledger.keep([full(bench, events["b"], "b")])
        sa_event.remove(bench.ledger.engine, "before_cursor_execute", fail)
        assert tables(bench) == before, f"after a fault at statement {step + 1}"
    assert bench.ledger.keep([full(bench, events["b"], "b")]).lost == 0
    assert bench.records() == {"a": "{}", "b": "{}"}


def test_a_fault_at_the_commit_keeps_nothing(bench):
    """If the commit itself fails, nothing is written."""
    bench.announce("a")
    events = bench.claim()
    before = tables(bench)

    def fail(connection):
        raise PowerCut

    sa_event.listen(bench.ledger.engine, "commit", fail)
    with pytest.raises(PowerCut):
        bench.ledger.keep([full(bench, events)])
    sa_event.remove(bench.ledger.engine, "commit", fail)
    assert tables(bench) == before


BAD = {
    "not JSON": ("bad", "{"),
    "no key": (None, "{}"),
    "not ASCII": ("schön", "{}"),
    "half a character": ("bad\ud800", "{}"),
    "no such type": ("bad", object()),
    "too few": ("bad",),
}
REFUSED_BY_ALL = ("no key", "half a character", "no such type", "too few")


@pytest.mark.parametrize("many", [1, 60])
@pytest.mark.parametrize("fault", REFUSED_BY_ALL)
def test_one_bad_record_fails_alone(bench, fault, many):
    """A record that cannot be written fails its own visit with a reason; its batch is kept."""
    ids = bench.announce("a", "bad", "c")
    visits = {event.name: full(bench, [event], event.name) for event in bench.claim()}
    records = [*((f"more{number}", "{}") for number in range(many)), BAD[fault]]
    visits["bad"] = VisitResult(bench.source, visits["bad"].events, Found(records=records, cursor=Cursor("bad", "1")))
    kept = bench.ledger.keep(list(visits.values()))
    assert kept.outcomes == {Code.COMPLETE: 2, Code.FAILED: 1}
    assert bench.records() == {"a": "{}", "c": "{}"}
    assert bench.ledger.cursor("bad") is None
    assert bench.row(ids[1])["PROCESSED"] == 30
    assert "cannot be kept" in bench.row(ids[1])["LAST_ERROR"]
    assert [outcome.reason for event, outcome in kept.ends if event.name == "bad"] == [bench.row(ids[1])["LAST_ERROR"]]


@pytest.mark.parametrize("many", [1, 60])
@pytest.mark.parametrize("fault", ["not JSON", "not ASCII"])
def test_a_strict_engine_refuses_alone(shared_bench, fault, many):
    """What only some engines refuse is a failure of the visit there, never trouble to be waited out."""
    bench = shared_bench
    (identity,) = bench.announce("bad")
    kept = bench.end(bench.claim(), records=[*((f"more{number}", "{}") for number in range(many)), BAD[fault]])
    if fault == "not ASCII" and bench.ledger.dialect.name == "postgresql":
        assert kept.outcomes == {Code.COMPLETE: 1}
    else:
        assert kept.outcomes == {Code.FAILED: 1}
        assert bench.row(identity)["PROCESSED"] == 30


def test_a_source_that_breaks_fails_its_visits(bench):
    """A fault in a source's own `keep` fails its visits, and stops no worker."""
    (identity,) = bench.announce("a")
    bench.source.broken = KeyError("checksum")
    kept = bench.end(bench.claim(), records=[("a", "{}")], validators={URL: Validators("e")})
    assert kept.outcomes == {Code.FAILED: 1}
    assert "KeyError: 'checksum'" in bench.row(identity)["LAST_ERROR"]
    assert bench.ledger.validators([URL]) == {}


def test_trouble_of_the_database_is_no_failure(bench):
    """When the database is in trouble the visit keeps its lease, and the caller is told."""
    (identity,) = bench.announce("a")
    events = bench.claim()
    bench.source.broken = sa.exc.OperationalError("INSERT", None, Exception("deadlock"))
    with pytest.raises(sa.exc.OperationalError):
        bench.end(events, records=[("a", "{}")])
    assert bench.row(identity)["PROCESSED"] == 20
    bench.source.broken = None
    assert bench.end(events, records=[("a", "{}")]).lost == 0


def test_real_deadlocks_are_trouble_of_the_database(shared_bench):
    """A lock that cannot be had reaches the caller as trouble that may pass, from the fast paths too."""
    bench = shared_bench
    bench.announce("a")
    events = bench.claim()
    with bench.ledger.engine.begin() as other:
        other.execute(sa.text("INSERT INTO TB_TEST_RECORD VALUES ('more1', NULL)").execution_options())
        shorter = "SET lock_timeout TO '100ms'" if other.dialect.name == "postgresql" else None

        def hurry(connection):
            connection.exec_driver_sql(shorter or "SET innodb_lock_wait_timeout = 1")

        sa_event.listen(bench.ledger.engine, "begin", hurry)
        with pytest.raises(sa.exc.OperationalError):
            bench.end(events, records=[(f"more{number}", "{}") for number in range(100)])
        sa_event.remove(bench.ledger.engine, "begin", hurry)


def test_a_connection_lost_in_a_bulk_load_may_pass(shared_bench):
    """When the server drops us in the middle of the fast path, that is trouble of the database, and a retry works."""
    bench = shared_bench
    bench.announce("a")
    events = bench.claim()
    records = [(f"more{number}", "{}") for number in range(100)]
    is_postgresql = bench.ledger.dialect.name == "postgresql"
    dropped = []

    def drop(connection, cursor, statement, parameters, context, many):
        # On PostgreSQL the COPY follows, on MariaDB this is the bulk statement itself.
        bulk = "TRUNCATE staging" if is_postgresql else "INSERT INTO TB_TEST_RECORD"
        if dropped or not statement.startswith(bulk):
            return
        dropped.append(statement)
        if is_postgresql:
            bench_kill(
                bench, f"SELECT pg_terminate_backend({connection.connection.driver_connection.info.backend_pid})"
            )
        else:
            bench_kill(bench, f"KILL {connection.connection.thread_id()}")

    moment = "after_cursor_execute" if is_postgresql else "before_cursor_execute"
    sa_event.listen(bench.ledger.engine, moment, drop)
    with pytest.raises(sa.exc.OperationalError):
        bench.end(events, records=records)
    sa_event.remove(bench.ledger.engine, moment, drop)
    assert bench.records() == {}
    assert bench.end(events, records=records).outcomes == {Code.COMPLETE: 1}
    assert len(bench.records()) == 100


@pytest.mark.parametrize("size", [1, 100])
def test_a_server_that_takes_no_writes_may_pass(shared_bench, size):
    """After a failover the server may be one that only reads: trouble of the database, never a failure of visits."""
    bench = shared_bench
    (identity,) = bench.announce("a")
    events = bench.claim()
    records = [(f"more{number}", "{}") for number in range(size)]

    def demote(connection):
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    sa_event.listen(bench.ledger.engine, "begin", demote)
    for write in (lambda: bench.end(events, records=records), bench.claim, lambda: write_fresh(bench)):
        with pytest.raises(sa.exc.OperationalError):
            write()
    sa_event.remove(bench.ledger.engine, "begin", demote)
    assert bench.row(identity)["PROCESSED"] == 20
    assert bench.end(events, records=records).outcomes == {Code.COMPLETE: 1}


def write_fresh(bench):
    """The fastest way of writing."""
    with bench.ledger.transaction() as transaction:
        transaction.insert_fresh(STATUS, ["TYPE", "CURSOR", "UPDATED"], [("feed", "1", bench.now)])


@pytest.mark.parametrize("idle", [-60.0, 60.0])
def test_a_connection_that_died_while_idle(shared_bench, idle):
    """A connection that was idle is looked at first, and replaced; one in steady use is trouble that a retry heals."""
    bench = shared_bench
    (identity,) = bench.announce("a")
    with bench.ledger.engine.connect() as connection:
        known, driver = connection.info, connection.connection.driver_connection
        number = driver.info.backend_pid if bench.ledger.dialect.name == "postgresql" else driver.thread_id()
    word = "SELECT pg_terminate_backend({})" if bench.ledger.dialect.name == "postgresql" else "KILL {}"
    bench_kill(bench, word.format(number))
    known[USED] -= idle
    if idle < 0:
        with pytest.raises(sa.exc.OperationalError):
            bench.claim()
    assert [event.id for event in bench.claim()] == [identity]


def test_a_bulk_load_that_takes_too_long_may_pass(shared_bench):
    """A COPY that the server breaks off, though the connection lives, is trouble of the database as well."""
    bench = shared_bench
    if bench.ledger.dialect.name != "postgresql":
        pytest.skip("only PostgreSQL has a COPY")
    bench.announce("a")
    events = bench.claim()
    hurried = []

    def hurry(connection, cursor, statement, parameters, context, many):
        if statement.startswith("TRUNCATE staging") and not hurried:
            hurried.append(statement)
            cursor.execute("SET LOCAL statement_timeout = 1")

    sa_event.listen(bench.ledger.engine, "after_cursor_execute", hurry)
    with pytest.raises(sa.exc.OperationalError, match="statement timeout"):
        bench.end(events, records=[(f"more{number}", "{}") for number in range(30_000)])
    sa_event.remove(bench.ledger.engine, "after_cursor_execute", hurry)


def bench_kill(bench, statement):
    """End a connection from another one."""
    with sa.create_engine(bench.ledger.engine.url).connect() as other:
        other.exec_driver_sql(statement)
    other.engine.dispose()


def test_outcomes_of_single_events(bench):
    """Each event ends as the visit says of it, the others as the visit says in general."""
    ids = bench.announce("a@1", "a@2", queue="cargo")
    bench.end(bench.claim(queue="cargo"), Code.COMPLETE, outcomes={ids[1]: Outcome(Code.NOT_FOUND, "gone", 404)})
    assert [bench.row(identity, "cargo")["PROCESSED"] for identity in ids] == [1, 5]


def test_cursors_move_with_the_data(bench):
    """A cursor is replaced as a whole; of two in one batch the later counts."""
    bench.announce("a", "b", queue="feeds")
    visits = [
        VisitResult(bench.source, [event], Found(cursor=Cursor("f", value, boundary)))
        for event, value, boundary in zip(bench.claim(queue="feeds"), ("1", "2"), ([1], None), strict=True)
    ]
    bench.ledger.keep(visits)
    assert bench.ledger.cursor("f") == Cursor("f", "2", None)
    assert bench.ledger.cursor("other") is None
    assert bench.count(STATUS) == 1


def test_forgotten_validators_go(bench):
    """`forget` removes what is stored, and what the same visit has just seen."""
    bench.announce("a", "b")
    a, b = bench.claim()
    bench.end([a], validators={URL: Validators("old"), f"{URL}2": Validators("", "Tue", b"x" * 32)})
    bench.end([b], validators={URL: Validators("new")}, forget=frozenset({URL}))
    assert bench.ledger.validators([URL, f"{URL}2"]) == {f"{URL}2": Validators("", "Tue", b"x" * 32, f"{URL}2")}


def test_validators_are_replaced(bench):
    """The newest reply's validators count, also where it has fewer."""
    bench.announce("a", "b")
    for event, known in zip(bench.claim(), (Validators("e", "Tue", b"x" * 32), Validators("f")), strict=True):
        bench.end([event], validators={URL: known})
    assert bench.ledger.validators([URL]) == {URL: Validators("f", url=URL)}
    assert bench.count(VALIDATOR) == 1


def test_an_event_may_announce_itself(bench):
    """A poll that announces itself again is due again, not finished."""
    (identity,) = bench.announce("a", queue="feeds")
    bench.end(bench.claim(queue="feeds"), announcements=[Announcement("feeds", "a", fresh_for=0.0)])
    assert [event.id for event in bench.claim(queue="feeds")] == [identity]


names = st.sampled_from("abcdef")
outcomes = st.sampled_from([Code.COMPLETE, Code.FAILED, Code.PENDING, Code.NOT_FOUND])


runs = count()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_keeping_is_exact(sqlite_bench, data):
    """Whatever the batch and whoever lost a lease: exactly the visits still held are written, in full."""
    bench = sqlite_bench
    prefix = f"{next(runs)}-"
    bench.announce(*(prefix + name for name in "abcdef"))
    events = {event.name: event for event in bench.claim(100) if event.name.startswith(prefix)}
    stolen = {prefix + name for name in data.draw(st.sets(names))}
    for name in stolen:
        bench.put(events[name].id, LEASE=1)
    ends = {name: data.draw(outcomes) for name in events}
    batch = [
        VisitResult(bench.source, [event], Found(Outcome(ends[name], delay=9e9), records=[(name, "{}")]))
        for name, event in events.items()
    ]
    kept = bench.ledger.keep(batch)
    assert kept.lost == len(stolen)
    assert {event.name: outcome.code for event, outcome in kept.ends} == {
        name: code for name, code in ends.items() if name not in stolen
    }
    assert {name for name in bench.records() if name.startswith(prefix)} == {*events} - stolen
