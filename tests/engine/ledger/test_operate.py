"""What an operator does to a queue."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event

import pytest
import sqlalchemy as sa
from sqlalchemy import event as sa_event

from stook.engine.errors import FailureCode, UserError
from stook.engine.ledger import Ledger, connect, operate
from stook.engine.ledger.feeds import FeedStatus, write_cursors
from stook.engine.words import Code, Cursor, Outcome
from stook.registries.cargo.sources import VERSIONS

# A process that asks for all events again, three batches of them, and kills itself on the way.
KILLED = """
import os, signal, sys
from sqlalchemy import event
from stook.engine.clock import RealClock
from stook.engine.ledger import Ledger, connect, operate
from stook.registries.cargo.sources import VERSIONS
url, moment, batches = sys.argv[1:]
engine, dialect = connect(url)
seen = []
def count(connection, *more):
    if moment == "commit" or more[1].startswith("UPDATE"):
        seen.append(1)
        if len(seen) > int(batches):
            os.kill(os.getpid(), signal.SIGKILL)
event.listen(engine, moment, count)
operate.resync(Ledger(engine, dialect, [VERSIONS], RealClock()), "cargo", [], batch=10)
"""


def chosen(bench, where, queue="cargo"):
    """The events that a condition chooses."""
    operate.resync(bench.ledger, queue, [where])
    return sorted(str(event) for event in bench.claim(100, queue=queue) if event.resync)


def test_status_counts_what_is_ready_waiting_and_held(bench):
    """Each state has its number, and the oldest ready event its moment; finished ones are in none."""
    ids = bench.announce("held", "waiting", "pending", "rung", "done")
    bench.put(ids[0], DUE_AT=bench.later(-50))
    assert [event.name for event in bench.claim(1)] == ["held"]
    bench.put(ids[1], DUE_AT=bench.later(500))
    bench.put(ids[3], DUE_AT=bench.later(-5), PROCESSED=30)
    bench.put(ids[4], DUE_AT=None, PROCESSED=1)
    bench.announce("elsewhere", queue="feeds")
    assert operate.queue_status(bench.ledger, "pages") == operate.QueueStatus("pages", 2, 1, 1, bench.later(-5))
    assert operate.queue_status(bench.ledger, "cargo") == operate.QueueStatus("cargo", 0, 0, 0, None)


def test_status_of_urgent_events(bench):
    """An urgent event has been ready since it was announced, although its due time is long ago."""
    bench.put(*bench.announce("usual"), DUE_AT=bench.later(-90))
    bench.announce("urgent", urgent=True)
    bench.clock.advance(7)
    assert operate.queue_status(bench.ledger, "pages").oldest == bench.later(-7)


def test_status_shows_cursors(bench):
    """Of a queue of feeds also how far they were read, those first that moved last; of other queues nothing."""
    walks = replace(bench.ledger.queues["pages"], name="walks", partition="walks", has_cursor=True)
    ledger = Ledger(bench.ledger.engine, bench.ledger.dialect, [walks], bench.clock)
    for number, key in enumerate(["walks:a", "walks:b", "walks_:c", "walks:d"]):
        with ledger.transaction() as transaction:
            write_cursors(transaction, [Cursor(key, f"at {number}", [])], bench.later(number % 3))
    assert operate.queue_status(ledger, "walks").feeds == [
        FeedStatus("b", "at 1", bench.later(1)),
        FeedStatus("a", "at 0", bench.later(0)),
        FeedStatus("d", "at 3", bench.later(0)),
    ]
    assert not operate.queue_status(bench.ledger, "pages").feeds


def test_expired_events_are_ready(bench):
    """What a dead worker left is ready, not held."""
    bench.announce("a")
    bench.claim()
    bench.clock.advance(121)
    status = operate.queue_status(bench.ledger, "pages")
    assert (status.ready, status.held) == (1, 0)


def test_status_stops_counting(bench):
    """No number goes above the limit, however long the queue is."""
    bench.announce(*(f"n{number}" for number in range(operate.COUNT_LIMIT + 50)))
    assert operate.queue_status(bench.ledger, "pages").ready == operate.COUNT_LIMIT + 1
    bench.clock.advance(-0.0)
    assert len(bench.claim(operate.COUNT_LIMIT + 20)) == operate.COUNT_LIMIT + 20
    status = operate.queue_status(bench.ledger, "pages")
    assert (status.ready, status.waiting, status.held) == (30, 0, operate.COUNT_LIMIT + 1)


def test_retry_brings_waiting_events_forward(bench):
    """Retry makes waiting events due where they stand; what is held, ready or finished it leaves."""
    ids = bench.announce("held", "rung", "pending", "done", "ready")
    bench.put(ids[0], DUE_AT=bench.later(-1))
    bench.claim(1)
    bench.put(ids[1], DUE_AT=bench.later(500), PROCESSED=34)
    bench.put(ids[2], DUE_AT=bench.later(500))
    bench.put(ids[3], DUE_AT=None, PROCESSED=1)
    assert operate.retry(bench.ledger, "pages", []) == 2
    assert {(event.name, event.processed) for event in bench.claim()} == {("rung", 25), ("pending", 20), ("ready", 20)}


def test_revive_wakes_what_ended_badly(bench):
    """Revive makes not found, malformed and given up events pending, with a clean count of tries."""
    ids = bench.announce(*"abcdefg")
    for identity, code in zip(ids, (1, 2, 3, 5, 6, 39, 30), strict=True):
        bench.put(identity, PROCESSED=code, DUE_AT=None if code != 30 else bench.later(50), ATTEMPTS=9)
    assert operate.revive(bench.ledger, "pages", []) == 3
    assert {(event.name, event.processed, event.attempts) for event in bench.claim()} == {
        ("c", 20, 0),
        ("d", 20, 0),
        ("f", 20, 0),
    }


def test_revive_by_cause(bench):
    """One cause can be revived without the others."""
    ids = bench.announce("a", "b")
    bench.end(bench.claim(), Outcome(Code.NOT_FOUND, "gone", 410))
    bench.put(ids[0], PROCESSED=39)
    assert operate.revive(bench.ledger, "pages", ["code=5", "status=410"]) == 1
    assert [event.name for event in bench.claim()] == ["b"]


def test_resync_asks_again(bench):
    """Resync makes all events pending, and tells their visits; success ends that."""
    ids = bench.announce("held", "gone", "done", "ready")
    bench.claim(1)
    bench.put(ids[1], PROCESSED=5, DUE_AT=None)
    bench.put(ids[2], PROCESSED=1, DUE_AT=None)
    assert operate.resync(bench.ledger, "pages", []) == 4
    events = bench.claim()
    assert {(event.id, event.resync) for event in events} == {(identity, True) for identity in ids}
    bench.end(events)
    assert {(bench.row(identity)["RESYNC"], bench.row(identity)["PROCESSED"]) for identity in ids} == {(0, 1)}


def test_resync_of_what_a_worker_holds(bench):
    """A visit that began before is not kept, as it may have read before; what else it held is free at once."""
    ids = bench.announce("a@1", "a@2", queue="cargo")
    before = bench.claim(queue="cargo")
    assert operate.resync(bench.ledger, "cargo", ["version=1"]) == 1
    assert bench.end(before, records=[("a", '"old"')]).lost == 1
    after = bench.claim(queue="cargo")
    assert {(event.id, event.resync) for event in after} == {(ids[0], True), (ids[1], False)}
    assert bench.end(after, records=[("a", '"new"')]).lost == 0
    assert bench.end(before, records=[("a", '"old"')]).lost == 1
    assert (bench.records(), marks(bench)) == ({"a": '"new"'}, Counter({(1, 0, False): 2}))


def marks(bench):
    """How many rows say what of PROCESSED, RESYNC and whether they are due."""
    table = VERSIONS.table
    columns = (table.c["PROCESSED"], table.c["RESYNC"], table.c["DUE_AT"])
    with bench.ledger.reading() as connection:
        return Counter((code, again, due is not None) for code, again, due in connection.execute(sa.select(*columns)))


DONE, ASKED = (1, 0, False), (0, 1, True)


def finished(bench, count):
    """So many complete events."""
    ids = bench.announce(*(f"n{number}@1" for number in range(count)), queue="cargo")
    bench.end(bench.claim(count, queue="cargo"))
    assert marks(bench) == {DONE: count}
    return ids


@pytest.mark.parametrize("batches", [0, 1, 2])
@pytest.mark.parametrize("moment", ["before_cursor_execute", "after_cursor_execute", "commit"])
def test_a_killed_resync_leaves_whole_rows(bench, moment, batches):
    """Killed before, after or at the commit of a batch, it has marked that batch or not; again, it marks all."""
    finished(bench, 25)
    url = bench.ledger.engine.url.render_as_string(hide_password=False)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, url, moment, str(batches)]
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    assert marks(bench) == +Counter({ASKED: 10 * batches, DONE: 25 - 10 * batches})
    assert operate.resync(bench.ledger, "cargo", []) == 25
    assert marks(bench) == {ASKED: 25}


@pytest.mark.parametrize("name", ["retry", "revive", "resync"])
def test_a_failing_batch_undoes_itself_alone(bench, name):
    """What was changed before an error stays changed; the same command again does the rest."""
    ids = bench.announce(*(f"n{number}" for number in range(25)))
    for identity in ids:
        bench.put(identity, PROCESSED=39 if name == "revive" else 30, DUE_AT=bench.later(50))
    with failing(bench, "UPDATE", RuntimeError("a fault"), after=2), pytest.raises(RuntimeError):
        getattr(operate, name)(bench.ledger, "pages", [], batch=10)
    assert operate.queue_status(bench.ledger, "pages").ready == 20
    assert getattr(operate, name)(bench.ledger, "pages", []) == (25 if name == "resync" else 5)
    assert operate.queue_status(bench.ledger, "pages").ready == 25


@contextmanager
def failing(bench, statement, *errors, after=0):
    """The next statements of a kind fail, once they were carried out."""
    left = [None] * after + list(errors)

    def fail(connection, cursor, text, *more):
        if text.startswith(statement) and left and (error := left.pop(0)):
            raise error

    sa_event.listen(bench.ledger.engine, "after_cursor_execute", fail)
    try:
        yield left
    finally:
        sa_event.remove(bench.ledger.engine, "after_cursor_execute", fail)


def conflicts(bench):
    """What drivers say when others were in the way, and something else."""
    driver = bench.ledger.engine.dialect.loaded_dbapi
    if bench.ledger.dialect.name == "postgresql":
        lost = [
            driver.errors.DeadlockDetected(),
            driver.errors.SerializationFailure(),
            driver.errors.LockNotAvailable(),
        ]
    elif bench.ledger.dialect.name == "mysql":
        lost = [driver.err.OperationalError(code, "try restarting transaction") for code in (1205, 1213)]
    else:
        lost = [driver.OperationalError("database is locked")]
        lost[0].sqlite_errorname = "SQLITE_BUSY"
    *lost, away = (sa.exc.OperationalError("UPDATE", None, one) for one in [*lost, driver.OperationalError("away")])
    return lost, away


@pytest.mark.parametrize("act", ["announce", "retry", "revive", "resync"])
def test_commands_try_again_after_a_deadlock(bench, act):
    """What a deadlock or a lock time-out undid is done again; a database that is away is told at once."""
    (identity,) = bench.announce("a")
    lost, away = conflicts(bench)

    def do(*errors):
        bench.put(identity, PROCESSED=39 if act == "revive" else 30, DUE_AT=bench.later(50))
        with failing(bench, "UPDATE", *errors) as left:
            if act == "announce":
                bench.announce("a", urgent=True)
            else:
                getattr(operate, act)(bench.ledger, "pages", [])
        return left

    assert do(*lost) == []
    assert operate.queue_status(bench.ledger, "pages").ready == 1
    with pytest.raises(sa.exc.OperationalError):
        do(away)
    assert operate.queue_status(bench.ledger, "pages").ready == 0


def test_real_deadlocks_are_known(shared_bench):
    """A transaction that the database chose to undo is run again, and then stands."""
    bench = shared_bench
    first, second = bench.announce("a", "b")
    many = bench.announce(*(f"more{number}" for number in range(100)))
    table = bench.ledger.queues["pages"].table
    tries = []

    def touch(connection, *ids):
        connection.execute(sa.update(table).where(table.c["ID"].in_(ids)).values(ATTEMPTS=table.c["ATTEMPTS"] + 1))

    with ThreadPoolExecutor(1) as pool, bench.ledger.engine.connect() as other:
        touch(other, second, *many)  # who has written less is undone, on MariaDB

        def cross():
            if other.dialect.name == "postgresql":  # there it is who looks first
                other.exec_driver_sql("SET LOCAL deadlock_timeout TO '1h'")
            touch(other, first)
            other.commit()

        def action(transaction):
            tries.append(1)
            if other.dialect.name == "postgresql":
                transaction.connection.exec_driver_sql("SET LOCAL deadlock_timeout TO '50ms'")
            touch(transaction.connection, first)
            if len(tries) == 1:
                crossing.append(pool.submit(cross))
            touch(transaction.connection, second)

        crossing = []
        bench.ledger.write(action)
        crossing[0].result(20)
    assert (len(tries), bench.row(first)["ATTEMPTS"], bench.row(second)["ATTEMPTS"]) == (2, 2, 2)


def test_resync_among_workers(bench):
    """While workers claim and keep, each event that is asked for again is collected again, and once."""
    count = 300
    ids = bench.announce(*(f"n{number}@1" for number in range(count)), queue="cargo")
    ended, begun = Counter(), Event()

    def work():
        ledger = Ledger(
            *connect(str(bench.ledger.engine.url.render_as_string(hide_password=False))), [VERSIONS], bench.clock
        )
        mine = type(bench)(ledger, bench.clock)
        while sum(ended[identity, True] for identity in ids) < count:
            events = patiently(mine.claim, 7, "cargo")
            for event in events:
                if not patiently(mine.end, [event]).lost:
                    ended[event.id, event.resync] += 1
            if len(ended) > 40:
                begun.set()
        ledger.close()

    with ThreadPoolExecutor(3) as pool:
        workers = [pool.submit(work) for _ in range(3)]
        assert begun.wait(60)
        assert operate.resync(bench.ledger, "cargo", [], batch=25) == count
        for worker in workers:
            worker.result(60)
    assert {ended[identity, True] for identity in ids} == {1}
    assert max(ended.values()) == 1
    assert marks(bench) == {DONE: count}


def patiently(action, *arguments):
    """As the loop calls the ledger."""
    while True:
        try:
            return action(*arguments)
        except sa.exc.OperationalError:
            continue


def test_one_queue_at_a_time(bench):
    """Queues that share a table are steered apart."""
    bench.announce("a")
    bench.announce("a", queue="feeds")
    assert operate.resync(bench.ledger, "feeds", []) == 1
    assert [event.resync for event in bench.claim()] == [False]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("name=serde", ["serde@1.0.0"]),
        ("name=serde*", ["serde@1.0.0", "serde_json@1.0.0", "serdeXjson@1.0.0"]),
        ("name=serde_json", ["serde_json@1.0.0"]),
        ("name=serde_js*", ["serde_json@1.0.0"]),
        ("name=serde?json", ["serdeXjson@1.0.0", "serde_json@1.0.0"]),
        ("name=SERDE*", ["SERDE@1.0.0"]),
        ("name=100%*", ["100%@1.0.0"]),
        ("name=1*%", ["100%@1.0.0"]),
        ("name=back\\slash*", ["back\\slash@1.0.0"]),
        ("name=back\\*", ["back\\slash@1.0.0"]),
        ("name=back\\?lash", ["back\\slash@1.0.0"]),
        ("version=1.0.0-rc*", ["rc@1.0.0-rc.1"]),
        ("version=1.0.0-RC*", []),
        ("name=", None),
        ("name=no*", []),
        ("name=x' OR '1'='1", []),
    ],
)
def test_conditions_on_names(bench, where, found):
    """Globs know * and ?, everything else stands for itself, and case counts on every engine."""
    names = ["serde", "serde_json", "serdeXjson", "SERDE", "100%", "1000", "back\\slash"]
    bench.announce(*(f"{name}@1.0.0" for name in names), "rc@1.0.0-rc.1", queue="cargo")
    if found is None:
        with pytest.raises(UserError):
            chosen(bench, where)
    else:
        assert chosen(bench, where) == sorted(found)


@pytest.mark.parametrize(
    ("where", "found"),
    [("error~timed out", "ab"), ("error~TIMED", "ab"), ("error~100%", "c"), ("error~a_b", "d"), ("error~\\n", "e")],
)
def test_conditions_on_errors(bench, where, found):
    """Words of an error are found whatever their case; no sign among them is special."""
    reasons = ["timed out", "it Timed Out", "100%", "a_b", "\\n", "100 percent", "axb", "plain"]
    ids = bench.announce(*(f"{name}@1" for name in "abcdefgh"), queue="cargo")
    for identity, reason in zip(ids, reasons, strict=True):
        bench.put(identity, queue="cargo", LAST_ERROR=reason)
    assert chosen(bench, where) == [f"{name}@1" for name in found]


@pytest.mark.parametrize(("where", "found"), [("code=5", ["b@1"]), ("status=404", ["a@1"]), ("status=500", [])])
def test_conditions_on_numbers(bench, where, found):
    """Codes and statuses are compared as numbers."""
    ids = bench.announce("a@1", "b@1", queue="cargo")
    bench.put(ids[0], queue="cargo", LAST_STATUS=404, PROCESSED=1, DUE_AT=None)
    bench.put(ids[1], queue="cargo", LAST_STATUS=410, PROCESSED=5, DUE_AT=None)
    assert chosen(bench, where) == found


def test_conditions_add_up(bench):
    """Of several conditions all must hold."""
    bench.announce("a@1", "a@2", "b@1", queue="cargo")
    assert operate.resync(bench.ledger, "cargo", ["name=a", "version=1"]) == 1


@pytest.mark.parametrize(
    "where",
    ["", "name", "name~a", "code=x", "code=-1", "code=²", f"status={'9' * 30}", "error=x", "lease=1", "NAME=a", "=a"],
)
def test_other_conditions_are_refused(sqlite_bench, where):
    """What is no condition is the user's mistake, and told with what would be one."""
    with pytest.raises(UserError, match="write name=GLOB"):
        operate.condition(sqlite_bench.ledger.queues["cargo"], where)


def test_polls_have_no_versions(sqlite_bench):
    """A condition on versions makes no sense for a queue without them."""
    with pytest.raises(UserError, match="queue pages"):
        operate.condition(sqlite_bench.ledger.queues["pages"], "version=1")


def test_events_are_chosen_by_their_failure(bench):
    """`failure=CODE` chooses by the code of what went wrong; a code that does not exist is the user's mistake."""
    bench.announce("a@1", "b@1", queue="cargo")
    a, b = bench.claim(queue="cargo")
    bench.end([a], Outcome(Code.FAILED, "x", failure=FailureCode.TOO_LARGE))
    bench.end([b], Outcome(Code.FAILED, "x", failure=FailureCode.DNS))
    assert chosen(bench, "failure=too_large") == [str(a)]
    with pytest.raises(UserError, match=r"no such failure: 'huge'; there are: .*too_large"):
        operate.retry(bench.ledger, "cargo", ["failure=huge"])
