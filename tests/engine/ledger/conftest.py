"""A ledger on every engine, with a clock that stands still, and short ways to look at its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from stook.engine.ledger import Ledger, Queue, Receipt, Transaction, VisitResult, connect, poll_queue
from stook.engine.ledger.schema import (
    METADATA,
    POLL,
    QUEUE_LANE,
    STATUS,
    VALIDATOR,
    column,
    due_index,
    queue_columns,
    table,
    unquoted,
)
from stook.engine.ledger.types import Identity, Json, small
from stook.engine.words import Announcement, Code, Event, Found, Outcome, Validators, Visit, Written
from stook.registries.cargo.sources import VERSIONS
from stook.testing import ManualClock

PAGES = poll_queue("pages", "page")
FEEDS = poll_queue("feeds", "feed")
OWN = sa.MetaData()
FRONTIER_TABLE = table(
    "TB_TEST_FRONTIER",
    *queue_columns(lane=True),
    column("URL", Identity(512), null=False),
    column("DEPTH", small()),
    metadata=OWN,
)
due_index(FRONTIER_TABLE)
FRONTIER = Queue("frontier", "page", FRONTIER_TABLE, "URL", fact_columns=("DEPTH",), has_lanes=True)
RECORDS = sa.Table(
    unquoted("TB_TEST_RECORD"),
    sa.MetaData(),
    sa.Column(unquoted("NAME"), Identity(64), primary_key=True),
    sa.Column(unquoted("FACTS"), Json()),
)


@dataclass(slots=True)
class Shelf:
    """A source that keeps (name, JSON text) pairs; `broken` is raised instead, if set."""

    name: str = "shelf"
    queues: tuple[str, ...] = ("pages",)
    tasks: int = 4
    batch: int = 10
    broken: Exception | None = None

    def visit(self, events: Sequence[Event]) -> Visit:
        raise NotImplementedError

    def keep(self, transaction: Transaction, records: Sequence[Any], now: datetime) -> Written:
        if self.broken:
            raise self.broken
        transaction.upsert(RECORDS, ["NAME", "FACTS"], records, ["FACTS"])
        return Written({"record": len(records)})


@dataclass(slots=True)
class Bench:
    """The ledger under test. `announce`, `claim` and `end` say the usual things in short."""

    ledger: Ledger
    clock: ManualClock
    source: Shelf = field(default_factory=Shelf)

    def announce(self, *names: str, queue: str = "pages", **more: Any) -> list[bytes]:
        """Events named `name` or `name@version`."""
        split = [name.partition("@") for name in names]
        return self.ledger.announce([Announcement(queue, name, version, **more) for name, _, version in split])

    def claim(self, limit: int = 10, queue: str = "pages", **more: Any) -> list[Event]:
        return self.ledger.claim(queue, limit, **more)

    def end(
        self,
        events: Sequence[Event],
        outcome: Outcome | Code = Code.COMPLETE,
        validators: Mapping[str, Validators] | None = None,
        **found: Any,
    ) -> Receipt:
        """Keep one visit about all these events."""
        ended = outcome if isinstance(outcome, Outcome) else Outcome(outcome)
        visit = VisitResult(self.source, events, Found(ended, **found), validators or {})
        return self.ledger.keep([visit])

    def row(self, identity: bytes, queue: str = "pages") -> dict[str, Any]:
        table = self.ledger.queues[queue].table
        with self.ledger.reading() as connection:
            found = connection.execute(sa.select(table).where(table.c["ID"] == identity)).mappings().one()
        return {str(key): value for key, value in found.items()}

    def count(self, table: sa.Table) -> int:
        with self.ledger.reading() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())

    def put(self, identity: bytes, queue: str = "pages", **columns: Any) -> None:
        """What an operator does by SQL."""
        table = self.ledger.queues[queue].table
        with self.ledger.transaction() as transaction:
            transaction.execute(sa.update(table).where(table.c["ID"] == identity).values(columns))

    def records(self) -> dict[str, str]:
        with self.ledger.reading() as connection:
            return {str(name): str(facts) for name, facts in connection.execute(sa.select(RECORDS))}

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def later(self, seconds: float) -> datetime:
        return self.now + timedelta(seconds=seconds)


def open_bench(url: str) -> Bench:
    engine, dialect = connect(url)
    METADATA.create_all(engine, tables=[POLL, QUEUE_LANE, STATUS, VALIDATOR, VERSIONS.table])
    RECORDS.metadata.create_all(engine)
    OWN.create_all(engine)
    queues: tuple[Queue, ...] = (VERSIONS, PAGES, FEEDS, FRONTIER)
    clock = ManualClock(jumps=False)
    return Bench(Ledger(engine, dialect, queues, clock), clock)


@pytest.fixture
def bench(database_url: str) -> Iterator[Bench]:
    """On every engine."""
    opened = open_bench(database_url)
    yield opened
    opened.ledger.close()


@pytest.fixture
def sqlite_bench(sqlite_url: str) -> Iterator[Bench]:
    """For what does not depend on the engine."""
    opened = open_bench(sqlite_url)
    yield opened
    opened.ledger.close()


@pytest.fixture(params=["postgresql", "mariadb"])
def shared_bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """On engines where several transactions write at once."""
    opened = open_bench(request.getfixturevalue(f"{request.param}_url"))
    yield opened
    opened.ledger.close()
