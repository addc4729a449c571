"""Announcing a feed: new events become rows, and what is known is hardly touched, with lanes and without."""

from __future__ import annotations

from datetime import timedelta

import pytest

from stook.engine.ledger.queue.bulk import FeedEvent, announce_in_bulk


def feed(bench, *names, queue="frontier", hours=0, constants=None, **more):
    """Announce events of these names, all at one moment."""
    chosen = bench.ledger.queues[queue]
    moment = bench.later(-86400) + timedelta(hours=hours)
    version = "1" if chosen.version_column else ""
    lane = {"lane": "a"} if chosen.has_lanes else {}
    events = [FeedEvent(name, version, moment, "raw", **(lane | more)) for name in names]
    pairs = [(chosen.id_of(event.name, event.version), event) for event in events]
    with bench.ledger.transaction() as transaction:
        receipt = announce_in_bulk(transaction, chosen, pairs, lambda event: event, constants or {}, bench.now)
    return [identity for identity, _ in pairs], receipt


@pytest.mark.parametrize("queue", ["frontier", "pages", "cargo"])
def test_new_events_are_due(bench, queue):
    """A feed fills any queue: with lanes, shared, or with versions."""
    ids, receipt = feed(bench, "x", "y", queue=queue)
    assert (receipt.known, receipt.changed) == (frozenset(), 0)
    assert sorted(event.id for event in bench.claim(queue=queue)) == sorted(ids)


@pytest.mark.parametrize("count", [1, 300])
def test_known_events_are_left_alone(bench, count):
    """Told again, nothing changes, however many new events stand beside."""
    known, _ = feed(bench, "x")
    before = bench.row(known[0], "frontier")
    ids, receipt = feed(bench, *(f"n{number}" for number in range(count)), "x", "x")
    assert (receipt.known, receipt.changed) == ({known[0]}, 0)
    assert bench.row(known[0], "frontier") == before
    assert len(bench.claim(1000, queue="frontier", each=1000)) == count + 1
    assert len(set(ids)) == count + 1


@pytest.mark.parametrize(("code", "hours", "wakes"), [(5, 1, True), (39, 1, True), (5, 0, False), (1, 1, False)])
def test_what_ended_in_nothing_begins_anew(bench, code, hours, wakes):
    """An event that happened again since is due, its lane awake; anything else stays as it is."""
    (identity,), _ = feed(bench, "x")
    bench.claim(queue="frontier")
    bench.put(identity, queue="frontier", PROCESSED=code, DUE_AT=None, LAST_STATUS=404, LAST_CODE="not_found")
    _, receipt = feed(bench, "x", hours=hours)
    assert receipt.changed == wakes
    assert [event.id for event in bench.claim(queue="frontier")] == [identity] * wakes
    if wakes:
        row = bench.row(identity, "frontier")
        assert (row["LAST_STATUS"], row["LAST_CODE"]) == (None, None)


def test_problems_are_kept_aside(bench):
    """An event with a problem is a malformed row with its reason, and is never due."""
    (identity,), _ = feed(bench, "x", problem="no name")
    row = bench.row(identity, "frontier")
    assert (row["PROCESSED"], row["LAST_CODE"], row["LAST_ERROR"]) == (3, "malformed", "no name")
    assert bench.claim(queue="frontier") == []


def test_rows_of_others_are_dated(bench):
    """A row that somebody else announced gets the feed's moment, and the columns it lacks."""
    (identity,) = bench.announce("x", queue="frontier", lane="a")
    _, receipt = feed(bench, "x", constants={"DEPTH": 7})
    row = bench.row(identity, "frontier")
    assert (receipt.changed, row["TIMESTAMP"], row["DEPTH"]) == (1, bench.later(-86400), 7)
