"""How late the event loop is, and how many pages it does, when pages take CPU: in the loop, or by `Compute`.

Usage: python benchmarks/loop.py [--pages 150] [--cpu 20]
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stook.engine.clock import RealClock
from stook.engine.ledger import Ledger, connect, poll_queue
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.words import Announcement, Compute, Event, Found, Reply, Request, Validators, Visit, Written
from stook.engine.work import Work

QUEUE = poll_queue("web", "page")
TRIAL = 100_000  # rounds
BEAT = 0.002  # seconds between two looks at how late the loop is


def rounds(seconds: float) -> int:
    """How many rounds of `burn` use CPU for so long."""
    started = time.process_time()
    burn(TRIAL)
    return round(TRIAL * seconds / (time.process_time() - started))


def burn(count: int) -> bytes:
    """Use CPU, as parsing and scanning a page does."""
    return hashlib.pbkdf2_hmac(*work(count))


def work(count: int) -> tuple[str, bytes, bytes, int]:
    """The arguments of a function that a child process can import."""
    return "sha256", b"page", b"salt", count


@dataclass(frozen=True, slots=True)
class Pages:
    """One request a page, and CPU spent on its reply."""

    count: int
    is_apart: bool
    name: str = "pages"
    queues: tuple[str, ...] = (QUEUE.name,)
    tasks: int = 8
    batch: int = 32

    def visit(self, events: Sequence[Event]) -> Visit:
        yield Request(events[0].name)
        if self.is_apart:
            yield Compute(hashlib.pbkdf2_hmac, work(self.count))
        else:
            burn(self.count)
        return Found()

    def keep(self, transaction: Any, records: Sequence[Any], now: Any) -> Written:
        return Written()


class Door:
    """Answers after 5 ms."""

    async def fetch(self, request: Request, validators: Validators | None = None) -> Reply:
        await asyncio.sleep(0.005)
        return Reply(request.url, 200, b"page")


async def measured(work: Work) -> tuple[float, list[float]]:
    """Seconds that the run took, and how late the loop was at each beat."""
    lags: list[float] = []

    async def beat() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(BEAT)
            lags.append(time.perf_counter() - started - BEAT)

    beating = asyncio.create_task(beat())
    started = time.perf_counter()
    await work.run(once=True)
    beating.cancel()
    return time.perf_counter() - started, sorted(lags)


def run(pages: int, cpu: float, is_apart: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        engine, dialect = connect(f"sqlite:///{Path(folder) / 'stook.db'}")
        migrate(engine, [ENGINE_MIGRATIONS])
        ledger = Ledger(engine, dialect, [QUEUE], RealClock())
        ledger.announce([Announcement(QUEUE.name, f"page-{number}") for number in range(pages)])
        seconds, lags = asyncio.run(measured(Work(ledger, Door(), [Pages(rounds(cpu), is_apart)])))
        ledger.close()
    p95 = lags[int(0.95 * len(lags))] * 1000
    where = "by Compute" if is_apart else "in the loop"
    print(f"{where:12} {pages / seconds:6.1f} pages/s, loop lag p95 {p95:6.1f} ms, longest {lags[-1] * 1000:6.1f} ms")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--cpu", type=float, default=20.0, help="milliseconds a page")
    options = parser.parse_args()
    inside = run(options.pages, options.cpu / 1000, is_apart=False)
    apart = run(options.pages, options.cpu / 1000, is_apart=True)
    print(f"ratio {inside / apart:.2f}")


if __name__ == "__main__":
    main()
