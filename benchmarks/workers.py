"""Many worker processes drain one queue of synthetic events through the real loop; then the claim they replace.

    python benchmarks/workers.py postgresql://127.0.0.1/test --events 1000000 --workers 8
    python benchmarks/workers.py mysql://root@127.0.0.1/test --events 1000000 --workers 8 --seconds 60

Visits ask nobody and find nothing, so what is measured is claim, keep and settle. Each transaction that keeps visits
adds a line with the number of its events and two sums over their ids; at the end the lines must add up to every event
exactly once. Then as many processes work on a table of the same size by the claim of old: `PROCESSED = 0 OR (PROCESSED
= 30 AND LAST_UPDATED < …) OR …` over nine rungs, newest first; three tenths of that table are due, or with --same all
of it, as of ours. Tables of ours in that database are dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
import structlog

from stook.engine.clock import RealClock
from stook.engine.ledger import Ledger, Transaction, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, VERSION_TABLE, migrate
from stook.engine.ledger.schema import METADATA, unquoted
from stook.engine.ledger.types import Binary, Moment
from stook.engine.words import Announcement, Event, Found, Visit, Written
from stook.engine.work import Work
from stook.registries.golang.product import PRODUCT
from stook.registries.golang.queues import VERSIONS
from stook.run.loop import fastest_loop

CLAIM = 300
BATCH = 10_000
PER_PACKAGE = 5
BIG = 1 << 61
HOURS = (6, 12, 24, 48, 72, 120, 168, 336, 720)
MADE = sa.MetaData()
SEEN = sa.Table(
    unquoted("bench_seen"),
    MADE,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("events", sa.BigInteger),
    sa.Column("total", sa.BigInteger),
    sa.Column("squares", sa.BigInteger),
)
OLD = sa.Table(
    unquoted("bench_or"),
    MADE,
    sa.Column("id", Binary(24, fixed=True), primary_key=True),
    sa.Column("processed", sa.SmallInteger, nullable=False),
    sa.Column("ts", Moment(), nullable=False),
    sa.Column("last_updated", Moment(), nullable=False),
    sa.Column("lease", sa.BigInteger),
    sa.Column("name", sa.String(200)),
)
sa.Index("bench_or_ts", OLD.c.processed, OLD.c.ts)


def fingerprint(identity: bytes) -> int:
    return int.from_bytes(identity[-7:])


def sums(ids: Sequence[bytes]) -> tuple[int, int, int]:
    """How many, and two numbers that change when an event is missing or comes twice."""
    numbers = [fingerprint(identity) for identity in ids]
    return len(ids), sum(numbers) % BIG, sum(number * number for number in numbers) % BIG


@dataclass(slots=True)
class Stub:
    """A source that asks nobody."""

    name: str = "stub"
    queues: tuple[str, ...] = (VERSIONS.name,)
    tasks: int = 16
    batch: int = CLAIM
    written: int = 0

    def visit(self, events: Sequence[Event]) -> Visit:
        return Found(records=[event.id for event in events])
        yield  # what makes it a generator

    def keep(self, transaction: Transaction, records: Sequence[Any], now: datetime) -> Written:
        self.written += 1
        number = (os.getpid() << 31) + self.written
        transaction.insert_missing(SEEN, ["number", "events", "total", "squares"], [(number, *sums(records))])
        return Written({"events": len(records)})


@dataclass(slots=True)
class Watched:
    """What one worker saw."""

    claims: list[float] = field(default_factory=list)
    blind: int = 0  # claims that came back empty though many events were due
    troubles: Counter[str] = field(default_factory=Counter)
    events: int = 0
    failed: int = 0


class WatchedLedger(Ledger):
    """Times each claim, and looks twice at an empty one."""

    watched: Watched
    many: int

    def claim(self, queue: str, limit: int) -> list[Event]:
        started = time.perf_counter()
        found = super().claim(queue, limit)
        self.watched.claims.append(time.perf_counter() - started)
        if not found and self._due() > self.many:
            self.watched.blind += 1
        return found

    def _due(self) -> int:
        due = VERSIONS.table.c["DUE_AT"]
        some = sa.select(sa.literal(1).label("one")).where(due <= self.clock.now()).limit(self.many + 1).subquery()
        with self.reading() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())


def work(url: str, workers: int, ready: Any, answers: Any) -> None:
    """One worker process."""
    watched = Watched()

    def count(_: Any, method: str, told: Any) -> Any:
        watched.troubles[f"{told['event']}: {str(told.get('reason', ''))[:60]}"] += 1
        raise structlog.DropEvent

    structlog.configure(processors=[count])
    engine, dialect = connect(url)
    ledger = WatchedLedger(engine, dialect, [VERSIONS], RealClock(), 600.0)
    ledger.watched, ledger.many = watched, workers * CLAIM * 2
    ready.wait()
    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        tally = runner.run(Work(ledger, None, [Stub()]).run(once=True))  # type: ignore[arg-type]
    watched.events, watched.failed = sum(tally.written.values()), tally.failed
    answers.put(watched)


def old_claim(connection: sa.Connection, now: datetime) -> list[bytes]:
    rungs = [
        sa.and_(OLD.c.processed == 30 + rung, OLD.c.last_updated < now - timedelta(hours=hours))
        for rung, hours in enumerate(HOURS)
    ]
    head = sa.select(OLD.c.id).where(sa.or_(OLD.c.processed == 0, *rungs)).order_by(OLD.c.ts.desc()).limit(CLAIM)
    ids = list(connection.execute(head.with_for_update(skip_locked=True)).scalars())
    if ids:
        connection.execute(sa.update(OLD).where(OLD.c.id.in_(ids)).values(processed=20, last_updated=now))
    return ids


def old_work(url: str, seconds: float, ready: Any, answers: Any) -> None:
    """The claim of old: claim and complete in two transactions, until the time is over."""
    engine, _ = connect(url)
    done = empty = troubles = 0
    times: list[float] = []
    ready.wait()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = datetime.now(UTC).replace(tzinfo=None)
        started = time.perf_counter()
        try:
            with engine.begin() as connection:
                ids = old_claim(connection, now)
            times.append(time.perf_counter() - started)
            with engine.begin() as connection:
                finished = sa.update(OLD).where(OLD.c.id.in_(sorted(ids))).values(processed=1, last_updated=now)
                connection.execute(finished) if ids else None
        except sa.exc.OperationalError:
            troubles += 1
            continue
        done += len(ids)
        empty += not ids
    answers.put((done, empty, troubles, times))


def together(target: Any, count: int, *arguments: Any) -> tuple[list[Any], float]:
    """The answers of so many processes that begin at one moment, and how long they took together."""
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(count + 1), context.Queue()
    processes = [context.Process(target=target, args=(*arguments, ready, answers)) for _ in range(count)]
    for process in processes:
        process.start()
    ready.wait()
    started = time.perf_counter()
    found = [answers.get() for _ in processes]
    spent = time.perf_counter() - started
    for process in processes:
        process.join()
    return found, spent


def announcements(count: int) -> Iterator[list[Announcement]]:
    """Packages of some versions each, as a feed tells them: mixed."""
    packages = max(count // PER_PACKAGE, 1)
    some: list[Announcement] = []
    for number in range(count):
        some.append(
            Announcement(
                VERSIONS.name, f"example.org/package-{number % packages}", f"v1.{number // packages}.0", "bench"
            )
        )
        if len(some) == BATCH:
            yield some
            some = []
    if some:
        yield some


def fill(ledger: Ledger, count: int) -> tuple[int, int, int]:
    """Enqueue; returns what the workers' lines must add up to."""
    expected = (0, 0, 0)
    for some in announcements(count):
        part = sums(ledger.announce(some))
        expected = (expected[0] + part[0], (expected[1] + part[1]) % BIG, (expected[2] + part[2]) % BIG)
    return expected


def fill_old(ledger: Ledger, count: int, *, is_same: bool) -> None:
    """60 % done, 30 % pending, 10 % spread over the rungs; or all pending."""
    now = datetime.now(UTC).replace(tzinfo=None)
    for begin in range(0, count, BATCH):
        rows = []
        with ledger.transaction() as transaction:
            for number in range(begin, min(begin + BATCH, count)):
                place = number % 100
                state = 0 if is_same else 1 if place < 60 else 0 if place < 90 else 30 + number % 9
                moment = transaction.moment(now - timedelta(seconds=count - number))
                rows.append((sha256(str(number).encode()).digest()[:24], state, moment, moment, f"package-{number}"))
            transaction.insert_fresh(OLD, ["id", "processed", "ts", "last_updated", "name"], rows)


def analyze(ledger: Ledger) -> None:
    with ledger.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if ledger.dialect.name == "mysql":
            connection.exec_driver_sql(f"ANALYZE TABLE {VERSIONS.table.name}, {OLD.name}")
        else:
            connection.exec_driver_sql("ANALYZE")


def drop(engine: sa.Engine) -> None:
    MADE.drop_all(engine)
    with engine.begin() as connection:
        for table in METADATA.sorted_tables:
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {table.name}"))
        connection.execute(sa.text(f"DROP TABLE IF EXISTS {VERSION_TABLE}"))


def total(ledger: Ledger) -> tuple[int, int, int]:
    with ledger.reading() as connection:
        lines = list(connection.execute(sa.select(SEEN.c.events, SEEN.c.total, SEEN.c.squares)))
    return sum(line[0] for line in lines), sum(line[1] for line in lines) % BIG, sum(line[2] for line in lines) % BIG


def codes(ledger: Ledger) -> dict[int, int]:
    table = VERSIONS.table
    by_code = sa.select(table.c["PROCESSED"], sa.func.count()).group_by(table.c["PROCESSED"])
    with ledger.reading() as connection:
        return {int(code): int(count) for code, count in connection.execute(by_code)}


def percentiles(times: Sequence[float]) -> str:
    ordered = sorted(times) or [0.0]
    middle, high = (ordered[int((len(ordered) - 1) * part)] * 1000 for part in (0.5, 0.95))
    return f"claim {middle:.0f} ms (p95 {high:.0f})"


def measure_ours(ledger: Ledger, url: str, chosen: argparse.Namespace) -> float:
    started = time.perf_counter()
    expected = fill(ledger, chosen.events)
    spent = time.perf_counter() - started
    print(f"filled {chosen.events:,} events in {spent:.1f} s, {chosen.events / spent:,.0f}/s", flush=True)
    analyze(ledger)
    watched, spent = together(work, chosen.workers, url, chosen.workers)
    rate = chosen.events / spent
    found = total(ledger)
    print(f"ours: {rate:,.0f} events/s with {chosen.workers} workers in {spent:.1f} s;", end=" ")
    print(percentiles([one for some in watched for one in some.claims]), end="; ")
    print(f"each worker {min(one.events for one in watched):,} to {max(one.events for one in watched):,}")
    troubles: Counter[str] = sum((one.troubles for one in watched), Counter())
    print(f"blind claims {sum(one.blind for one in watched)}; retried {dict(troubles)}; codes {codes(ledger)}")
    assert found == expected, f"not every event exactly once: {found[0]:,} of {expected[0]:,}"
    assert not any(one.failed or one.blind for one in watched), "trouble reached the user"
    print("every event exactly once", flush=True)
    return rate


def measure_old(ledger: Ledger, url: str, chosen: argparse.Namespace) -> float:
    fill_old(ledger, chosen.events, is_same=chosen.same)
    analyze(ledger)
    answers, spent = together(old_work, chosen.workers, url, chosen.seconds)
    done, empty, troubles = (sum(one[place] for one in answers) for place in range(3))
    rate = done / spent
    times = percentiles([t for one in answers for t in one[3]])
    print(f"OR over nine rungs: {rate:,.0f} events/s in {spent:.1f} s; {times};", end=" ")
    print(f"{empty} empty claims, {troubles} deadlocks or time-outs")
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="a database that may be written to; its tables of ours are dropped")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long the old claim is measured")
    parser.add_argument("--same", action="store_true", help="all events of the old table are due, too")
    chosen = parser.parse_args()
    engine, dialect = connect(chosen.url)
    drop(engine)
    migrate(engine, [ENGINE_MIGRATIONS, *PRODUCT.migrations])
    MADE.create_all(engine)
    ledger = Ledger(engine, dialect, [VERSIONS], RealClock(), 600.0)
    print(f"{dialect.name}: load before {os.getloadavg()[0]:.1f}")
    ours = measure_ours(ledger, chosen.url, chosen)
    old = measure_old(ledger, chosen.url, chosen)
    print(f"ratio {ours / max(old, 1e-9):.1f}; load after {os.getloadavg()[0]:.1f}")
    drop(engine)
    engine.dispose()


if __name__ == "__main__":
    main()
