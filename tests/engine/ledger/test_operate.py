"""What an operator does to a queue."""

from __future__ import annotations

import pytest

from stook.engine.errors import UserError
from stook.engine.ledger import operate
from stook.engine.words import Code, Outcome


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
    """Resync makes all but held events pending, and tells their visits; what a dead worker left is among them."""
    ids = bench.announce("held", "left", "done", "ready")
    bench.claim(1)
    bench.claim(1)
    bench.put(ids[2], PROCESSED=1, DUE_AT=None)
    held, left = [identity for identity in ids if bench.row(identity)["PROCESSED"] == 20]
    bench.put(left, DUE_AT=bench.now)
    assert operate.resync(bench.ledger, "pages", []) == 3
    events = bench.claim()
    assert all(event.resync for event in events)
    assert {event.id for event in events} == {*ids} - {held}


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
