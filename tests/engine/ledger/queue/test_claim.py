"""Taking due events."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
import sqlalchemy as sa

from stook.engine.ledger import poll_queue
from stook.engine.ledger.feeds import write_cursors
from stook.engine.ledger.schema import STATUS
from stook.engine.words import Code, Cursor, Outcome


def names(events):
    return [str(event) for event in events]


def test_a_claim_holds(bench):
    """A claimed event carries its row, is held until the lease ends, and cannot be claimed again before."""
    (identity,) = bench.announce("a")
    (event,) = bench.claim()
    row = bench.row(identity)
    assert (event.id, event.queue, event.kind, event.name, event.version) == (identity, "pages", "page", "a", "")
    assert (row["PROCESSED"], row["DUE_AT"], row["LEASE"]) == (20, bench.now + bench.ledger.lease, event.lease)
    assert (event.processed, event.attempts, event.resync, event.urgent) == (20, 0, False, False)
    bench.clock.advance(bench.ledger.lease.total_seconds() - 1)
    assert bench.claim() == []


def test_the_longest_due_come_first(bench):
    """Events come in the order in which they became due, as many as asked for."""
    for name in ("c", "a", "b"):
        bench.announce(name)
        bench.clock.advance(1)
    assert names(bench.claim(2)) == ["c (page)", "a (page)"]
    assert names(bench.claim(2)) == ["b (page)"]


def test_what_is_not_due_is_not_claimed(bench):
    """Neither later nor finished events are claimed; the very moment counts as due."""
    ids = bench.announce("now", "later", "never")
    bench.put(ids[1], DUE_AT=bench.later(0.000001))
    bench.put(ids[2], DUE_AT=None, PROCESSED=1)
    assert names(bench.claim()) == ["now (page)"]


def test_urgent_events_come_first(bench):
    """Urgent events overtake all others, oldest first among themselves."""
    bench.announce("a", "b")
    for name in ("u", "t"):
        bench.clock.advance(1)
        bench.announce(name, urgent=True)
    assert [(event.name, event.urgent) for event in bench.claim(3)][:2] == [("u", True), ("t", True)]


@pytest.mark.parametrize(("before", "after"), [(0, 20), *((rung, rung - 9) for rung in range(30, 39)), (24, 24)])
def test_held_codes_remember_the_rung(bench, before, after):
    """20 is held from pending, 21 to 29 from the rungs; whoever takes over from the dead keeps the number."""
    (identity,) = bench.announce("a")
    bench.put(identity, PROCESSED=before)
    (event,) = bench.claim()
    assert (event.processed, bench.row(identity)["PROCESSED"]) == (after, after)


def test_expired_leases_are_retaken(bench):
    """When the lease has run out another worker gets the event, under another token."""
    bench.announce("a")
    (first,) = bench.claim()
    bench.clock.advance(bench.ledger.lease.total_seconds())
    (second,) = bench.claim()
    assert first.id == second.id
    assert first.lease != second.lease


def test_packages_stay_whole(bench):
    """All due events of a package are claimed together, though only some were in the range."""
    bench.announce("a@1", "b@1", "a@2", "b@2", "c@1", "a@3", queue="cargo")
    first = bench.claim(3, queue="cargo")
    whole = {"a": 3, "b": 2, "c": 1}
    assert {event.name for event in first}
    for name in {event.name for event in first}:
        assert sum(event.name == name for event in first) == whole[name]
    assert len(first) <= 3
    rest = [event for _ in range(3) for event in bench.claim(3, queue="cargo")]
    assert len({event.id for event in [*first, *rest]}) == 6


def test_a_claim_looks_at_no_more_than_it_needs(bench):
    """Where packages have several events far apart, later claims look at, and lock, fewer rows; never too few."""
    for version in range(5):
        bench.announce(*(f"crate-{number}@1.{version}.0" for number in range(40)), queue="cargo")
        bench.clock.advance(1)
    looks = []

    def note(connection, cursor, statement, parameters, *more):
        if "LIMIT" in statement:
            place = -2 if "OFFSET" in statement else -1  # which SQLAlchemy writes for SQLite
            looks.append(parameters["look"] if isinstance(parameters, dict) else parameters[place])

    sa.event.listen(bench.ledger.engine, "before_cursor_execute", note)
    claims = [bench.claim(50, "cargo") for _ in range(4)]
    # Of the first 50 rows 20 are of the ten packages that fit; of the next 20 ten are.
    assert looks == [50, 20, 10, 10]
    for some in claims:
        assert (len(some), len({one.name for one in some})) == (50, 10)  # all five of each
    assert bench.claim(50, "cargo") == []


def test_a_large_package_comes_alone(bench):
    """A package with more events than asked for comes as a whole, and alone."""
    bench.announce(*(f"big@{number}" for number in range(12)), queue="cargo")
    bench.clock.advance(1)
    bench.announce("small@1", queue="cargo")
    assert len(bench.claim(5, queue="cargo")) == 12
    assert names(bench.claim(5, queue="cargo")) == ["small@1"]


def test_a_package_keeps_what_is_not_due(bench):
    """Only due events of the package are taken."""
    ids = bench.announce("a@1", "a@2", "a@3", queue="cargo")
    bench.put(ids[1], queue="cargo", DUE_AT=bench.later(60))
    assert names(bench.claim(queue="cargo")) in (["a@1", "a@3"], ["a@3", "a@1"])


def patiently(action):
    """As the loop does: a deadlock is rolled back as a whole, and tried again."""
    while True:
        try:
            return action()
        except sa.exc.OperationalError:
            continue


def test_claimers_share_no_event(shared_bench):
    """Many claimers at once get every event, each exactly once; a deadlock costs another try, and no event."""
    bench = shared_bench
    bench.announce(*(f"n{number}" for number in range(400)))
    bench.announce(*(f"p{number % 40}@{number}" for number in range(400)), queue="cargo")
    barrier, got = Barrier(4), []

    def work() -> None:
        barrier.wait()
        for queue in ("pages", "cargo"):
            while some := patiently(lambda queue=queue: bench.claim(17, queue=queue)):
                got.extend(some)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What one claimer had locked for a moment and left, a later look finds.
    got += [event for queue in ("pages", "cargo") for _ in range(100) for event in bench.claim(17, queue=queue)]
    assert len(got) == 800
    assert len({event.id for event in got}) == 800


def test_claimers_on_sqlite_share_no_event(sqlite_bench):
    """Two claimers on one SQLite file wait for each other, and share nothing."""
    bench = sqlite_bench
    bench.announce(*(f"n{number}" for number in range(200)))
    got = []

    def work() -> None:
        while some := bench.claim(7):
            got.extend(some)

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == len({event.id for event in got}) == 200


def test_attempts_are_told(bench):
    """The visit's events know how often they were tried."""
    (identity,) = bench.announce("a")
    bench.end(bench.claim(), Outcome(Code.PENDING, "Unavailable: HTTP 500", 500, delay=0))
    (event,) = bench.claim()
    assert (event.attempts, bench.row(identity)["LAST_STATUS"]) == (1, 500)


@pytest.mark.parametrize(
    "pair", [("serde_json", "serde-json"), ("Inflector", "inflector"), ("a", "a "), ("a", "A"), ("a", "a\t")]
)
def test_names_are_bytes(bench, pair):
    """Case, separators and trailing blanks tell packages apart, in ids and in every look-up by name."""
    bench.announce(*(f"{name}@1" for name in pair), queue="cargo")
    events = bench.claim(queue="cargo")
    assert sorted(event.name for event in events) == sorted(pair)
    for name in pair:
        bench.announce(f"{name}@2", queue="cargo")
        assert [event.name for event in bench.claim(1, queue="cargo")] == [name]


def test_versions_are_bytes(bench):
    """`1.0.0-rc.1` and `1.0.0-RC.1` are two versions."""
    ids = bench.announce("a@1.0.0-rc.1", "a@1.0.0-RC.1", queue="cargo")
    assert ids[0] != ids[1]
    assert sorted(names(bench.claim(queue="cargo"))) == ["a@1.0.0-RC.1", "a@1.0.0-rc.1"]


def test_rows_with_ids_of_others_are_claimed(bench):
    """Rows whose ids were not made of their names are events all the same, and hide none behind them."""
    ids = bench.announce("a@1", "a@2", "b@1", "b@2", "c@1", queue="cargo")
    for identity, name in zip(ids[1:4], ("a", "x", "x"), strict=True):
        strange = bytes(reversed(identity))
        bench.put(identity, queue="cargo", ID=strange, CRATE_NAME=name, DUE_AT=bench.later(-60))
    claims = [names(bench.claim(2, queue="cargo")) for _ in range(6)]
    assert sorted(name for some in claims for name in some) == ["a@1", "a@2", "c@1", "x@1", "x@2"]


@pytest.mark.parametrize("facts", ["not json", "[1]", '"text"', "7", "null", '{"cut": '])
def test_facts_that_others_wrote_stop_nobody(sqlite_bench, facts):
    """An event whose facts are no JSON object is claimed without any, and the next announcement writes new ones."""
    bench = sqlite_bench
    identity, _ = bench.announce("a", "b")
    bench.put(identity, FACTS=facts)
    assert sorted((event.name, *event.facts) for event in bench.claim()) == [("a", "SOURCE"), ("b", "SOURCE")]
    bench.announce("a", facts={"why": "told"})
    assert bench.row(identity)["FACTS"] == '{"why":"told"}'


def test_a_boundary_that_others_wrote_stops_nobody(sqlite_bench):
    """A cursor whose boundary cannot be read is one without a boundary: what stands there is looked at again."""
    queue = poll_queue("feeds", "feed", has_cursor=True)
    sqlite_bench.ledger.queues["feeds"] = queue
    key = queue.cursor_key("a")
    sqlite_bench.announce("a", queue="feeds")
    with sqlite_bench.ledger.transaction() as transaction:
        write_cursors(transaction, [Cursor(key, "5", ["x"])], sqlite_bench.now)
        transaction.execute(sa.update(STATUS).values(BOUNDARY="not json"))
    (event,) = sqlite_bench.claim(queue="feeds")
    assert event.facts["cursor"] == sqlite_bench.ledger.cursor(key) == Cursor(key, "5")
