"""A pool of processes asks many hosts through one table of lanes; the server's log judges gap and limit of each.

    python benchmarks/pool.py postgresql://root@127.0.0.1/test
    python benchmarks/pool.py mysql://root@127.0.0.1/test --hosts 1000 --pages 100 --workers 8

All hosts are names of one loopback server, which answers after some time. The server sees a request later than it
started, by as long as that one travelled; so starts that are a little closer than the gap are counted apart from those
that are closer than half of it. The table of lanes in the database is dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import multiprocessing
import resource
import time
from collections import defaultdict
from itertools import pairwise

import structlog

from stook.engine.clock import RealClock
from stook.engine.door import Door, Guard, Lanes, LaneSettings
from stook.engine.errors import StookError
from stook.engine.ledger import connect
from stook.engine.ledger.lanes import DatabaseLanes
from stook.engine.ledger.schema import LANE
from stook.engine.words import Request

ANSWER = 0.03  # seconds in which the server answers
Log = dict[str, list[tuple[float, float]]]


async def serve(log: Log) -> asyncio.Server:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                host = head.partition("Host: ")[2].partition("\r\n")[0].partition(":")[0]
                came = time.monotonic()
                await asyncio.sleep(ANSWER)
                log[host].append((came, time.monotonic()))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    return await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1000)


def work(url: str, port: int, number: int, given: argparse.Namespace, failed: multiprocessing.Queue[int]) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))

    async def main() -> int:
        engine, dialect = connect(url)
        settings = LaneSettings(given.gap, concurrency=given.concurrency)
        lanes = Lanes(RealClock(), default=settings, store=DatabaseLanes(engine, dialect, "run", RealClock()), batch=4)
        guard, errors = Guard(["127.0.0.0/8"]), 0
        jobs = [
            f"http://h{host}.test:{port}/{page}"
            for page in range(given.pages)
            for host in range(given.hosts)
            if (page + host) % given.workers == number
        ]

        async def ask(door: Door) -> None:
            nonlocal errors
            while jobs:
                try:
                    await door.fetch(Request(jobs.pop()))
                except StookError:
                    errors += 1

        async with Door(guard, lanes, "stook-bench", RealClock(), lookup=lambda host: ["127.0.0.1"]) as door:
            await asyncio.gather(*(ask(door) for _ in range(given.tasks)))
        return errors

    failed.put(asyncio.run(main()))


def judge(log: Log, gap: float, concurrency: int) -> str:
    close = closer = over = 0
    for times in log.values():
        starts = sorted(came for came, _ in times)
        apart = [later - earlier for earlier, later in pairwise(starts)]
        close += sum(seconds < gap * 0.9 for seconds in apart)
        closer += sum(seconds < gap / 2 for seconds in apart)
        over += sum(sum(came <= start < went for came, went in times) > concurrency for start in starts)
    return f"closer than 0.9 gaps {close}, than half a gap {closer}, above the limit {over if concurrency else '-'}"


async def run(given: argparse.Namespace) -> None:
    log: Log = defaultdict(list)
    server = await serve(log)
    port = server.sockets[0].getsockname()[1]
    context = multiprocessing.get_context("spawn")
    failed: multiprocessing.Queue[int] = context.Queue()
    workers = [
        context.Process(target=work, args=(given.url, port, number, given, failed)) for number in range(given.workers)
    ]
    started = time.perf_counter()
    for worker in workers:
        worker.start()
    errors = sum([await asyncio.to_thread(failed.get) for _ in workers])
    seconds = time.perf_counter() - started
    for worker in workers:
        worker.join()
    server.close()
    count = sum(map(len, log.values()))
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (usage.ru_utime + usage.ru_stime) / max(count, 1) * 1e3
    print(f"{count:,} requests to {len(log):,} hosts by {given.workers} processes, {errors} failed")
    print(f"{seconds:.1f} s, {count / seconds:,.0f} requests/s, {cpu:.2f} ms CPU of the workers a request")
    print(judge(log, given.gap, given.concurrency))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=16)
    parser.add_argument("--gap", type=float, default=0.25)
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    engine, _ = connect(given.url)
    LANE.drop(engine, checkfirst=True)
    LANE.create(engine)
    try:
        asyncio.run(run(given))
    finally:
        LANE.drop(engine)
        engine.dispose()


if __name__ == "__main__":
    main()
