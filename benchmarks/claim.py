"""How long a claim of 300 takes as the queue grows: one due column against a ready state with a promoter.

    python benchmarks/claim.py sqlite:////tmp/claim.db --rows 10000 1000000
    python benchmarks/claim.py postgresql://127.0.0.1/test --rows 10000 1000000 --mix backlog steady
    python benchmarks/claim.py sqlite:////tmp/claim.db --rows 10000 1000000 --layouts lanes --lanes 100000

Both layouts live in one database and take turns, claim by claim. `due` is the ledger's own claim on its own table;
`ready` is a small prototype of the layout that was not chosen: `WHERE state = 0 ORDER BY ts`, an index (state, ts),
and a promoter that moves what has come due. `--layouts due` leaves it out: its key is slow to fill on InnoDB. `lanes`
is the ledger's claim of EACH events from each lane, the events spread over so many lanes; it stands alone, and the last
figure says from how many lanes a claim took. The tables are dropped at the end.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from stook.engine.clock import RealClock
from stook.engine.ledger import Ledger, Transaction, VisitResult, connect, poll_queue
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.ledger.schema import LANE, POLL, QUEUE_LANE, STATUS, VALIDATOR
from stook.engine.ledger.types import Binary, Moment
from stook.engine.words import Found

CLAIM = 300
EACH = 4
CLAIMS = 30
BATCH = 10_000
QUEUE = poll_queue("bench", "bench")
READY = sa.Table(
    "bench_ready",
    sa.MetaData(),
    sa.Column("id", Binary(24, fixed=True), primary_key=True),
    sa.Column("state", sa.SmallInteger, nullable=False),
    sa.Column("ts", Moment(), nullable=False),
    sa.Column("due_at", Moment()),
    sa.Column("lease", sa.BigInteger),
    sa.Column("name", sa.String(200)),
    sqlite_with_rowid=False,
)
sa.Index("bench_ready_ts", READY.c.state, READY.c.ts)
sa.Index("bench_ready_due", READY.c.state, READY.c.due_at)


class _Source:
    """Keeps nothing: the benchmark is about the queue."""

    name = "bench"


def rows(count: int, mix: str) -> Iterator[tuple[bytes, str, int, datetime, datetime | None]]:
    """(id, name, processed, time, due): all ready, or 95 % done, 2 % waiting and 3 % ready."""
    now = datetime.now(UTC).replace(tzinfo=None)
    for number in range(count):
        name = f"package-{number:09d}"
        moment = now - timedelta(milliseconds=count - number)
        place = number % 100
        processed, due = 0, moment
        if mix == "steady" and place >= 3:
            processed, due = (30, now + timedelta(days=1)) if place < 5 else (1, None)
        yield sha256(name.encode()).digest()[:24], name, processed, moment, due


def fill(ledger: Ledger, count: int, mix: str, layouts: Sequence[str], lanes: int) -> None:
    """The tables, the same rows; all lanes are due."""
    READY.metadata.create_all(ledger.engine)
    columns = "ID PROCESSED DUE_AT CREATED LAST_UPDATED QUEUE NAME LANE".split()
    if "lanes" in layouts:
        now = datetime.now(UTC).replace(tzinfo=None)
        with ledger.transaction() as transaction:
            for number in range(min(lanes, count)):
                transaction.wake_lane(QUEUE.name, lane_of(number, lanes), now - timedelta(milliseconds=count - number))
    some: list[Any] = []
    for row in rows(count, mix):
        some.append(row)
        if len(some) == BATCH:
            _fill(ledger, columns, some, layouts, lanes)
            some = []
    if some:
        _fill(ledger, columns, some, layouts, lanes)
    with ledger.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if ledger.dialect.name != "mysql":
            connection.exec_driver_sql("ANALYZE")


def lane_of(number: int, lanes: int) -> str:
    return f"host-{number % lanes}.example"


def _fill(ledger: Ledger, columns: list[str], some: list[Any], layouts: Sequence[str], lanes: int) -> None:
    with ledger.transaction() as transaction:
        at = transaction.moment
        has_lanes = "lanes" in layouts
        due = [
            (i, p, at(d), at(t), at(t), "bench", n, lane_of(int(n.rpartition("-")[2]), lanes) if has_lanes else "")
            for i, n, p, t, d in some
        ]
        transaction.insert_fresh(POLL, columns, due)
        if "ready" in layouts:
            ready = [(i, p, at(t), at(d), n) for i, n, p, t, d in some]
            transaction.insert_fresh(READY, ["id", "state", "ts", "due_at", "name"], ready)


def claim_due(ledger: Ledger) -> Any:
    return ledger.claim(QUEUE.name, CLAIM)


def settle_due(ledger: Ledger, events: Any) -> None:
    ledger.keep([VisitResult(_Source(), events, Found())])  # type: ignore[arg-type]


def claim_lanes(ledger: Ledger) -> Any:
    return ledger.claim(QUEUE.name, CLAIM, each=EACH)


def claim_ready(ledger: Ledger) -> Any:
    """The promoter's look for what has come due belongs to the price of this layout."""
    now = ledger.clock.now()
    with ledger.transaction() as transaction:
        _promote(transaction, now)
        head = sa.select(READY.c.id, READY.c.name).where(READY.c.state == 0).order_by(READY.c.ts).limit(CLAIM)
        found = list(transaction.execute(head.with_for_update(skip_locked=True)))
        held = sa.update(READY).where(READY.c.id.in_([row[0] for row in found]))
        transaction.execute(held.values(state=20, due_at=now + timedelta(minutes=2), lease=1))
    return found


def _promote(transaction: Transaction, now: datetime) -> None:
    waiting = sa.select(READY.c.id).where(READY.c.state == 30, READY.c.due_at <= now).limit(1000)
    due = transaction.execute(waiting).scalars().all()
    if due:
        transaction.execute(sa.update(READY).where(READY.c.id.in_(due)).values(state=0))


def settle_ready(ledger: Ledger, found: Any) -> None:
    with ledger.transaction() as transaction:
        done = sa.update(READY).where(READY.c.id.in_([row[0] for row in found]), READY.c.lease == 1)
        transaction.execute(done.values(state=1, due_at=None, lease=None))


def timed(action: Callable[[Ledger], Any], ledger: Ledger) -> tuple[float, Any]:
    started = time.perf_counter()
    found = action(ledger)
    return (time.perf_counter() - started) * 1000, found


LAYOUTS = {"due": (claim_due, settle_due), "ready": (claim_ready, settle_ready), "lanes": (claim_lanes, settle_due)}


def measure(ledger: Ledger, layouts: Sequence[str]) -> tuple[dict[str, list[float]], list[int]]:
    """Milliseconds of each claim, the layouts in turn; from how many lanes each took."""
    times: dict[str, list[float]] = {name: [] for name in layouts}
    widths: list[int] = []
    for _ in range(CLAIMS):
        for name in layouts:
            claim, settle = LAYOUTS[name]
            spent, found = timed(claim, ledger)
            assert len(found) == CLAIM, f"{name}: {len(found)} events"
            times[name].append(spent)
            settle(ledger, found)
            if name == "lanes":
                widths.append(len({event.lane for event in found}))
    return times, widths


def show(mix: str, count: int, times: Mapping[str, Sequence[float]], widths: Sequence[int]) -> None:
    cells = [
        f"{statistics.median(some):8.1f} ({sorted(some)[int(len(some) * 0.95) - 1]:5.1f})" for some in times.values()
    ]
    width = f" {statistics.median(widths):8.0f} lanes" if widths else ""
    print(f"{mix:8} {count:12,} " + " ".join(f"{cell:>16}" for cell in cells) + width, flush=True)


def hurry(engine: sa.Engine) -> None:
    """Do not wait for the disk at each commit."""
    word = {
        "sqlite": "PRAGMA synchronous=OFF",
        "postgresql": "SET synchronous_commit = off",
        "mysql": "DO 0",
    }

    def prepare(connection: Any, record: object) -> None:
        connection.cursor().execute(word[engine.dialect.name])

    sa.event.listen(engine, "connect", prepare)


def drop(ledger: Ledger) -> None:
    READY.metadata.drop_all(ledger.engine)
    with ledger.engine.begin() as connection:
        for table in (LANE, POLL, QUEUE_LANE, STATUS, VALIDATOR):
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {table.name}"))
        connection.execute(sa.text("DROP TABLE IF EXISTS tb_schema_version"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="a database that may be written to; its tables of ours are dropped")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--layouts", nargs="+", choices=list(LAYOUTS), default=["due", "ready"])
    parser.add_argument("--lanes", type=int, default=100_000)
    parser.add_argument("--unsafe-fast", action="store_true", help="fill and measure without waiting for the disk")
    parser.add_argument("--mix", nargs="+", choices=["backlog", "steady"], default=["backlog", "steady"])
    chosen = parser.parse_args()
    engine, dialect = connect(chosen.url)
    if chosen.unsafe_fast:
        hurry(engine)
    ledger = Ledger(engine, dialect, [QUEUE], RealClock())
    print(f"{dialect.name}: median (p95) ms of {CLAIMS} claims of {CLAIM}")
    print(f"{'mix':8} {'rows':>12} " + " ".join(f"{name:>16}" for name in chosen.layouts))
    for mix in chosen.mix:
        for count in chosen.rows:
            if mix == "steady" and count * 3 // 100 < CLAIM * CLAIMS:
                count = CLAIM * CLAIMS * 100 // 3 + 1000
            drop(ledger)
            migrate(engine, [ENGINE_MIGRATIONS])
            fill(ledger, count, mix, chosen.layouts, chosen.lanes)
            show(mix, count, *measure(ledger, chosen.layouts))
    drop(ledger)
    engine.dispose()


if __name__ == "__main__":
    main()
