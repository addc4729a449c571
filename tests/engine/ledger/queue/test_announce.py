"""Enqueueing."""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import Thread
from typing import Any

import msgspec
import pytest

from stook.engine.errors import FailureCode, Refused
from stook.engine.ledger.queue.announce import merged
from stook.engine.words import Announcement, Code, Outcome

OWNED = ("PROCESSED", "DUE_AT", "LEASE", "ATTEMPTS", "LAST_STATUS", "LAST_ERROR", "RESYNC", "LAST_UPDATED", "CREATED")


def ended(bench: Any, code: int, name: str = "a") -> bytes:
    """An event that ended with this code a minute ago."""
    (identity,) = bench.announce(name)
    bench.put(identity, PROCESSED=code, DUE_AT=None, ATTEMPTS=7)
    bench.clock.advance(60)
    return identity


def facts_of(bench: Any, identity: bytes) -> Any:
    packed = bench.row(identity)["FACTS"]
    return msgspec.json.decode(packed) if packed else None


def test_new_events_are_due_now(bench):
    """A new event is pending, due at once, and carries what its announcer told."""
    told = datetime(1969, 7, 20, 20, 17, 40, 123456)
    (identity,) = bench.announce("a", source="seed", timestamp=told, timestamp_raw="1969-07-20T20:17:40.123456789Z")
    row = bench.row(identity)
    assert (row["PROCESSED"], row["DUE_AT"], row["NAME"], row["SOURCE"]) == (0, bench.now, "a", "seed")
    assert (row["TIMESTAMP"], row["TIMESTAMP_RAW"]) == (told, "1969-07-20T20:17:40.123456789Z")
    assert (row["CREATED"], row["LAST_UPDATED"], row["LEASE"], row["ATTEMPTS"]) == (bench.now, bench.now, None, 0)


def test_ids_come_in_the_order_given(bench):
    """Ids are told in the order of the announcements, whatever their queues, and doubles have one id."""
    some = [Announcement("pages", "b"), Announcement("cargo", "a", "1.0.0"), Announcement("pages", "a")]
    ids = bench.ledger.announce([*some, some[0]])
    queues = bench.ledger.queues
    assert ids == [queues[one.queue].id_of(one.name, one.version) for one in [*some, some[0]]]
    assert len({*ids}) == 3


def test_queues_in_one_table_are_apart(bench):
    """The same name in two queues of one table is two events."""
    bench.announce("a")
    bench.announce("a", queue="feeds")
    assert [event.queue for event in bench.claim(queue="feeds")] == ["feeds"]
    assert [event.queue for event in bench.claim(queue="pages")] == ["pages"]


@pytest.mark.parametrize("count", [1, 3, 200])
def test_announcing_again_changes_nothing(bench, count):
    """An event that exists is not touched by a plain announcement, in small batches and large."""
    names = [f"n{number}" for number in range(count)]
    ids = bench.announce(*names)
    before = [bench.row(identity) for identity in ids[:3]]
    bench.clock.advance(60)
    assert bench.announce(*names, "new", source="poll")[:-1] == ids
    assert [bench.row(identity) for identity in ids[:3]] == before


@pytest.mark.parametrize("more", [{}, {"fresh_for": 0.0}, {"urgent": True}, {"facts": {"wait": True}}])
def test_held_events_stay_with_their_worker(bench, more):
    """No announcement touches what the worker of a held event owns."""
    (identity,) = bench.announce("a")
    (event,) = bench.claim()
    before = bench.row(identity)
    bench.clock.advance(60)
    bench.announce("a", **more)
    after = bench.row(identity)
    assert {name: after[name] for name in OWNED} == {name: before[name] for name in OWNED}
    assert bench.end([event]).lost == 0


@pytest.mark.parametrize(
    ("more", "facts"),
    [
        ({"resync": True}, {"why": "told"}),
        ({"urgent": True, "facts": {"collect": True}}, {"why": "told", "collect": True}),
    ],
)
def test_what_is_news_to_the_worker_of_a_held_event_takes_it(bench, more, facts):
    """What the user asks for is not lost on an event that a worker holds, who knows nothing of it: it begins anew."""
    (identity,) = bench.announce("a", facts={"why": "told"})
    held = bench.claim()
    bench.announce("a", **more)
    assert bench.end(held).lost == 1
    (event,) = bench.claim()
    assert (event.resync, event.urgent) == (more.get("resync", False), more.get("urgent", False))
    assert {key: value for key, value in event.facts.items() if key != "SOURCE"} == facts
    assert bench.end([event]).lost == 0
    assert bench.row(identity)["PROCESSED"] == 1


def test_urgent_takes_no_held_event_that_knows_its_facts(bench):
    """Asked for again in the same words, an event stays with the worker that is at it."""
    bench.announce("a", facts={"why": "told"})
    held = bench.claim()
    bench.announce("a", urgent=True, fresh_for=0.0, facts={"why": "told"})
    assert bench.end(held).lost == 0


@pytest.mark.parametrize("code", [5, 39])
def test_terminal_events_are_revived(bench, code):
    """Announced again, an event that was not found or given up starts anew."""
    identity = ended(bench, code)
    bench.announce("a")
    row = bench.row(identity)
    assert (row["PROCESSED"], row["DUE_AT"], row["ATTEMPTS"]) == (0, bench.now, 0)


@pytest.mark.parametrize("code", [1, 2, 3, 6])
def test_ended_events_stay_ended(bench, code):
    """A plain announcement wakes nothing that came to a good or final end."""
    identity = ended(bench, code)
    bench.announce("a")
    assert (bench.row(identity)["PROCESSED"], bench.row(identity)["DUE_AT"]) == (code, None)


@pytest.mark.parametrize(
    ("code", "fresh_for", "wakes"),
    [
        (1, 61.0, False),
        (1, 60.0, True),
        (1, 0.0, True),
        (3, 0.0, True),
        (3, 61.0, False),
        (2, 0.0, False),
        (6, 0.0, True),
    ],
)
def test_fresh_for_wakes_what_is_older(bench, code, fresh_for, wakes):
    """`fresh_for` wakes what was completed so long ago or longer; 0 wakes it at once."""
    identity = ended(bench, code)
    bench.announce("a", fresh_for=fresh_for)
    assert (bench.row(identity)["DUE_AT"] == bench.now) is wakes


def test_fresh_for_nothing_wakes_within_the_same_moment(bench):
    """`fresh_for=0` wakes an event that was completed just now, even where the clock stands still or went back."""
    (identity,) = bench.announce("a")
    bench.put(identity, PROCESSED=1, DUE_AT=None, LAST_UPDATED=bench.now + timedelta(hours=1))
    bench.announce("a", fresh_for=0.0)
    assert bench.row(identity)["PROCESSED"] == 0


@pytest.mark.parametrize("code", [0, 30, 38])
def test_urgent_cuts_a_wait_short(bench, code):
    """An urgent announcement brings a waiting event in front of all that is due."""
    (identity,) = bench.announce("z")
    bench.put(identity, PROCESSED=code, DUE_AT=bench.later(3600))
    bench.announce("a", "b")
    bench.announce("z", urgent=True)
    events = bench.claim(1)
    assert [(event.name, event.urgent) for event in events] == [("z", True)]


def test_plain_announcements_do_not_cut_waits(bench):
    """Whoever waits for a retry goes on waiting."""
    (identity,) = bench.announce("a")
    bench.put(identity, PROCESSED=31, DUE_AT=bench.later(3600))
    bench.announce("a", fresh_for=0.0)
    assert (bench.row(identity)["PROCESSED"], bench.row(identity)["DUE_AT"]) == (31, bench.later(3600))


@pytest.mark.parametrize("code", [0, 1, 3, 5, 30, 39])
def test_resync_is_told_to_the_visit(bench, code):
    """A resync wakes the event and tells its visit."""
    ended(bench, code)
    bench.announce("a", resync=True)
    assert [event.resync for event in bench.claim()] == [True]


def test_resync_lasts_until_success(bench):
    """RESYNC survives failures and goes with success."""
    (identity,) = bench.announce("a", resync=True)
    bench.end(bench.claim(), Code.FAILED)
    assert bench.row(identity)["RESYNC"] == 1
    bench.put(identity, DUE_AT=bench.now)
    bench.end(bench.claim(), Code.COMPLETE)
    assert bench.row(identity)["RESYNC"] == 0


def test_facts_reach_the_visit(bench):
    """What was told at the announcement is in the event's facts, with its announcer."""
    bench.announce("a", source="x-lock", facts={"lock_tags": {"x": ["v1"]}})
    (event,) = bench.claim()
    assert event.facts == {"SOURCE": "x-lock", "lock_tags": {"x": ["v1"]}}


def test_facts_are_merged(bench):
    """Facts of later announcements are joined, also within one batch and with what is stored."""
    (identity,) = bench.announce("a", facts={"tags": {"x": [1]}, "n": 1})
    two = [{"tags": {"y": [2]}}, {"tags": {"z": [3]}, "n": 2}]
    bench.ledger.announce([Announcement("pages", "a", facts=facts) for facts in two])
    assert facts_of(bench, identity) == {"tags": {"x": [1], "y": [2], "z": [3]}, "n": 2}
    bench.announce("a")
    assert facts_of(bench, identity) == {"tags": {"x": [1], "y": [2], "z": [3]}, "n": 2}


def test_merging_is_recursive():
    """Dictionaries are joined at every depth; anything else is replaced by the newer."""
    assert merged({"a": {"b": {"c": 1}}, "d": [1]}, {"a": {"b": {"e": 2}}, "d": [2]}) == {
        "a": {"b": {"c": 1, "e": 2}},
        "d": [2],
    }


def test_facts_of_many_announcers_add_up(shared_bench):
    """Announcers at the same time lose none of each other's facts."""
    bench = shared_bench
    (identity,) = bench.announce("a")

    def tell(name: str) -> None:
        for number in range(10):
            bench.announce("a", facts={"tags": {f"{name}{number}": 1}})

    threads = [Thread(target=tell, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(facts_of(bench, identity)["tags"]) == 30


def test_nothing_to_announce(bench):
    """No announcements, no rows."""
    assert bench.ledger.announce([]) == []


def test_postponed_events_may_be_announced(bench):
    """An event that its visit wants to see later stays where it is."""
    (identity,) = bench.announce("a")
    bench.end(bench.claim(), Outcome(Code.PENDING, delay=300))
    bench.announce("a")
    assert bench.row(identity)["DUE_AT"] == bench.later(300)


@pytest.mark.parametrize(("hours", "wakes"), [(-1, False), (0, False), (1, True)])
def test_an_announcement_with_a_moment_revives_what_is_older(bench, hours, wakes):
    """One that says when it happened revives only what happened before: one rule with feeds."""
    moment = bench.later(-86400)
    (identity,) = bench.announce("a", timestamp=moment)
    bench.put(identity, PROCESSED=5, DUE_AT=None)
    bench.announce("a", timestamp=moment + timedelta(hours=hours))
    assert (bench.row(identity)["PROCESSED"] == 0) is wakes


def test_names_longer_than_their_column_are_refused(bench):
    """On every engine alike, whatever its columns would take, and nothing is enqueued."""
    for name in ("x" * 513, "https://a.example/" + "x" * 500):
        with pytest.raises(Refused) as caught:
            bench.announce("good", name)
        assert caught.value.code is FailureCode.TOO_LARGE
    assert bench.claim() == []
