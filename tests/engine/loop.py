"""Doubles for the loop: sources made of one function, a scripted door, a ledger with faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger import Ledger, Transaction, connect, poll_queue
from stook.engine.ledger.schema import METADATA, POLL, QUEUE_LANE, STATUS, VALIDATOR
from stook.engine.tally import Tally
from stook.engine.words import Announcement, Code, Found, Outcome, Reply, Request, Validators, Written
from stook.engine.work import Work

TROUBLE = sa.exc.OperationalError("", None, Exception("the database is away"))


def url(event):
    return f"https://example.org/{event.name}"


def plain(events):
    """One request, and done."""
    reply = yield Request(url(events[0]))
    return Found(Outcome(Code.COMPLETE, status=reply.status), records=[reply.body.decode()])


def conditional(events):
    """One conditional request."""
    reply = yield Request(url(events[0]), conditional=True, afresh=any(event.resync for event in events))
    return Found(records=["same" if reply.not_modified else reply.body.decode()])


@dataclass(slots=True)
class Kind:
    """A source made of one visit function; remembers what it kept."""

    behaviour: Callable[..., Any] = plain
    name: str = "kind"
    queues: tuple[str, ...] = ("pages",)
    tasks: int = 3
    batch: int = 10
    kept: list[Any] = field(default_factory=list)

    def visit(self, events):
        return self.behaviour(events)

    def keep(self, transaction: Transaction, records: Sequence[Any], now: Any) -> Written:
        self.kept += records
        return Written({"record": len(records)})


@dataclass(slots=True)
class Script:
    """A door: an answer is a reply, an error, or a coroutine function; unknown URLs answer 200 with their path."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Validators | None]] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    async def fetch(self, request: Request, validators: Validators | None = None) -> Reply:
        name = request.url.rpartition("/")[2]
        self.asked.append((name, validators))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            answer = self.answers.get(name) or Reply(request.url, 200, name.encode(), {"etag": f'"{name}"'})
            await asyncio.sleep(0)
            answer = await answer() if callable(answer) else answer
        finally:
            self.under_way -= 1
        if isinstance(answer, Exception):
            raise answer
        return answer


class Faulty(Ledger):
    """A ledger whose methods can be told to raise first: `faults` by method, each used once.

    `after` does the work before it raises.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.faults: dict[str, list[Exception]] = {}
        self.after: dict[str, list[Exception]] = {}
        self.calls: list[str] = []

    def _maybe(self, name: str, work: Callable[[], Any]) -> Any:
        self.calls.append(name)
        if self.faults.get(name):
            raise self.faults[name].pop(0)
        done = work()
        if self.after.get(name):
            raise self.after[name].pop(0)
        return done

    def claim(self, queue, limit, **more):
        return self._maybe("claim", lambda: super(Faulty, self).claim(queue, limit, **more))

    def keep(self, batch):
        return self._maybe("keep", lambda: super(Faulty, self).keep(batch))

    def renew(self, events):
        return self._maybe("renew", lambda: super(Faulty, self).renew(events))

    def validators(self, urls):
        return self._maybe("validators", lambda: super(Faulty, self).validators(urls))

    def release_abandoned(self, ours=None, queues=None):
        return self._maybe("release_abandoned", lambda: super(Faulty, self).release_abandoned(ours, queues))


def open_ledger(url: str, clock: Any, lease: float = 120.0) -> Faulty:
    engine, dialect = connect(url)
    METADATA.create_all(engine, tables=[POLL, QUEUE_LANE, STATUS, VALIDATOR])
    return Faulty(engine, dialect, [poll_queue("pages", "page"), poll_queue("extras", "extra")], clock, lease)


def announce(ledger, *names, queue="pages", **more):
    return ledger.announce([Announcement(queue, name, **more) for name in names])


def rows(ledger):
    with ledger.reading() as connection:
        found = connection.execute(sa.select(POLL)).mappings().all()
    return {row["NAME"]: row for row in found}


async def until(condition: Callable[[], Any]) -> None:
    """Wait for what happens in the database's thread."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110  nobody there could set an event of this loop
            await asyncio.sleep(0.001)


def codes(ledger):
    return {name: row["PROCESSED"] for name, row in rows(ledger).items()}


def run(work: Work, limit: float = 20.0, **more: Any) -> Tally:
    """Run to the end; a loop that hangs fails the test."""
    return asyncio.run(asyncio.wait_for(work.run(once=True, **more), limit))


def is_empty(work: Work) -> bool:
    """Whether the loop still remembers any event."""
    claims = work._claims
    return claims.is_empty and work._keeper.is_empty and not (work._visits or +claims._busy or claims._lanes)
