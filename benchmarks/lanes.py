"""What a turn on a lane costs, where lanes live, and what many hosts leave in memory.

    python benchmarks/lanes.py
    python benchmarks/lanes.py --db postgresql://root@127.0.0.1/test --db mysql://root@127.0.0.1/test
    python benchmarks/lanes.py --hosts 100000

A turn is what one request costs on its lane: permission to start, its reply reported, its place left. CPU seconds are
of this process alone; statements are those that reach the database. The tables in a named database are dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import event

from stook.engine.clock import RealClock
from stook.engine.door import Lanes, LaneSettings, LaneStore, MemoryStore
from stook.engine.ledger import connect
from stook.engine.ledger.lanes import DatabaseLanes, Presence, ResidentLanes
from stook.engine.ledger.schema import LANE

GAP = 0.0005  # seconds: a gap that is there, and does not hold the benchmark up
KINDS = {"gap": LaneSettings(GAP), "no gap": LaneSettings(0.0), "limit": LaneSettings(0.0, concurrency=4)}


async def turns(lanes: Lanes, count: int, tasks: int) -> None:
    async def run() -> None:
        for _ in range(count // tasks):
            lane = lanes["host"]
            ticket = await lane.turn()
            await lane.succeeded(ticket)
            lane.leave()

    await asyncio.gather(*(run() for _ in range(tasks)))


def measure(name: str, make: Callable[[], LaneStore], count: int, statements: list[str]) -> None:
    for kind, settings in KINDS.items():

        async def main(settings: LaneSettings = settings) -> tuple[float, float, int]:
            lanes = Lanes(RealClock(), default=settings, store=make(), batch=4)
            await turns(lanes, 64, 8)
            statements.clear()
            cpu, wall = time.process_time(), time.perf_counter()
            await turns(lanes, count, 8)
            spent = time.process_time() - cpu, time.perf_counter() - wall, len(statements)
            await lanes.close()
            return spent

        cpu, wall, asked = min(asyncio.run(main()) for _ in range(3))
        print(
            f"{name:28} {kind:7} {count:6} turns  {cpu / count * 1e3:7.3f} ms CPU a turn"
            f"  {count / wall:8,.0f} turns/s  {asked / count:5.2f} statements a turn"
        )


def measure_database(url: str, count: int) -> None:
    engine, dialect = connect(url)
    statements: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    LANE.drop(engine, checkfirst=True)
    LANE.create(engine)

    def table() -> DatabaseLanes:
        return DatabaseLanes(engine, dialect, "bench", RealClock())

    try:
        measure(f"{dialect.name}, shared", table, count, statements)
        if dialect.name == "sqlite":
            folder = Path(f"{engine.url.database}-lanes")
            measure(
                "sqlite, one process", lambda: ResidentLanes(table(), Presence(folder), RealClock()), count, statements
            )
    finally:
        LANE.drop(engine)
        engine.dispose()


class PassingClock(RealClock):
    """Time that passes by turns: so many hosts would take hours."""

    def __init__(self) -> None:
        self.time = 0.0

    def monotonic(self) -> float:
        return self.time


def measure_hosts(count: int) -> None:
    async def main() -> None:
        clock = PassingClock()
        lanes = Lanes(clock, default=LaneSettings(1.0), store=MemoryStore(clock))
        tracemalloc.start()
        for number in range(count):
            lane = lanes[f"host{number}.example"]
            await lane.succeeded(await lane.turn())
            lane.leave()
            clock.time += 0.01
            if (number + 1) % (count // 5) == 0:
                gc.collect()
                now, most = tracemalloc.get_traced_memory()
                print(
                    f"{number + 1:8,} hosts  {lanes.size:6,} remembered  {now / 1e6:6.2f} MB  {most / 1e6:6.2f} at most"
                )

    asyncio.run(main())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--db", action="append", default=[])
    parser.add_argument("--hosts", type=int, default=20_000)
    given = parser.parse_args()
    measure("memory", lambda: MemoryStore(RealClock()), given.turns * 5, [])
    with tempfile.TemporaryDirectory() as folder:
        for url in [f"sqlite:///{folder}/lanes.db", *given.db]:
            measure_database(url, given.turns)
    measure_hosts(given.hosts)


if __name__ == "__main__":
    main()
