"""How fast the Go index is taken into the queue, cursor and events together, against Software Heritage's Go lister.

    python benchmarks/feed.py sqlite:////tmp/feed.db --pages 500
    python benchmarks/feed.py postgresql://127.0.0.1/test --pages 100 --swh /path/to/venv/bin/python

A small server of our own, in a process of its own, gives made-up pages of 2,000 events. The run is the real one:
loop, door, ledger. `first` walks all pages, `again` walks them a second time and changes nothing. With --swh, the
lister of that Python's `swh.lister` walks up to 20 of the same pages into its in-memory scheduler (or into PostgreSQL
with --swh-db), before and after ours. The tables are dropped first.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from multiprocessing.synchronize import Event as Signal
from urllib.parse import unquote

import sqlalchemy as sa

from stook.engine.clock import RealClock
from stook.engine.door import Door, Guard, Lanes, LaneSettings
from stook.engine.ledger import Ledger, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.ledger.schema import METADATA
from stook.engine.words import Announcement
from stook.engine.work import Work
from stook.registries.golang.product import PRODUCT
from stook.registries.golang.queues import FEED, QUEUES
from stook.registries.golang.sources import GoFeed
from stook.terminal.logs import configure_logs

PAGE = 2000
PORT = 18091
START = datetime(2019, 4, 10, tzinfo=UTC)
STEP = timedelta(microseconds=1_700_123)
SWH = """
import sys, time
from swh.scheduler import get_scheduler
from swh.lister.golang.lister import GolangLister
url, pages, database = sys.argv[1], int(sys.argv[2]), sys.argv[3]
scheduler = get_scheduler("postgresql", db=database) if database else get_scheduler("memory")
lister = GolangLister(scheduler=scheduler, url=url, instance=str(time.time()), incremental=True, max_pages=pages)
started = time.perf_counter()
stats = lister.run()
print(stats.pages * 2000 / (time.perf_counter() - started))
"""


def line(number: int) -> str:
    """One event: mostly a module of its own, every fifth a further version of an earlier one."""
    owner = sha256(str(number - number % 5 if number % 5 == 4 else number).encode()).hexdigest()
    moment = (START + STEP * number).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    path = f"github.com/{owner[:8]}/{owner[8:20]}"
    return f'{{"Path":"{path}","Version":"v1.{number % 90}.{number % 7}","Timestamp":"{moment}"}}\n'


def serve(pages: int, ready: Signal) -> None:
    """The index: pages overlap by one event, as the real ones do."""
    answers: dict[str, bytes] = {}
    for page in range(pages):
        first = page * (PAGE - 1)
        body = "".join(map(line, range(first, first + PAGE))).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        since = (START + STEP * first).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        answers[since if page else ""] = head.encode() + body
    answers[(START + STEP * pages * (PAGE - 1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")] = (
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    )
    asyncio.run(_listen(answers, ready))


async def _listen(answers: dict[str, bytes], ready: Signal) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                query = unquote(head.split(" ", 2)[1].partition("?")[2])
                asked = dict(part.partition("=")[::2] for part in query.split("&"))
                writer.write(answers.get(asked.get("since", ""), answers[""]))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", PORT)
    ready.set()
    await server.serve_forever()


def prepared(url: str) -> Ledger:
    engine, dialect = connect(url)
    with engine.begin() as connection:
        for name in [*(table.name for table in METADATA.tables.values()), "tb_schema_version"]:
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {name}"))
    migrate(engine, [ENGINE_MIGRATIONS, *PRODUCT.migrations])
    return Ledger(engine, dialect, QUEUES, RealClock())


async def walk(ledger: Ledger, name: str, pages: int) -> tuple[float, float, int]:
    """Seconds, seconds of this process's CPU, and rows written, for so many pages of a range of that name."""
    clock = RealClock()
    ledger.announce([Announcement(FEED.name, name, source="bench")])
    started, spent = time.perf_counter(), time.process_time()
    async with Door(Guard(["127.0.0.0/8"]), Lanes(clock, default=LaneSettings(0.0)), "stook-bench", clock) as door:
        tally = await Work(ledger, door, [GoFeed(f"http://127.0.0.1:{PORT}")]).run(once=True, visits=-(-pages // 60))
    return time.perf_counter() - started, time.process_time() - spent, tally.written["list"]


def measure(ledger: Ledger, pages: int, steps: int) -> None:
    """The walk in steps, so that growth shows; then all of it again."""
    print(f"{'walk':8} {'events so far':>14} {'events/s':>10} {'µs CPU/event':>13}")
    total = 0
    for _ in range(steps):
        count = pages // steps
        seconds, cpu, rows = asyncio.run(walk(ledger, "default", count))
        total += rows
        print(f"{'first':8} {total:14,} {rows / seconds:10,.0f} {cpu / max(rows, 1) * 1e6:13.1f}")
    seconds, cpu, rows = asyncio.run(walk(ledger, "default/again", pages))
    events = pages * (PAGE - 1)
    print(f"{'again':8} {events:14,} {events / seconds:10,.0f} {cpu / events * 1e6:13.1f}   {rows} rows written")


def peer(python: str, pages: int, database: str) -> None:
    url = f"http://127.0.0.1:{PORT}/index"
    found = subprocess.run(
        [python, "-c", SWH, url, str(min(pages, 20)), database], capture_output=True, text=True, check=False
    )
    rate = found.stdout.strip().splitlines()[-1:] or [found.stderr.strip()[-300:]]
    where = "PostgreSQL" if database else "in-memory"
    print(f"swh.lister, {where} scheduler: {rate[0]} events/s over {min(pages, 20)} pages")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="a database that may be written to; our tables in it are dropped")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--swh", metavar="PYTHON", help="a Python that has swh.lister")
    parser.add_argument("--swh-db", default="", help="libpq words of a database prepared for swh.scheduler")
    chosen = parser.parse_args()
    configure_logs("warning", "text")
    ready = multiprocessing.Event()
    server = multiprocessing.Process(target=serve, args=(chosen.pages, ready), daemon=True)
    server.start()
    ready.wait(600)
    try:
        for _ in range(1):
            if chosen.swh:
                peer(chosen.swh, chosen.pages, chosen.swh_db)
            ledger = prepared(chosen.url)
            print(f"stook into {ledger.dialect.name}")
            measure(ledger, chosen.pages, chosen.steps)
            ledger.close()
            if chosen.swh:
                peer(chosen.swh, chosen.pages, chosen.swh_db)
    finally:
        server.terminate()


if __name__ == "__main__":
    sys.exit(main())
