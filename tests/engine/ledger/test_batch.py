"""Trouble that data causes is told from trouble of the database: the visit at fault ends, and nobody waits for it."""

from __future__ import annotations

import random
import sqlite3
import string
from dataclasses import dataclass, field

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from stook.engine.errors import FailureCode
from stook.engine.ledger import VisitResult
from stook.engine.words import Announcement, Code, Found, Written


def visits(bench, records):
    """One visit a record: of the events `good`, `bad` and `also`, in this order."""
    bench.announce(*records)
    by_name = {event.name: event for event in bench.claim()}
    return [VisitResult(bench.source, [by_name[name]], Found(records=[one])) for name, one in records.items()]


def failures(bench, receipt):
    """How the visits ended that failed: the code that the row keeps, by event."""
    failed = [event for event, outcome in receipt.ends if outcome.code is Code.FAILED]
    return {event.name: bench.row(event.id, event.queue)["LAST_CODE"] for event in failed}


def noise(length):
    """Text that nothing compresses."""
    return "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=length))


def limit_of(bench):
    with bench.ledger.reading() as connection:
        return int(connection.execute(sa.text("SELECT @@max_allowed_packet")).scalar_one())


def test_a_row_larger_than_a_packet(shared_bench):
    """MariaDB hangs up on a statement above its limit: that visit fails before it is sent; the others are kept."""
    bench = shared_bench
    is_mysql = bench.ledger.dialect.name == "mysql"
    size = limit_of(bench) if is_mysql else 20_000_000
    records = {"good": ("good", "{}"), "bad": ("bad", f'"{"x" * size}"'), "also": ("also", "{}")}
    receipt = bench.ledger.keep(visits(bench, records))
    assert failures(bench, receipt) == ({"bad": "too_large"} if is_mysql else {})
    assert {"good", "also"} <= set(bench.records())
    assert receipt.lost == 0


def test_a_row_just_within_a_packet(shared_bench):
    """What fits the server's limit, counted in bytes, is sent and kept."""
    bench = shared_bench
    if bench.ledger.dialect.name != "mysql":
        pytest.skip("only MySQL and MariaDB have packets")
    text = "\u20ac" * (limit_of(bench) // 3 - 1000)
    receipt = bench.ledger.keep(visits(bench, {"good": ("good", f'"{text}"')}))
    assert failures(bench, receipt) == {}


def test_many_rows_are_split(shared_bench):
    """Rows that would not fit one statement together are sent in several."""
    bench = shared_bench
    records = {f"r{number}": (f"r{number}", f'"{"x" * 600_000}"') for number in range(40)}
    bench.announce(*records)
    found = Found(records=list(records.values()))
    receipt = bench.ledger.keep([VisitResult(bench.source, bench.claim(50), found)])
    assert failures(bench, receipt) == {}
    assert len(bench.records()) == 40


@dataclass(slots=True)
class Killer:
    """Keeps records; whatever is named `bad` ends the connection, as a row may that a server chokes on."""

    bench: object
    name: str = "killer"
    queues: tuple[str, ...] = ("pages",)
    tasks: int = 1
    batch: int = 1
    kept: list = field(default_factory=list)

    def keep(self, transaction, records, now):
        for record in records:
            if record[0] == "bad":
                is_postgresql = transaction.dialect.name == "postgresql"
                word = "SELECT pg_terminate_backend(pg_backend_pid())" if is_postgresql else "KILL CONNECTION_ID()"
                transaction.execute(sa.text(word))
        return Written({"record": len(records)})


def test_a_batch_that_ends_the_connection(shared_bench):
    """The first loss may pass; after the second the visits are kept one by one, and only the one at fault fails."""
    bench = shared_bench
    bench.source = Killer(bench)
    batch = visits(bench, {"good": ("good", "{}"), "bad": ("bad", "{}"), "also": ("also", "{}")})
    with pytest.raises(sa.exc.DBAPIError):
        bench.ledger.keep(batch)
    receipt = bench.ledger.keep(batch)
    assert failures(bench, receipt) == {"bad": "not_kept"}
    assert receipt.outcomes == {Code.COMPLETE: 2, Code.FAILED: 1}


def test_a_connection_lost_once_blames_nobody(shared_bench):
    """Losses of different batches are not added up."""
    bench = shared_bench
    bench.source = Killer(bench)
    for name in ("one", "two", "three"):
        bench.announce(name)
        (claimed,) = bench.claim()
        with pytest.raises(sa.exc.DBAPIError):
            bench.ledger.keep([VisitResult(bench.source, [claimed], Found(records=[("bad", "{}")]))])


def test_a_database_that_is_away_blames_nobody(shared_bench):
    """Where the database does not answer at all, the same batch may lose its connection any number of times."""
    bench = shared_bench
    batch = visits(bench, {"good": ("good", "{}")})

    def refuse(*arguments):
        error = sa.exc.OperationalError("", None, Exception("away"))
        error.connection_invalidated = True
        raise error

    event.listen(bench.ledger.engine, "before_cursor_execute", refuse)
    for _ in range(4):
        with pytest.raises(sa.exc.OperationalError):
            bench.ledger.keep(batch)
    event.remove(bench.ledger.engine, "before_cursor_execute", refuse)
    assert bench.ledger.keep(batch).outcomes == {Code.COMPLETE: 1}


@pytest.mark.parametrize("many", [1, 60])
@pytest.mark.parametrize(
    "record",
    [
        ("nul\0", "{}"),
        ("nul", '{"a":"\0"}'),
        ("half\ud800", "{}"),
        (noise(3000), "{}"),
        ("deep", "[" * 100_000 + "]" * 100_000),
    ],
    ids=["nul", "nul in a document", "half a character", "long key", "deep"],
)
def test_data_that_some_engine_refuses(bench, record, many):
    """Whatever an engine cannot keep fails its own visit, at once and with a code; what it can is kept."""
    more = {f"more{number}": (f"more{number}", "{}") for number in range(many)}
    bench.announce("good", "bad")
    good, bad = sorted(bench.claim(), key=lambda event: event.name, reverse=True)
    batch = [
        VisitResult(bench.source, [good], Found(records=[("good", "{}")])),
        VisitResult(bench.source, [bad], Found(records=[*more.values(), record])),
    ]
    receipt = bench.ledger.keep(batch)
    assert set(failures(bench, receipt)) <= {"bad"}
    assert set(failures(bench, receipt).values()) <= {"not_kept", "too_large"}
    assert "good" in bench.records()


@pytest.mark.parametrize("number", [2**70, 10**6, -(2**70)])
def test_numbers_out_of_range(bench, number):
    """A number that its column cannot hold fails the visit, where the engine minds."""
    bench.announce("good", "bad")
    good, bad = sorted(bench.claim(), key=lambda event: event.name, reverse=True)
    wrong = Announcement("frontier", "u", facts={"DEPTH": number})
    receipt = bench.ledger.keep(
        [
            VisitResult(bench.source, [good], Found(records=[("good", "{}")])),
            VisitResult(bench.source, [bad], Found(announcements=[wrong])),
        ]
    )
    strict = number != 10**6 or bench.ledger.dialect.name != "sqlite"
    assert failures(bench, receipt) == ({"bad": "not_kept"} if strict else {})
    assert set(bench.records()) == {"good"}


def test_a_name_that_no_queue_holds(bench):
    """An announcement whose name is too long fails its visit on every engine alike."""
    bench.announce("good", "bad")
    good, bad = sorted(bench.claim(), key=lambda event: event.name, reverse=True)
    receipt = bench.ledger.keep(
        [
            VisitResult(bench.source, [good], Found(records=[("good", "{}")])),
            VisitResult(bench.source, [bad], Found(announcements=[Announcement("pages", "x" * 513)])),
        ]
    )
    assert failures(bench, receipt) == {"bad": "too_large"}


def test_a_value_too_big_for_sqlite(sqlite_bench):
    """SQLite's own limit on a value is a matter of the visit, too."""
    bench = sqlite_bench

    def limit(connection, record):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)

    bench.ledger.engine.dispose()
    event.listen(bench.ledger.engine, "connect", limit)
    records = {"good": ("good", "{}"), "bad": ("bad", f'"{"x" * 200_000}"')}
    receipt = bench.ledger.keep(visits(bench, records))
    assert failures(bench, receipt) == {"bad": "too_large"}


def test_columns_of_the_queue_are_not_for_outcomes(bench):
    """An outcome that would write the ledger's own columns is a fault in its source."""
    from stook.engine.words import Outcome

    (identity,) = bench.announce("a")
    receipt = bench.end(bench.claim(), Outcome(Code.COMPLETE, facts={"DUE_AT": bench.now}))
    assert receipt.outcomes == {Code.FAILED: 1}
    row = bench.row(identity)
    assert (row["PROCESSED"], row["LAST_CODE"]) == (30, FailureCode.NOT_KEPT)
    assert "DUE_AT" in row["LAST_ERROR"]
