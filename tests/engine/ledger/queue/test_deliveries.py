"""Events that kill their workers: counted, taken alone, and given up at the third death."""

from __future__ import annotations

import pytest

from stook.engine.ledger import operate
from stook.engine.ledger.queue.claim.claim import separated
from stook.engine.ledger.queue.token import new_token
from stook.engine.words import Code, Outcome

LEASE = 120
NO_PROCESS = (1 << 22) - 1


def die(bench, queue="pages", limit=50, **more):
    """A worker claims, and dies: its leases run out. Returns what it held."""
    events = bench.claim(limit, queue=queue, **more)
    bench.clock.advance(LEASE)
    return events


def dead_token():
    """A token of this host, by a process that cannot be: its number is larger than the largest."""
    return new_token() | NO_PROCESS << 20


def test_a_lease_that_ran_out_counts(bench):
    """An event that is claimed again, as nobody ended or released it, has had one delivery more."""
    (identity,) = bench.announce("a")
    assert [event.deliveries for event in die(bench)] == [0]
    assert [event.deliveries for event in die(bench)] == [1]
    assert bench.row(identity)["DELIVERIES"] == 1


def test_a_dead_process_counts_once(bench):
    """Whoever finds the worker dead counts; the claim that follows does not count again."""
    (identity,) = bench.announce("a")
    bench.claim()
    bench.put(identity, LEASE=dead_token())
    assert bench.ledger.release_abandoned() == 1
    row = bench.row(identity)
    assert (row["DELIVERIES"], row["PROCESSED"], row["LEASE"]) == (1, 0, None)
    assert [event.deliveries for event in bench.claim()] == [1]


def test_what_is_given_back_does_not_count(bench):
    """Neither an orderly release, nor a claim whose answer got lost, kills anybody."""
    bench.announce("a")
    bench.ledger.release(bench.claim())
    assert [event.deliveries for event in bench.claim()] == [0]
    assert bench.ledger.release_abandoned(ours=[]) == 1
    assert [event.deliveries for event in bench.claim()] == [0]


@pytest.mark.parametrize("outcome", [Outcome(Code.PENDING, delay=0), Outcome(Code.FAILED), Outcome(Code.COMPLETE)])
def test_any_end_clears(bench, outcome):
    """A worker that ended the event has survived it."""
    (identity,) = bench.announce("a")
    die(bench)
    bench.end(bench.claim(), outcome)
    assert bench.row(identity)["DELIVERIES"] == 0


@pytest.mark.parametrize("queue", ["pages", "cargo", "frontier"])
def test_a_suspect_comes_alone(bench, queue):
    """From two deaths on a package is handed out alone, so that the innocent clear themselves; others come as ever."""
    version = "@1" if queue == "cargo" else ""
    more = {"lane": "l"} if queue == "frontier" else {}
    bench.announce(*(f"{name}{version}" for name in "abc"), queue=queue, **more)
    assert len(die(bench, queue)) == 3
    assert len(die(bench, queue)) == 3
    bench.clock.advance(1)
    bench.announce(*(f"{name}{version}" for name in "xyz"), queue=queue, **more)
    alone = [bench.claim(50, queue=queue) for _ in range(3)]
    assert sorted((len(some), some[0].deliveries) for some in alone) == [(1, 2)] * 3
    assert sorted(event.name for some in alone for event in some) == ["a", "b", "c"]
    assert sorted(event.name for event in bench.claim(50, queue=queue)) == ["x", "y", "z"]


def test_all_of_a_suspect_package_come(bench):
    """A suspect package comes whole, with its events that are new."""
    bench.announce("a@1", "b@1", queue="cargo")
    die(bench, "cargo")
    die(bench, "cargo")
    bench.announce("a@2", queue="cargo")
    first, second = (bench.claim(50, queue="cargo") for _ in range(2))
    assert sorted([sorted(map(str, first)), sorted(map(str, second))]) == [["a@1", "a@2"], ["b@1"]]


def test_a_suspect_does_not_wait_for_ever(bench):
    """Events that are always older than it do not keep a suspect from its turn, on lanes and off."""
    bench.announce("https://a.example/", "plain")
    die(bench)
    die(bench)
    for number in range(200):
        bench.announce(f"https://b.example/{number}", f"plain-{number}", "https://a.example/new")
    seen = set()
    for _ in range(60):
        events = bench.claim(9, each=2)
        seen |= {event.name for event in events}
        bench.end(events, Outcome(Code.PENDING, delay=0))
        bench.clock.advance(0.001)
    assert {"https://a.example/", "plain"} <= seen


@pytest.mark.parametrize("queue", ["pages", "cargo", "frontier"])
def test_the_third_death_ends_it(bench, queue):
    """An event that three workers died with is not handed out again; it is given up, with a code and a reason."""
    version = "@1" if queue == "cargo" else ""
    more = {"lane": "l"} if queue == "frontier" else {}
    (identity,) = bench.announce(f"killer{version}", queue=queue, **more)
    for deaths in range(3):
        assert [event.deliveries for event in die(bench, queue)] == [deaths]
    (other,) = bench.announce(f"other{version}", queue=queue, **more)
    assert [event.id for event in bench.claim(queue=queue)] == [other]
    row = bench.row(identity, queue)
    assert (row["PROCESSED"], row["DUE_AT"], row["LAST_CODE"]) == (39, None, "worker_died")
    assert "3 workers died" in row["LAST_ERROR"]


def test_only_the_given_up_are_there(bench):
    """A claim that gives up all it finds looks further at once."""
    bench.announce("killer")
    for _ in range(3):
        die(bench)
    bench.announce("later")
    assert [event.name for event in bench.claim(1)] == ["later"]


def test_revived_events_begin_with_a_clean_slate(bench):
    """An operator, or a new announcement, gives a killer another three workers."""
    (identity,) = bench.announce("a")
    for _ in range(3):
        die(bench)
    assert bench.claim() == []
    operate.revive(bench.ledger, "pages", ["failure=worker_died"])
    assert [event.deliveries for event in bench.claim()] == [0]
    assert bench.row(identity)["DELIVERIES"] == 0


def test_what_a_person_asks_for_begins_afresh(bench):
    """Asking urgently gives an event another three workers, also when the last one has just died with it."""
    bench.announce("a")
    die(bench)
    die(bench)
    bench.announce("a", urgent=True, fresh_for=0.0)
    assert [event.deliveries for event in bench.claim()] == [0]


@pytest.mark.parametrize(("gives_up", "held", "deadly"), [(True, [], ["feed"]), (False, ["feed"], [])])
def test_a_feed_is_never_given_up(gives_up, held, deadly):
    """What killed three workers is given up, but for a feed, without which nothing new would be known."""
    row = (b"", "feed", "", 20, 0, 0, None, 3)
    kept, given_up = separated([row], gives_up=gives_up)
    assert ([each[1] for each in kept], [each[1] for each in given_up]) == (held, deadly)
