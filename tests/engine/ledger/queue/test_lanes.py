"""Claims by lane: so many lanes, so many events each, and no event that no claim ever sees."""

from __future__ import annotations

import random
from collections import Counter
from threading import Barrier, Thread

import pytest
import sqlalchemy as sa

from stook.engine.errors import FailureCode, Refused
from stook.engine.ledger import Queue, operate
from stook.engine.ledger.queue.announce import announce_all
from stook.engine.ledger.queue.claim import ClaimTerms
from stook.engine.ledger.queue.claim import claim as take
from stook.engine.ledger.queue.lanes import lane_of, wake_lanes
from stook.engine.ledger.queue.settle import settle
from stook.engine.ledger.schema import POLL, QUEUE_LANE
from stook.engine.words import Announcement, Code, Outcome
from stook.registries.cargo.tables import RUST_LIST

LEASE = 120


def fill(bench, **counts):
    """So many events on each lane, those of a lane due at one moment; returns ids by lane."""
    return {
        lane: bench.ledger.announce([Announcement("frontier", f"{lane}/{n}", lane=lane) for n in range(count)])
        for lane, count in counts.items()
    }


def claim(bench, limit=10, **more):
    """The lanes of a claim's events, with how many came from each."""
    return Counter(event.lane for event in bench.claim(limit, queue="frontier", **more))


def drain(bench, queue="frontier", **more):
    """All that claims reach, without any time passing."""
    found = []
    while some := bench.claim(7, queue=queue, **more):
        found += some
    return found


def asleep(bench, queue="frontier"):
    """Events that are due, though their lane is asleep."""
    table = bench.ledger.queues[queue].table
    with bench.ledger.reading() as connection:
        due = sa.select(table.c["ID"], table.c["LANE"]).where(table.c["DUE_AT"] <= bench.now, table.c["LANE"] != "")
        lanes = sa.select(QUEUE_LANE.c["LANE"]).where(
            QUEUE_LANE.c["QUEUE"] == queue, QUEUE_LANE.c["NEXT_AT"] <= bench.now
        )
        awake = set(connection.execute(lanes).scalars())
        return [identity for identity, lane in connection.execute(due) if lane not in awake]


@pytest.mark.parametrize(
    ("name", "lane", "expected"),
    [
        ("https://A.Example/1", "", "a.example"),
        ("HTTP://a.example:8080/1", "", "a.example"),
        ("https://user@a.example/", "", "a.example"),
        ("https://[::1]/x", "", "::1"),
        ("https://a.example/1", "mine", "mine"),
        ("serde", "", ""),
        ("ftp://a.example/", "", ""),
        ("https://", "", ""),
        ("https://[broken/", "", ""),
        ("http:a.example", "", ""),
        (f"https://{'a' * 300}.example/", "", ""),
        ("https://ä.example/", "", ""),
    ],
)
def test_the_lane_of_an_event(name, lane, expected):
    """The announced lane; else the host of a web address, in lower case; else none."""
    assert lane_of(Announcement("pages", name, lane=lane)) == expected


def test_a_lane_that_is_too_long_is_refused(bench):
    """Every engine refuses it alike, with a code."""
    with pytest.raises(Refused) as caught:
        bench.announce("a", lane="x" * 256)
    assert caught.value.code is FailureCode.TOO_LARGE


def test_so_many_lanes_so_many_events_each(bench):
    """A claim takes `each` events from a lane, and goes on with the next lane until it has enough."""
    fill(bench, a=10, b=10, c=10, d=2)
    assert claim(bench, 8, each=3) == {"a": 3, "b": 3, "c": 2}
    assert claim(bench, 8, each=3)["d"] == 2


def test_room_says_how_many_more(bench):
    """Of a lane that is named come so many at most, from an empty one none; of the others `each`."""
    fill(bench, a=10, b=10, c=10, d=10)
    assert claim(bench, 100, each=3, room={"a": 0, "b": 1, "c": 7}) == {"b": 1, "c": 7, "d": 3}


def test_lanes_without_room_hide_nothing(bench):
    """However many lanes are full, those behind them are seen."""
    fill(bench, **{f"full{number:03}": 2 for number in range(150)}, last=1)
    room = {f"full{number:03}": 0 for number in range(150)}
    assert claim(bench, 10, room=room) == {"last": 1}


def test_a_small_lane_beside_a_large_one(bench):
    """A lane with one event is served though another has very many, older and before it in every order."""
    fill(bench, aaa=500)
    bench.clock.advance(5)
    fill(bench, zzz=1)
    assert claim(bench, 10, each=5) == {"aaa": 5, "zzz": 1}


def test_lanes_take_turns(bench):
    """Each lane comes once before any comes again, also while the clock stands still."""
    lanes = [f"lane{number:02}" for number in range(12)]
    fill(bench, **dict.fromkeys(lanes, 9))
    for _ in range(3):
        seen = [lane for _ in range(4) for lane in claim(bench, 3, each=1)]
        assert sorted(seen) == lanes
    bench.clock.advance(1)
    assert sorted(lane for _ in range(4) for lane in claim(bench, 3, each=1)) == lanes


def test_a_lane_that_gave_goes_to_the_end_of_the_line(bench):
    """However old the events are that a lane has left, those that waited meanwhile come before it."""
    fill(bench, a=20)
    bench.clock.advance(5)
    fill(bench, b=2)
    bench.clock.advance(5)
    assert [claim(bench, 2, each=2) for _ in range(3)] == [{"a": 2}, {"b": 2}, {"a": 2}]


def test_urgent_events_go_first(bench):
    """A lane with an urgent event is first in line, and the event first on its lane."""
    fill(bench, a=5, b=5, c=5)
    bench.announce("c/3", queue="frontier", lane="c", urgent=True)
    (event,) = bench.claim(1, queue="frontier")
    assert (event.name, event.urgent, event.lane) == ("c/3", True, "c")


def test_events_come_with_their_lane_and_facts(bench):
    """The event knows its lane, whatever it was announced with later."""
    bench.announce("u", queue="frontier", lane="first", facts={"DEPTH": 3})
    bench.announce("u", queue="frontier", lane="second", urgent=True)
    (event,) = bench.claim(queue="frontier")
    assert (event.lane, event.facts) == ("first", {"DEPTH": 3})


@pytest.mark.parametrize("end", ["release", "at once", "dead", "lease", "retry", "resync"])
def test_what_is_due_again_is_seen_again(bench, end):
    """However an event comes to be due again, its lane is awake then."""
    ids = fill(bench, a=1)["a"]
    events = bench.claim(queue="frontier")
    assert claim(bench) == {}
    match end:
        case "release":
            bench.ledger.release(events)
        case "at once":
            bench.end(events, Outcome(Code.PENDING, delay=0))
        case "dead":
            bench.ledger.release_abandoned(ours=[])
        case "lease":
            bench.clock.advance(LEASE)
        case "retry":
            bench.end(events, Outcome(Code.PENDING, delay=9999))
            assert claim(bench) == {}
            operate.retry(bench.ledger, "frontier", [])
        case "resync":
            bench.end(events)
            assert claim(bench) == {}
            operate.resync(bench.ledger, "frontier", [])
    assert asleep(bench) == []
    assert [event.id for event in bench.claim(queue="frontier")] == ids


def test_a_wait_ends_at_its_time(bench):
    """A lane whose only event waits is looked at when the wait is over, and not before."""
    fill(bench, a=1)
    bench.end(bench.claim(queue="frontier"), Outcome(Code.PENDING, delay=50))
    assert bench.ledger.next_due(["frontier"]) == bench.later(50)
    bench.clock.advance(49)
    assert claim(bench) == {}
    bench.clock.advance(1)
    assert claim(bench) == {"a": 1}


def test_renewed_events_stay_held(bench):
    """A lane is looked at when the first lease would have ended, finds the renewed event held, and waits on."""
    fill(bench, a=1)
    events = bench.claim(queue="frontier")
    bench.clock.advance(100)
    bench.ledger.renew(events)
    bench.clock.advance(100)
    assert claim(bench) == {}
    bench.clock.advance(20)
    assert claim(bench) == {"a": 1}


def test_rows_set_by_hand_are_found(bench):
    """What an operator makes due by SQL, behind the ledger's back, is found by a later claim all the same."""
    (identity,) = fill(bench, a=1)["a"]
    bench.end(bench.claim(queue="frontier"))
    bench.clock.advance(60)
    assert claim(bench) == {}
    bench.put(identity, queue="frontier", PROCESSED=0, RESYNC=1, DUE_AT=bench.now)
    for _ in range(3):
        claim(bench)
        bench.clock.advance(11)
    assert asleep(bench) == []
    assert bench.row(identity, "frontier")["PROCESSED"] == 20


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_events_without_a_lane_share_a_queue(bench, limit):
    """In one queue neither the events without a lane starve those on lanes, nor the other way round."""
    many = [f"plain{number}" for number in range(40)]
    bench.announce(*many, *(f"https://{host}.example/{number}" for host in "ab" for number in range(20)))
    first = [event.lane for _ in range(20 // limit) for event in bench.claim(limit)]
    assert {"", "a.example", "b.example"} == set(first)
    assert len(first) + len(drain(bench, "pages")) == 80


def test_room_for_events_without_a_lane(bench):
    """The empty name is theirs."""
    bench.announce("p", "q", "https://a.example/")
    assert [event.name for event in bench.claim(room={"": 0})] == ["https://a.example/"]
    assert len(bench.claim(room={"": 1})) == 1


def test_queues_of_one_table_have_lanes_of_their_own(bench):
    """The lanes of one queue are nothing to another."""
    bench.announce("https://a.example/", queue="feeds")
    assert bench.claim(queue="pages") == []
    assert len(bench.claim(queue="feeds")) == 1


def test_a_lane_may_hold_what_others_finished(bench):
    """A claim goes past any number of lanes in which nothing is due any more."""
    for number in range(1200):
        bench.announce(f"x{number}", queue="frontier", lane=f"lane{number:04}")
    while events := bench.claim(300, queue="frontier"):
        bench.end(events)
    bench.clock.advance(LEASE)  # each lane is to be looked at once more
    fill(bench, zzz=1)
    assert claim(bench) == {"zzz": 1}


def test_versions_have_no_lanes():
    """A package has to stay whole, and cannot be on several lanes."""
    with pytest.raises(ValueError, match="whole"):
        Queue("q", "version", RUST_LIST, "CRATE_NAME", "VERSION", has_lanes=True)


@pytest.mark.parametrize("seed", range(8))
def test_no_due_event_is_out_of_reach(bench, seed):
    """Whatever is done in whatever order: when an event is due its lane is awake, and claims reach every event."""
    dice = random.Random(seed)
    lanes, held = [f"lane{number}" for number in range(6)], []

    def some():
        chosen = dice.sample(held, min(len(held), dice.randrange(1, 9)))
        held[:] = [event for event in held if event not in chosen]
        return chosen

    def end():
        events = some()
        outcomes = (
            Outcome(Code.COMPLETE),
            Outcome(Code.NOT_FOUND),
            Outcome(Code.FAILED),
            Outcome(Code.PENDING, delay=dice.choice([0, 5, 500])),
            Outcome(Code.PENDING, delay=30, is_afresh=True),
        )
        for event in events:
            more = [announcement() for _ in range(dice.randrange(3))]
            bench.end([event], dice.choice(outcomes), announcements=more)

    def announcement():
        lane = dice.choice(lanes)
        flags = {"urgent": dice.random() < 0.2, "resync": dice.random() < 0.2}
        fresh_for = dice.choice([None, None, 0.0, 60.0])
        return Announcement("frontier", f"{dice.randrange(40)}", lane=lane, fresh_for=fresh_for, **flags)

    def hold():
        room = {lane: dice.randrange(3) for lane in lanes if dice.random() < 0.3}
        held.extend(bench.claim(dice.randrange(1, 12), queue="frontier", each=dice.randrange(1, 5), room=room))

    actions = [
        lambda: bench.ledger.announce([announcement() for _ in range(dice.randrange(1, 12))]),
        hold,
        hold,
        end,
        end,
        lambda: bench.ledger.release(some()),
        lambda: bench.ledger.renew(held),
        lambda: bench.clock.advance(dice.choice([0.001, 1, 45, 130, 40_000])),
        lambda: bench.ledger.release_abandoned(ours={event.lease for event in held}),
        lambda: operate.retry(bench.ledger, "frontier", []),
        lambda: operate.revive(bench.ledger, "frontier", []),
        lambda: operate.resync(bench.ledger, "frontier", [f"name={dice.randrange(10)}*"]),
    ]
    for _ in range(60):
        dice.choice(actions)()
        assert asleep(bench) == []
    drain(bench)
    with bench.ledger.reading() as connection:
        table = bench.ledger.queues["frontier"].table
        left = connection.execute(sa.select(table.c["URL"]).where(table.c["DUE_AT"] <= bench.now)).scalars().all()
    assert left == []


@pytest.mark.parametrize("is_flushed", [False, True])
def test_a_claim_beside_an_announcement(shared_bench, is_flushed):
    """An event that is announced while a claim empties its lane is seen by the next claim, wherever the two meet."""
    bench = shared_bench
    fill(bench, a=1)
    with bench.ledger.transaction() as transaction:
        announce_all(transaction, bench.ledger.queues, [Announcement("frontier", "new", lane="a")], bench.now)
        if is_flushed:
            wake_lanes(transaction)  # the lane is locked: a claim passes it over
        first = claim(bench)
    assert first == ({} if is_flushed else {"a": 1})
    assert asleep(bench) == []
    assert "new" in {event.name for event in drain(bench)}


@pytest.mark.parametrize("is_flushed", [False, True])
def test_a_claim_beside_a_visit_that_ends(shared_bench, is_flushed):
    """A visit that puts its event back while a claim looks at the lane leaves no event behind a sleeping lane."""
    bench = shared_bench
    fill(bench, a=1)
    events = bench.claim(queue="frontier")
    fill(bench, a=2)
    with bench.ledger.transaction() as transaction:
        ends = [(event, Outcome(Code.PENDING, delay=1)) for event in events]
        settle(transaction, bench.ledger.queues["frontier"], ends, bench.now)
        if is_flushed:
            wake_lanes(transaction)
        claim(bench)
    bench.clock.advance(1)
    assert asleep(bench) == []
    assert "a/0" in {event.name for event in drain(bench)}


def test_workers_take_different_lanes(shared_bench):
    """While one claim is under way another takes other lanes."""
    bench = shared_bench
    fill(bench, a=4, b=4, c=4, d=4)
    queue, end = bench.ledger.queues["frontier"], bench.later(LEASE)
    with bench.ledger.transaction() as transaction:
        events = take(transaction, ClaimTerms(queue, bench.now, bench.now, end, limit=8, look=8, each=4)).events
        assert Counter(event.lane for event in events) == {"a": 4, "b": 4}
        assert claim(bench, 8) == {"c": 4, "d": 4}


def test_many_workers_at_once(shared_bench):
    """Workers that claim, end and announce at the same time look at every event, each exactly once."""
    bench = shared_bench
    for host in range(20):
        bench.announce(*(f"https://h{host}.example/{number}" for number in range(10)))
    barrier, done, lock = Barrier(4), Counter(), []

    def work(worker: int) -> None:
        barrier.wait()
        while events := patiently(lambda: bench.claim(9, each=2)):
            for event in events:
                more = [Announcement("pages", f"{event.name}/more")] if "more" not in event.name else []
                if patiently(lambda event=event, more=more: bench.end([event], announcements=more)).ends:
                    done[event.name] += 1
                    lock.append(worker)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for event in drain(bench, "pages"):  # one that another had locked for a moment
        done[event.name] += 1
    rest = sa.select(sa.func.count()).where(POLL.c["PROCESSED"] == 0)
    with bench.ledger.reading() as connection:
        assert connection.execute(rest).scalar_one() == 0
    assert set(done.values()) == {1}
    assert len(done) >= 200
    assert asleep(bench, "pages") == []


def patiently(action):
    """As the loop does: a deadlock is rolled back as a whole, and tried again."""
    while True:
        try:
            return action()
        except sa.exc.OperationalError:
            continue
