"""Workers crawl many hosts through the real loop, with one queue in a database; the server's log is the judge.

    python benchmarks/frontier.py postgresql://root@127.0.0.1/test
    python benchmarks/frontier.py postgresql://root@127.0.0.1/test --hosts 1000 --pages 100 --gap 8

Each host is a lane of the queue, and has so many pages. All hosts are names of one loopback server, which runs in a
process of its own. A host that always starts its next page one gap after the last has a pace of 100 %. The log also
shows starts that are too close, and more requests under way than the limit allows. The server sees a request a little
after it started; so a start counts as too close below 0.9 gaps. The tables of ours in that database are dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import multiprocessing
import os
import resource
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import sqlalchemy as sa
import structlog

from stook.engine.clock import RealClock
from stook.engine.door import Door, Guard, Lanes, LaneSettings
from stook.engine.ledger import Ledger, connect, poll_queue
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, VERSION_TABLE, migrate
from stook.engine.ledger.schema import METADATA
from stook.engine.words import Announcement, Event, Found, Request, Visit, Written
from stook.engine.work import Work
from stook.run.build import lane_store
from stook.run.loop import fastest_loop

QUEUE = poll_queue("bench", "page")
BATCH = 5000
Log = dict[str, list[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Pages:
    """A source with one request a page."""

    name: str = "pages"
    queues: tuple[str, ...] = (QUEUE.name,)
    tasks: int = 4
    batch: int = 100

    def visit(self, events: Sequence[Event]) -> Visit:
        yield Request(events[0].name)
        return Found()

    def keep(self, transaction: Any, records: Sequence[Any], now: Any) -> Written:
        return Written()


# --- the server ---


def serve(answer: float, pipe: Any) -> None:
    """Sends its port, then answers requests until told to end; then sends the log."""
    log: Log = defaultdict(list)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                host = head.partition("Host: ")[2].partition("\r\n")[0].partition(":")[0]
                came = time.monotonic()
                await asyncio.sleep(answer)
                log[host].append((came, time.monotonic()))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=2000)
        pipe.send(server.sockets[0].getsockname()[1])
        await asyncio.to_thread(pipe.recv)
        server.close()

    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        runner.run(main())
    pipe.send(dict(log))


# --- the workers ---


def work(given: argparse.Namespace, ended: multiprocessing.Queue[tuple[int, int]]) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))

    async def main() -> tuple[int, int]:
        engine, dialect = connect(given.url)
        ledger = Ledger(engine, dialect, [QUEUE], RealClock())
        settings = LaneSettings(given.gap, concurrency=given.concurrency)
        lanes = Lanes(RealClock(), default=settings, store=lane_store(ledger, "run"), batch=4)
        async with Door(
            Guard(["127.0.0.0/8"]), lanes, "stook-bench", RealClock(), lookup=lambda host: ["127.0.0.1"]
        ) as door:
            tally = await Work(ledger, door, [Pages()]).run(once=True)
        ledger.close()
        return tally.outcomes.get("complete", 0), sum(tally.outcomes.values())

    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        ended.put(runner.run(main()))


def prepare(given: argparse.Namespace, port: int) -> None:
    engine, dialect = connect(given.url)
    with engine.begin() as connection:
        for name in (*(table.name for table in METADATA.sorted_tables), VERSION_TABLE):
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {name}"))
    migrate(engine, [ENGINE_MIGRATIONS])
    ledger = Ledger(engine, dialect, [QUEUE], RealClock())
    started = time.perf_counter()
    pages = [
        Announcement(QUEUE.name, f"http://h{host}.test:{port}/{page}")
        for page in range(given.pages)
        for host in range(given.hosts)
    ]
    for start in range(0, len(pages), BATCH):
        ledger.announce(pages[start : start + BATCH])
    print(f"{len(pages):,} pages of {given.hosts:,} hosts announced in {time.perf_counter() - started:.1f} s")
    ledger.close()


# --- the verdict ---


def judge(log: Log, given: argparse.Namespace) -> str:
    close = over = 0
    ideal = spent = 0.0
    slowest = 1.0
    for times in log.values():
        starts = sorted(came for came, _ in times)
        close += sum(later - earlier < given.gap * 0.9 for earlier, later in pairwise(starts))
        over += sum(sum(came <= start < went for came, went in times) > given.concurrency for start in starts)
        host = (len(starts) - 1) * given.gap
        ideal, spent = ideal + host, spent + starts[-1] - starts[0]
        slowest = min(slowest, host / (starts[-1] - starts[0]) if len(starts) > 1 else 1.0)
    first = [min(times)[0] for times in log.values()]
    lines = [
        f"pace of all hosts {ideal / spent:.1%}, of the slowest {slowest:.1%}",
        f"the last host's first request came {max(first) - min(first):.1f} s after the first of all",
        f"starts closer than 0.9 gaps {close}, above the limit of {given.concurrency} under way {over}",
    ]
    return "\n".join(lines)


def run(given: argparse.Namespace) -> None:
    context = multiprocessing.get_context("spawn")
    pipe, far_end = context.Pipe()
    server = context.Process(target=serve, args=(given.answer, far_end))
    server.start()
    given.port = pipe.recv()
    prepare(given, given.port)
    ended: multiprocessing.Queue[tuple[int, int]] = context.Queue()
    workers = [context.Process(target=work, args=(given, ended)) for _ in range(given.workers)]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for worker in workers:
        worker.start()
    counts = [ended.get() for _ in workers]
    seconds = time.perf_counter() - started
    for worker in workers:
        worker.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    pipe.send("end")
    log: Log = pipe.recv()
    server.join()
    requests = sum(map(len, log.values()))
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / max(requests, 1) * 1e3
    done, looked = (sum(column) for column in zip(*counts, strict=True))
    print(
        f"{requests:,} requests, {done:,} of {looked:,} visits complete, by {given.workers} workers in {seconds:.1f} s"
    )
    print(f"{requests / seconds:,.1f} requests/s, {cpu:.2f} ms CPU of the workers each, load {os.getloadavg()[0]:.1f}")
    print(judge(log, given))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--gap", type=float, default=3.0, help="seconds between two starts to one host")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--answer", type=float, default=0.05, help="seconds in which the server answers")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
