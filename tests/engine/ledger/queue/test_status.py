"""Where events stand."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from stook.engine.ledger.operate import queue_status, retry
from stook.engine.words import Code, Outcome


def test_standing_tells_each_event(bench):
    """Pending, held, waiting and ended events are told apart; unknown ids are left out."""
    ids = bench.announce("held", "failed", "gone", "ready")
    for identity in (ids[0], ids[1], ids[2]):
        bench.put(identity, DUE_AT=bench.later(-10))
    events = {event.name: event for event in bench.claim(3)}
    bench.end([events["failed"]], Outcome(Code.FAILED, "why"))
    bench.end([events["gone"]], Code.NOT_FOUND)
    standing = {one.name: one for one in bench.ledger.states("pages", [*ids, b"x" * 24])}
    assert {name: (one.processed, one.is_held, one.last_error) for name, one in standing.items()} == {
        "held": (20, True, None),
        "failed": (30, False, "why"),
        "gone": (5, False, None),
        "ready": (0, False, None),
    }
    assert standing["held"].due_at == bench.now + bench.ledger.lease
    assert {one.name: one.id for one in standing.values()}["ready"] == ids[3]


def test_next_due_is_the_soonest(bench):
    """The soonest of all given queues, held and waiting events among them; None when nothing waits."""
    assert bench.ledger.next_due(["pages", "cargo"]) is None
    (page,) = bench.announce("a")
    (listed,) = bench.announce("a@1", queue="cargo")
    bench.put(page, DUE_AT=bench.later(50))
    bench.put(listed, queue="cargo", DUE_AT=bench.later(40))
    bench.announce("earlier", queue="feeds")
    assert bench.ledger.next_due(["pages", "cargo"]) == bench.later(40)
    assert bench.ledger.next_due(["pages"]) == bench.later(50)
    bench.put(page, DUE_AT=None)
    assert bench.ledger.next_due(["pages"]) is None


@pytest.mark.parametrize(("text", "is_due"), [("now", False), ("2461375.2", False), ("1764521600", True), ("", True)])
def test_what_is_no_time_stops_nobody(sqlite_bench, text, is_due):
    """A DUE_AT that an operator's SQL made no time, which SQLite lets pass, is always due, or never."""
    bench = sqlite_bench
    bench.announce("a")
    with bench.ledger.transaction() as transaction:
        transaction.execute(sa.text("UPDATE TB_CRAWLER_POLL SET DUE_AT = :text"), {"text": text})
    first, status = bench.ledger.next_due(["pages"]), queue_status(bench.ledger, "pages")
    assert (first is not None and first <= bench.now, status.oldest is not None, len(bench.claim())) == (
        is_due,
        is_due,
        is_due,
    )


def test_what_is_put_off_for_ever_is_never_due(shared_bench):
    """On PostgreSQL an operator may set DUE_AT to infinity, which no Python time can be."""
    bench = shared_bench
    if bench.ledger.dialect.name != "postgresql":
        pytest.skip("only PostgreSQL has an infinity")
    first, _ = bench.announce("a", "b")
    with bench.ledger.transaction() as transaction:
        transaction.execute(sa.text("UPDATE TB_CRAWLER_POLL SET DUE_AT = 'infinity' WHERE NAME = 'a'"))
    bench.end(bench.claim())
    assert bench.ledger.next_due(["pages"]) is None
    assert queue_status(bench.ledger, "pages").waiting == 1
    assert retry(bench.ledger, "pages", []) == 1
    assert [event.id for event in bench.claim()] == [first]
