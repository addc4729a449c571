"""Long visits: what they have learnt is kept on the way."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from stook.engine.errors import Malformed
from stook.engine.ledger.schema import POLL
from stook.engine.words import Announcement, Code, Cursor, Found, Outcome, Part, Reply, Request
from stook.engine.work import Work

from .loop import TROUBLE, Kind, Script, announce, codes, is_empty, rows, run  # noqa: TID252


def numbers(upto):
    """A visit of so many requests, each of which has its answer kept."""

    def look(events):
        for number in range(upto):
            reply = yield Request(f"https://example.org/{number}")
            yield Part([reply.body.decode()], cursor=Cursor("feed", str(number)))
        return Found(records=["end"], cursor=Cursor("feed", "end"))

    return look


def test_parts_are_kept_in_order(ledger):
    """Records and cursors of parts are kept in their order, before those of the end; the event ends once."""
    announce(ledger, "a")
    source = Kind(numbers(7))
    work = Work(ledger, Script(), [source])
    tally = run(work)
    assert source.kept == [*map(str, range(7)), "end"]
    assert (tally.written["record"], tally.outcomes, tally.lost) == (8, {"complete": 1}, 0)
    assert (codes(ledger), ledger.cursor("feed").value, is_empty(work)) == ({"a": 1}, "end", True)


def test_a_part_is_kept_while_the_visit_goes_on(ledger):
    """What was handed over is in the database before the visit ends, with its cursor and its new events; the event
    is held all the while. One part may wait for the database, and no more."""
    announce(ledger, "a")
    seen = []

    def look(events):
        for number in range(4):
            yield Part([f"part {number}"], [Announcement("extras", f"next {number}")], Cursor("feed", str(number)))
        yield Request("https://example.org/look")
        return Found()

    async def inspect():
        seen.append((ledger.cursor("feed").value, {code for name, code in codes(ledger).items() if name == "a"}))
        seen.append([name for name in rows(ledger) if name != "a"])
        return Reply("", 200)

    run(Work(ledger, Script({"look": inspect}), [Kind(look)]))
    assert seen[0] in [("2", {20}), ("3", {20})]
    assert seen[1][:3] == ["next 0", "next 1", "next 2"]


def test_what_was_kept_stays_when_the_visit_fails(ledger):
    """A visit that fails later keeps its parts, and ends as any that fails."""
    announce(ledger, "a")
    source = Kind(numbers(3))
    tally = run(Work(ledger, Script({"2": Malformed("not JSON")}), [source]))
    assert (source.kept, ledger.cursor("feed").value, tally.failed) == (["0", "1"], "1", 1)
    assert codes(ledger) == {"a": 30}


def test_a_part_that_cannot_be_kept_ends_the_visit(ledger):
    """The event fails with the reason, and nothing that came later is written."""
    announce(ledger, "a")

    class Breaking(Kind):
        def keep(self, transaction, records, now):
            if "1" in records:
                raise RuntimeError("the source is broken")
            return Kind.keep(self, transaction, records, now)

    source = Breaking(numbers(5))
    tally = run(Work(ledger, Script(), [source]))
    assert source.kept[0] == "0"
    assert not {"1", "2", "3", "4", "end"} & set(source.kept)
    assert (codes(ledger), ledger.cursor("feed").value, tally.failed) == ({"a": 30}, "0", 1)
    assert rows(ledger)["a"]["LAST_ERROR"].startswith("cannot be kept: RuntimeError")
    assert tally.lost >= 1


def test_a_lost_lease_loses_the_later_parts(ledger):
    """A worker that was frozen past its lease writes nothing more of the visit."""
    announce(ledger, "a")

    async def steal():
        with ledger.transaction() as transaction:
            transaction.execute(sa.update(POLL).values(LEASE=1))
        return Reply("", 200, b"late")

    source = Kind(numbers(3))

    async def first():
        while not source.kept:  # noqa: ASYNC110  nobody there could set an event of this loop
            await asyncio.sleep(0.001)
        return await steal()

    tally = run(Work(ledger, Script({"1": first}), [source]), settled=lambda: bool(source.kept))
    assert (source.kept, ledger.cursor("feed").value, tally.outcomes) == (["0"], "0", {})
    assert tally.lost == 3


@pytest.mark.parametrize("method", ["faults", "after"])
def test_a_part_is_kept_once_more_after_trouble(ledger, method):
    """A transaction that was in doubt is tried again: the cursor ends where it should, the event ends once."""
    announce(ledger, "a")
    getattr(ledger, method)["keep"] = [TROUBLE]
    source = Kind(numbers(3))
    tally = run(Work(ledger, Script(), [source]))
    assert (list(dict.fromkeys(source.kept)), codes(ledger)) == (["0", "1", "2", "end"], {"a": 1})
    assert (ledger.cursor("feed").value, tally.outcomes) == ("end", {"complete": 1})


def test_cancelled_between_two_parts(ledger):
    """On Ctrl-C the parts that are ready are kept, and the event is free at once."""
    announce(ledger, "a")
    source = Kind(numbers(3))

    async def main() -> None:
        reached = asyncio.Event()

        async def wait():
            reached.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(Work(ledger, Script({"2": wait}), [source]).run(once=True))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)

    asyncio.run(main())
    assert (source.kept, ledger.cursor("feed").value) == (["0", "1"], "1")
    assert [event.name for event in ledger.claim("pages", 10)] == ["a"]


def test_stopped_between_two_parts(ledger):
    """After `stop` a visit ends with its next part, which is kept; the event is free at once."""
    announce(ledger, "a")
    source = Kind(numbers(9))
    door = Script()

    async def main() -> None:
        work = Work(ledger, door, [source])

        async def stop():
            work.stop()
            return Reply("", 200, b"2")

        door.answers["2"] = stop
        await asyncio.wait_for(work.run(once=False), 20)
        assert is_empty(work)

    asyncio.run(main())
    assert (source.kept, ledger.cursor("feed").value, len(door.asked)) == (["0", "1", "2"], "2", 3)
    assert [event.name for event in ledger.claim("pages", 10)] == ["a"]


def test_parts_alone(ledger):
    """A visit may have parts before its first request, and need not ask anything."""
    announce(ledger, "a")

    def look(events):
        yield Part(["first"])
        yield Part(["second"])
        return Found(Outcome(Code.NOT_FOUND), records=["third"])

    source = Kind(look)
    run(Work(ledger, Script(), [source]))
    assert (source.kept, codes(ledger)) == (["first", "second", "third"], {"a": 5})
