"""The loop, with scripted doubles on SQLite."""

from __future__ import annotations

import asyncio
import itertools
import threading
from dataclasses import dataclass
from datetime import timedelta

import msgspec
import pytest
import sqlalchemy as sa

from stook.engine.clock import RealClock
from stook.engine.errors import FailureCode, LaneClosed, Malformed, Refused, StookError, Unavailable, UserError
from stook.engine.ledger import Ledger, connect, poll_queue
from stook.engine.ledger.schema import METADATA, POLL, QUEUE_LANE, STATUS, VALIDATOR
from stook.engine.tally import Tally
from stook.engine.words import Announcement, Code, Compute, Found, Look, Outcome, Reply, Request, Validators, Written
from stook.engine.work import KEEP_AT_MOST, Work
from stook.testing import ManualClock

from .loop import (  # noqa: TID252
    TROUBLE,
    Faulty,
    Kind,
    Script,
    announce,
    codes,
    conditional,
    is_empty,
    open_ledger,
    plain,
    rows,
    run,
    until,
    url,
)


def test_everything_due_is_visited_and_kept(ledger):
    """A run ends when all that was due has its outcome, and remembers nothing of it but numbers."""
    announce(ledger, *(f"n{number}" for number in range(50)))
    source = Kind()
    work = Work(ledger, Script(), [source])
    tally = run(work)
    assert {*codes(ledger).values()} == {1}
    assert sorted(source.kept) == sorted(f"n{number}" for number in range(50))
    assert (tally.outcomes, tally.written) == ({"complete": 50}, {"record": 50})
    assert (tally.claimed, tally.ended, tally.failures, tally.lost) == ({"kind": 50}, {"kind": 50}, [], 0)
    assert is_empty(work)


def test_only_urgent_events_are_taken(ledger):
    """A command works on what it has announced itself, and leaves the backlog of others alone."""
    announce(ledger, "old", "older")
    ledger.announce([Announcement("pages", "mine", urgent=True)])
    source = Kind()
    run(Work(ledger, Script(), [source], urgent_only=True), settled=lambda: True)
    assert (source.kept, codes(ledger)) == (["mine"], {"old": 0, "older": 0, "mine": 1})


@pytest.mark.parametrize("tasks", [1, 3])
def test_visits_run_side_by_side(ledger, tasks):
    """As many visits are under way as the source allows, and never more."""
    announce(ledger, *(f"n{number}" for number in range(20)))
    door = Script()
    run(Work(ledger, door, [Kind(tasks=tasks)]))
    assert door.most == tasks


@pytest.mark.parametrize(
    ("error", "code", "reason", "delay"),
    [
        (Unavailable("HTTP 503", status=503), 0, "Unavailable: HTTP 503", 60),
        (Unavailable("HTTP 429", status=429, retry_after=77), 0, "Unavailable: HTTP 429", 77),
        (Malformed("not JSON", status=200), 30, "Malformed: not JSON", None),
        (Refused("private address"), 30, "Refused: private address", None),
        (UserError("a mistake"), 30, "internal: UserError: a mistake", None),
        (RuntimeError("a bug in the door"), 30, "internal: RuntimeError: a bug in the door", None),
    ],
)
def test_every_error_has_its_end(ledger, error, code, reason, delay):
    """Trouble of the infrastructure waits where it was, trouble with the data climbs; the reason is kept and told."""
    announce(ledger, "a", "good")
    tally = run(Work(ledger, Script({"a": error}), [Kind()]))
    row = rows(ledger)["a"]
    assert (row["PROCESSED"], row["LAST_ERROR"], row["ATTEMPTS"]) == (code, reason, 1)
    assert row["LAST_STATUS"] == getattr(error, "status", None)
    if delay is not None:
        assert (row["DUE_AT"] - ledger.clock.now()).total_seconds() == delay
    assert [(one.event, one.reason) for one in tally.failures] == [("a (page)", reason)]
    assert codes(ledger)["good"] == 1


def test_a_visit_may_handle_errors(ledger):
    """An error is raised inside the visit, which may go on without that reply."""

    def look(events):
        try:
            yield Request(url(events[0]))
        except Unavailable:
            reply = yield Request("https://example.org/other")
        return Found(records=[reply.body.decode()])

    announce(ledger, "a")
    source = Kind(look)
    run(Work(ledger, Script({"a": Unavailable("away")}), [source]))
    assert source.kept == ["other"]


def breaks_at_once(events):
    raise KeyError("checksum")


def breaks_at_first(events):
    raise KeyError("checksum")
    yield


def breaks_later(events):
    yield Request(url(events[0]))
    raise KeyError("checksum")


def asks_for_nothing(events):
    yield None


def finds_nothing(events):
    yield Request(url(events[0]))


@pytest.mark.parametrize(
    "look",
    [breaks_at_once, breaks_at_first, breaks_later, asks_for_nothing, finds_nothing],
    ids=lambda one: one.__name__,
)
def test_a_broken_visit_fails_alone(ledger, look):
    """Whatever a visit does wrong, its events fail with the reason, and all others go on."""
    announce(ledger, "a", "bad", "c")
    work = Work(ledger, Script(), [Kind(lambda events: (look if events[0].name == "bad" else plain)(events))])
    tally = run(work)
    assert codes(ledger) == {"a": 1, "bad": 30, "c": 1}
    assert rows(ledger)["bad"]["LAST_ERROR"].startswith("internal: ")
    assert tally.failed == 1
    assert is_empty(work)


def test_a_closed_lane_defers(ledger):
    """An event whose lane is closed comes back later; that is neither a try nor a failure."""
    announce(ledger, "a")
    tally = run(Work(ledger, Script({"a": LaneClosed("x", "HTTP 403", status=403)}), [Kind()]))
    row = rows(ledger)["a"]
    assert (row["PROCESSED"], row["ATTEMPTS"], row["DUE_AT"] - ledger.clock.now()) == (0, 0, timedelta(minutes=15))
    assert (tally.failures, tally.deferred) == ([], {"x": 1})


def test_a_closed_lane_ends_a_run(ledger):
    """However long it takes to put off a backlog whose lane is closed, the run does it once, and ends."""
    announce(ledger, *(f"n{number}" for number in range(50)))

    async def closed():
        ledger.clock.advance(10.0)  # for each of them
        return LaneClosed("x", "HTTP 403", status=403)

    door = Script({f"n{number}": closed for number in range(50)})
    tally = run(Work(ledger, door, [Kind(tasks=1, batch=1)]))
    assert (len(door.asked), tally.deferred.total()) == (50, 50)


def test_to_be_seen_again_is_no_failure(ledger):
    """A visit that asks for another look, and gives no reason, has not failed."""

    def look(events):
        return Found(Outcome(Code.PENDING, delay=300))
        yield

    announce(ledger, "a")
    tally = run(Work(ledger, Script(), [Kind(look)]))
    assert (tally.failures, tally.outcomes) == ([], {"pending": 1})


def test_single_outcomes_are_told(ledger):
    """What a visit says of single events ends up in rows and report."""

    def look(events):
        return Found(outcomes={event.id: Outcome(Code.NOT_FOUND, "no such page", 404) for event in events})
        yield

    announce(ledger, "a")
    tally = run(Work(ledger, Script(), [Kind(look)]))
    assert codes(ledger) == {"a": 5}
    assert [(one.error, one.reason) for one in tally.failures] == [("not_found", "no such page")]


def test_stop_finishes_what_is_under_way(ledger):
    """After `stop` no more events are taken; visits under way are finished and kept."""
    announce(ledger, *(f"n{number}" for number in range(30)))

    async def main() -> Tally:
        door = Script()
        work = Work(ledger, door, [Kind(tasks=2, batch=2)])

        async def stop():
            work.stop()
            return Reply("", 200, b"stopped")

        door.answers["n0"] = stop
        return await asyncio.wait_for(work.run(once=False), 20)

    tally = asyncio.run(main())
    counted = list(codes(ledger).values())
    assert tally.outcomes["complete"] == counted.count(1)
    assert counted.count(0) == 30 - counted.count(1)
    assert counted.count(1) < 10


def test_stop_gives_back_what_waits_for_its_turn(ledger):
    """Claimed events whose visits did not begin before `stop` are free at once, and no request is made for them."""
    announce(ledger, *(f"n{number}" for number in range(30)))
    door = Script()

    async def main() -> Tally:
        work = Work(ledger, door, [Kind(tasks=2, batch=30)])

        async def stop():
            work.stop()
            return Reply("", 200, b"stopped")

        door.answers |= {f"n{number}": stop for number in range(30)}
        return await asyncio.wait_for(work.run(once=False), 20)

    tally = asyncio.run(main())
    assert (tally.outcomes, len(door.asked), tally.failures) == ({"complete": 2}, 2, [])
    assert len(ledger.claim("pages", 40)) == 28


def test_cancelling_keeps_and_gives_back(ledger):
    """On Ctrl-C finished visits are kept, and all other events are free at once."""
    announce(ledger, "done", "waits", "waits too", "in line")

    async def main() -> None:
        door = Script()
        reached = asyncio.Event()

        async def wait():
            reached.set()
            await asyncio.Event().wait()

        door.answers |= {"waits": wait, "waits too": wait, "in line": wait}
        work = Work(ledger, door, [Kind(tasks=2)])
        task = asyncio.create_task(work.run(once=True))
        await reached.wait()
        await until(lambda: work.tally.ended["kind"])
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)

    asyncio.run(main())
    found = rows(ledger)
    assert found["done"]["PROCESSED"] == 1
    assert {event.name for event in ledger.claim("pages", 10)} == {"waits", "waits too", "in line"}


def test_cancelling_while_claiming_gives_back(sqlite_url):
    """Events that are being claimed when Ctrl-C comes are given back, too."""
    reached, go = threading.Event(), threading.Event()

    class Slow(Faulty):
        """Claims slowly."""

        def claim(self, queue, limit, **more):
            reached.set()
            go.wait(20)
            return super().claim(queue, limit, **more)

    engine, dialect = connect(sqlite_url)
    METADATA.create_all(engine, tables=[POLL, QUEUE_LANE, STATUS, VALIDATOR])
    ledger = Slow(engine, dialect, [poll_queue("pages", "page")], ManualClock(jumps=False))
    announce(ledger, "a", "b")

    async def main() -> None:
        task = asyncio.create_task(Work(ledger, Script(), [Kind()]).run(once=True))
        await asyncio.to_thread(reached.wait, 20)
        task.cancel()
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)

    asyncio.run(main())
    assert codes(ledger) == {"a": 0, "b": 0}
    assert {event.name for event in ledger.claim("pages", 10)} == {"a", "b"}
    ledger.close()


def test_cancelling_while_the_database_is_away_still_keeps(ledger):
    """What was being kept when Ctrl-C came is kept, though the database needed another try."""
    announce(ledger, "a")
    ledger.faults["keep"] = [TROUBLE]

    async def main() -> None:
        work = Work(ledger, Script(), [Kind()])
        task = asyncio.create_task(work.run(once=True))
        await until(lambda: "keep" in ledger.calls)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)
        assert work.tally.outcomes == {"complete": 1}

    asyncio.run(main())
    assert codes(ledger) == {"a": 1}


def test_leases_are_renewed(sqlite_url):
    """A visit that waits longer than a lease does not lose its event."""
    clock = ManualClock(jumps=False)
    ledger = open_ledger(sqlite_url, clock, lease=0.3)
    announce(ledger, "a")

    async def main() -> Tally:
        async def wait():
            for _ in range(5):
                renewed = ledger.calls.count("renew")
                await until(lambda renewed=renewed: ledger.calls.count("renew") > renewed)
                clock.advance(0.2)
            return Reply("", 200)

        return await asyncio.wait_for(Work(ledger, Script({"a": wait}), [Kind()]).run(once=True), 20)

    tally = asyncio.run(main())
    assert (tally.lost, tally.outcomes, codes(ledger)) == (0, {"complete": 1}, {"a": 1})
    ledger.close()


def test_a_lost_visit_is_counted_and_not_reported(ledger):
    """A visit whose lease was lost is neither an outcome nor a failure, just lost."""
    announce(ledger, "a")

    async def steal():
        with ledger.transaction() as transaction:
            transaction.execute(sa.update(POLL).values(LEASE=1))
        return Malformed("not JSON")

    tally = run(Work(ledger, Script({"a": steal}), [Kind()]))
    assert (tally.lost, tally.outcomes, tally.failures) == (1, {}, [])


@pytest.mark.parametrize("method", ["claim", "keep", "validators", "release_abandoned"])
@pytest.mark.parametrize("error", [TROUBLE, sa.exc.InterfaceError("", None, Exception("connection is closed"))])
def test_a_database_that_is_away_is_waited_for(ledger, method, error):
    """Any call of the ledger is tried again, and nothing is lost or done twice."""
    announce(ledger, "a", "b")
    ledger.faults[method] = [error, error]
    source = Kind(conditional)
    tally = run(Work(ledger, Script(), [source]))
    assert codes(ledger) == {"a": 1, "b": 1}
    assert (sorted(source.kept), tally.outcomes) == (["a", "b"], {"complete": 2})


@pytest.mark.parametrize("method", ["claim", "keep", "validators", "release_abandoned"])
def test_patience_ends(ledger, method):
    """A database that stays away ends the run with its error, and does not hang it."""
    announce(ledger, "a")
    ledger.faults[method] = [TROUBLE] * 1000
    work = Work(ledger, Script(), [Kind(conditional)], patience=0.3)
    with pytest.raises(sa.exc.OperationalError):
        run(work)
    assert codes(ledger)["a"] in (0, 20)
    assert [event.name for event in Ledger.claim(ledger, "pages", 1)] == ["a"]


def test_a_commit_that_only_seemed_to_fail(ledger):
    """When a commit succeeded and its answer was lost, the rows are right, and the second try changes nothing."""
    announce(ledger, "a")
    ledger.after["keep"] = [TROUBLE]
    source = Kind()
    work = Work(ledger, Script(), [source])
    tally = run(work)
    assert (codes(ledger), source.kept) == ({"a": 1}, ["a"])
    assert (tally.lost, tally.outcomes, tally.failures, is_empty(work)) == (1, {}, [], True)


def test_a_claim_that_only_seemed_to_fail(ledger):
    """When a claim succeeded and its answer was lost, the events are not left lying until their lease ends."""
    announce(ledger, "a", "b")
    ledger.after["claim"] = [TROUBLE]
    tally = run(Work(ledger, Script(), [Kind()]))
    assert (codes(ledger), tally.outcomes) == ({"a": 1, "b": 1}, {"complete": 2})


@pytest.mark.parametrize("method", ["keep", "claim", "validators", "release_abandoned"])
def test_a_fault_of_the_loop_surfaces(ledger, method):
    """An unexpected error of the ledger ends the run at once, and what was held is free."""
    announce(ledger, "a")
    ledger.faults[method] = [ZeroDivisionError("a bug")]
    with pytest.raises(ZeroDivisionError):
        run(Work(ledger, Script(), [Kind(conditional)]))
    assert [event.name for event in ledger.claim("pages", 1)] == ["a"]


def test_a_fault_while_renewing_surfaces(sqlite_url):
    """If leases cannot be renewed the run ends, though a visit would wait for ever."""
    ledger = open_ledger(sqlite_url, RealClock(), lease=0.3)
    announce(ledger, "a")
    ledger.faults["renew"] = [ZeroDivisionError("a bug")]

    async def main() -> None:
        async def wait():
            await asyncio.Event().wait()

        await asyncio.wait_for(Work(ledger, Script({"a": wait}), [Kind()]).run(once=True), 20)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(main())
    ledger.close()


def test_settled_decides_when_a_run_ends(ledger):
    """With nothing due a run goes on until `settled` says that nothing more is awaited."""
    announce(ledger, "a")

    def settled() -> bool:
        announce(ledger, "b")  # another process does that
        return codes(ledger)["b"] == 1

    run(Work(ledger, Script(), [Kind()]), settled=settled)
    assert codes(ledger) == {"a": 1, "b": 1}


def test_a_settled_run_leaves_other_events_alone(ledger):
    """A command that has what it waited for ends, however many events of others are due."""
    announce(ledger, *(f"n{number:03}" for number in range(400)))

    async def slow():
        await asyncio.sleep(0.02)
        return Reply("", 200)

    door = Script({f"n{number:03}": slow for number in range(400)})
    tally = run(Work(ledger, door, [Kind(tasks=1, batch=1)]), settled=lambda: True)
    assert 0 < tally.outcomes["complete"] < 400
    assert list(codes(ledger).values()).count(1) == tally.outcomes["complete"]
    assert 20 not in codes(ledger).values()


def test_a_run_may_end_after_some_visits(ledger):
    """With a number of visits the run claims no more after that many, and keeps them all."""
    announce(ledger, *(f"n{number}" for number in range(30)))
    tally = run(Work(ledger, Script(), [Kind(tasks=1, batch=1)]), visits=5)
    assert tally.claimed.total() == tally.outcomes["complete"] == list(codes(ledger).values()).count(1)
    assert 5 <= tally.claimed.total() < 10


def test_without_once_a_run_waits_for_more(ledger):
    """A worker goes on until it is stopped, and finds what is announced meanwhile."""

    async def main() -> None:
        source = Kind()
        work = Work(ledger, Script(), [source])
        task = asyncio.create_task(work.run(once=False))
        await until(lambda: "claim" in ledger.calls)
        announce(ledger, "late")
        await until(lambda: source.kept)
        work.stop()
        await asyncio.wait_for(task, 20)

    asyncio.run(asyncio.wait_for(main(), 20))
    assert codes(ledger) == {"late": 1}


def test_announced_events_are_worked_in_the_same_run(ledger):
    """What a visit announces is due at once, whichever source is asked for it, and the run includes it."""

    def tell(events):
        yield Request(url(events[0]))
        return Found(announcements=[Announcement("extras", event.name) for event in events])

    announce(ledger, "a", "b")
    first, second = Kind(name="first", queues=("extras",)), Kind(tell, name="second")
    run(Work(ledger, Script(), [first, second]))
    assert sorted(first.kept) == ["a", "b"]


def test_what_is_kept_between_two_claims_is_not_missed(ledger):
    """A run does not end on an empty queue that was filled right after it was looked at."""
    announce(ledger, "a")

    def tell(events):
        yield Request(url(events[0]))
        return Found(announcements=[Announcement("extras", "b")])

    async def main() -> Tally:
        loop, gate, door = asyncio.get_running_loop(), asyncio.Event(), Script()
        first, second = Kind(name="first", queues=("extras",)), Kind(tell, name="second", tasks=2)
        work = Work(ledger, door, [first, second])

        async def wait():
            await gate.wait()
            return Reply("", 200)

        door.answers["a"] = wait
        plain_claim = ledger.claim

        def claim(queue, limit, **more):
            found = plain_claim(queue, limit, **more)
            if queue == "extras" and door.asked and not gate.is_set():
                loop.call_soon_threadsafe(gate.set)
                pause = threading.Event()
                while work._database._thread._work_queue.empty():  # until the visit's end waits behind us
                    pause.wait(0.001)
            return found

        ledger.claim = claim
        return await asyncio.wait_for(work.run(once=True), 20)

    tally = asyncio.run(main())
    assert tally.ended == {"first": 1, "second": 1}


def test_claiming_waits_for_keeping(ledger):
    """Visits that end faster than they can be kept do not pile up."""
    announce(ledger, *(f"n{number}" for number in range(2000)))
    most = []
    keep = ledger.keep

    def watch(batch):
        most.append(len(work._claims.events()))
        return keep(batch)

    def look(events):
        return Found()
        yield

    ledger.keep = watch
    work = Work(ledger, Script(), [Kind(look, batch=200)])
    run(work)
    assert {*codes(ledger).values()} == {1}
    assert max(most) <= KEEP_AT_MOST + 200


def test_validators_are_sent_the_next_time(ledger):
    """A conditional request carries what its URL answered last time; an unconditional one nothing."""
    announce(ledger, "a")
    door = Script()
    run(Work(ledger, door, [Kind(conditional)]))
    stored = ledger.validators([url_of("a")])[url_of("a")]
    assert (stored.etag, len(stored.digest)) == ('"a"', 32)
    announce(ledger, "a", fresh_for=0.0)
    run(Work(ledger, door, [Kind(conditional)]))
    announce(ledger, "a", fresh_for=0.0)
    run(Work(ledger, door, [Kind(plain)]))
    assert [known for _, known in door.asked] == [None, stored, None]


def url_of(name: str) -> str:
    return f"https://example.org/{name}"


@pytest.mark.parametrize("strange", ['"\udce9\udcff"', '"\xe9"'])
def test_validators_that_are_no_text_are_not_kept(ledger, strange):
    """A server may send any bytes in an ETag: the page is kept all the same, and its digest tells the next time."""
    announce(ledger, "a")
    page = "https://example.org/a"
    reply = Reply(page, 200, b"body", {"etag": strange, "last-modified": strange})
    tally = run(Work(ledger, Script({"a": reply}), [Kind(conditional)]))
    assert tally.outcomes == {"complete": 1}
    known = ledger.validators([page])[page]
    assert (known.etag, known.last_modified, len(known.digest)) == ("", "", 32)


def test_afresh_sends_none_and_stores_new_ones(ledger):
    """A request afresh ignores what is known of its URL, and what it answers is remembered."""
    announce(ledger, "a", resync=True)
    door = Script({"a": Reply("", 200, b"new", {"etag": "2", "last-modified": "Tue"})})
    with ledger.transaction() as transaction:
        from stook.engine.ledger.feeds import write_validators

        write_validators(transaction, {url_of("a"): Validators("1")}, set(), ledger.clock.now())
    run(Work(ledger, door, [Kind(conditional)]))
    assert door.asked == [("a", None)]
    assert ledger.validators([url_of("a")])[url_of("a")].etag == "2"


def test_later_requests_are_conditional_too(ledger):
    """Validators are recalled for every request of a visit, not for the first alone."""

    def look(events):
        yield Request(url_of("first"))
        reply = yield Request(url_of("second"), conditional=True)
        return Found(records=[reply.status])

    door = Script()
    for _ in range(2):
        announce(ledger, "a", fresh_for=0.0)
        run(Work(ledger, door, [Kind(look)]))
    assert [(name, bool(known)) for name, known in door.asked] == [
        ("first", False),
        ("second", False),
        ("first", False),
        ("second", True),
    ]


@pytest.mark.parametrize("status", [304, 404])
def test_only_full_answers_are_remembered(ledger, status):
    """Neither a 304 nor an error page replaces what is known."""
    announce(ledger, "a")
    run(Work(ledger, Script(), [Kind(conditional)]))
    before = ledger.validators([url_of("a")])
    announce(ledger, "a", fresh_for=0.0)
    run(Work(ledger, Script({"a": Reply("", status, b"", {"etag": "other"}, status == 304)}), [Kind(conditional)]))
    assert ledger.validators([url_of("a")]) == before


@pytest.mark.parametrize("end", [Unavailable("away"), Malformed("odd"), KeyError("bug"), Outcome(Code.FAILED, "odd")])
def test_a_failed_visit_remembers_no_validators(ledger, end):
    """What a visit read before it failed was not kept, so it must come in full the next time."""

    def look(events):
        yield Request(url(events[0]), conditional=True)
        if isinstance(end, KeyError):
            raise end
        if isinstance(end, Outcome):
            return Found(end)
        yield Request(url_of("more"))

    announce(ledger, "a")
    run(Work(ledger, Script({"more": end} if isinstance(end, StookError) else {}), [Kind(look)]))
    assert codes(ledger)["a"] in (0, 30)
    assert ledger.validators([url_of("a")]) == {}


def test_packages_share_a_visit(ledger):
    """All events of one package, of whichever queue, are one visit."""
    announce(ledger, "a", "b")
    announce(ledger, "a", queue="extras")
    seen = []

    def look(events):
        seen.append(sorted(event.queue for event in events))
        return Found()
        yield

    run(Work(ledger, Script(), [Kind(look, queues=("pages", "extras"))]))
    assert sorted(seen) == [["extras", "pages"], ["pages"]]


def test_stopped_while_it_asks_whether_it_is_settled(ledger):
    """A stop that comes while the database is asked is not forgotten."""
    announce(ledger, "a")
    asked = []

    async def main() -> None:
        work = Work(ledger, Script(), [Kind()])

        def settled() -> bool:
            asked.append(work.is_idle)
            if len(asked) == 2:  # the look before a round of claims, not that of an idle round
                work.stop()
            return False

        await asyncio.wait_for(work.run(once=True, settled=settled), 20)

    asyncio.run(main())
    assert asked[:2] == [True, True]
    assert codes(ledger) == {"a": 1}


def test_a_claim_whose_answer_was_lost(ledger):
    """What the database kept of a claim though its answer never came is free again at the next one."""
    announce(ledger, "a", "b")
    ledger.after["claim"] = [TROUBLE]
    source = Kind()
    tally = run(Work(ledger, Script(), [source]))
    assert (sorted(source.kept), tally.outcomes, codes(ledger)) == (["a", "b"], {"complete": 2}, {"a": 1, "b": 1})


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_what_others_have_locked_is_still_due(request, engine):
    """A claim that comes back empty, as another has locked the rows for a moment, does not end a run."""
    ledger = open_ledger(request.getfixturevalue(f"{engine}_url"), RealClock())
    announce(ledger, "a", "b")
    source = Kind()
    work = Work(ledger, Script(), [source])

    async def main() -> None:
        with ledger.engine.connect() as other:
            other.execute(sa.select(POLL.c["ID"]).with_for_update()).all()
            running = asyncio.ensure_future(work.run(once=True))
            await until(lambda: ledger.calls.count("claim") > 1)
            other.rollback()
        await asyncio.wait_for(running, 20)

    asyncio.run(main())
    assert (sorted(source.kept), codes(ledger)) == (["a", "b"], {"a": 1, "b": 1})
    ledger.close()


def both_at_once(events):
    """Two requests at once; an error stands in its place."""
    first, second = yield (Request("https://example.org/x"), Request("https://example.org/y"))
    return Found(records=[first.body.decode(), type(second).__name__])


def test_several_requests_at_once(ledger):
    """A visit is sent all replies together, in its order, with errors in their places."""
    announce(ledger, "a")
    source = Kind(both_at_once)
    door = Script({"y": Unavailable("away")})
    run(Work(ledger, door, [source]))
    assert source.kept == ["x", "Unavailable"]
    assert door.most == 2


def test_validators_of_several_requests(ledger):
    """Each of several conditional requests sends its own validators the next time."""

    def look(events):
        yield tuple(Request(f"https://example.org/{name}", conditional=True) for name in ("x", "y"))
        return Found()

    announce(ledger, "a")
    door = Script()
    run(Work(ledger, door, [Kind(look)]))
    announce(ledger, "a", fresh_for=0.0)
    run(Work(ledger, door, [Kind(look)]))
    assert [(name, known.etag if known else None) for name, known in door.asked] == [
        ("x", None),
        ("y", None),
        ("x", '"x"'),
        ("y", '"y"'),
    ]


def test_a_visit_computes_elsewhere(ledger):
    """A computation is answered by what its function returns; its error is raised in the visit."""

    def look(events):
        number = yield Compute(int, ("7",))
        try:
            yield Compute(sum, (itertools.count(),), seconds=0.1)
        except Malformed as error:
            return Found(records=[number, error.code])

    announce(ledger, "a")
    source = Kind(look)
    run(Work(ledger, Script(), [source]))
    assert source.kept == [7, FailureCode.COMPUTE_LIMIT]


def test_a_visit_looks_at_what_is_known(ledger):
    """A look is answered by the source, from the database."""

    @dataclass(slots=True)
    class Looking(Kind):
        """Knows how many events there are."""

        def look_up(self, events):
            found = yield Look("events", "pages")
            return Found(records=[found])

        def visit(self, events):
            return self.look_up(events)

        def look(self, connection, look):
            assert look == Look("events", "pages")
            return connection.execute(sa.select(sa.func.count()).select_from(POLL)).scalar_one()

    announce(ledger, "a", "b")
    source = Looking()
    run(Work(ledger, Script(), [source]))
    assert source.kept == [2, 2]


def test_files_come_before_rows(ledger):
    """A source's files are written before the transaction; a visit whose files fail has no row."""
    order = []

    @dataclass(slots=True)
    class Filing(Kind):
        """Writes a file for each record."""

        def write_files(self, records):
            if records == ["bad"]:
                raise OSError("disk full")
            order.append(("file", *records))
            return [f"{record}.md" for record in records]

        def keep(self, transaction, records, now):
            order.append(("row", *records))
            return Written({"record": len(records)})

    announce(ledger, "a", "bad")
    tally = run(Work(ledger, Script(), [Filing(tasks=1)]))
    assert order == [("file", "a"), ("row", "a.md")]
    assert codes(ledger) == {"a": 1, "bad": 30}
    assert "disk full" in tally.failures[0].reason


def test_suspects_are_looked_at_alone(ledger):
    """An event with which workers died is under way only when nothing else is."""
    announce(ledger, *(f"n{number}" for number in range(6)))
    under_way, beside = set(), {}
    plain_claim = ledger.claim

    def claim(queue, limit, **more):
        claimed = plain_claim(queue, 1)
        return [msgspec.structs.replace(event, deliveries=2 * (event.name == "n3")) for event in claimed]

    ledger.claim = claim

    def look(events):
        name = events[0].name
        under_way.add(name)
        beside[name] = set(under_way)
        yield Request(url(events[0]))
        under_way.discard(name)
        beside[name] |= under_way
        return Found()

    run(Work(ledger, Script(), [Kind(look, batch=1)]))
    assert beside["n3"] == {"n3"}
    assert {*codes(ledger).values()} == {1}


def test_a_memory_tells_which_mirror_was_read_last(ledger):
    """Validators go to the URL they came from only: what another mirror said meanwhile is never taken for unchanged."""
    asked = []

    def from_mirror(mirror):
        def behaviour(events):
            reply = yield Request(f"https://{mirror}.example.org/{events[0].name}", conditional=True, memory="a record")
            asked.append(reply.url)
            return Found()

        return behaviour

    announce(ledger, "a")
    door = Script()
    for mirror in ("one", "one", "two", "one"):
        announce(ledger, "a", fresh_for=0.0)
        run(Work(ledger, door, [Kind(from_mirror(mirror))]))
    assert [known is not None for _, known in door.asked] == [False, True, False, False]
