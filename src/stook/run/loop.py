"""Running the work loop for a command: progress on stderr, signals, and the report at the end."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from stook.engine.errors import FailureCode
from stook.engine.ledger.operate import COUNT_LIMIT, queue_status
from stook.engine.tally import Tally
from stook.engine.work import Work
from stook.run.report import SOURCES, UNREACHABLE, Report

if TYPE_CHECKING:
    from stook.engine.door import Door
    from stook.engine.ledger import Ledger
    from stook.engine.words import Source

__all__ = ["END_SIGNALS", "LoopOptions", "fill_report", "run_work", "source_status"]

END_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run well: what is under way is finished and kept. A SIGHUP that `nohup` ignores stays ignored."""
REDRAW = 0.2  # seconds

Draw = Callable[[Tally, "Door"], None]


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How long a loop works and who is called meanwhile.

    `once` ends it when nothing is due, or, with `settled`, as soon as that returns True; `visits` ends it after so
    many. `urgent_only` leaves alone what other commands have announced. `draw` is called a few times a second where
    stderr is a terminal, `started` in the loop, once signals are handled.
    """

    once: bool
    settled: Callable[[], bool] | None = None
    visits: int | None = None
    urgent_only: bool = False
    draw: Draw | None = None
    started: Callable[[Work], None] | None = None


def run_work(ledger: Ledger, door: Door, sources: Sequence[Source], report: Report, options: LoopOptions) -> str:
    """Work until done, or until interrupted; what is kept is whole either way. Fills the report in both cases.

    Returns the name of the signal that ended it, and an empty text when none did.
    """
    tally = Tally()
    report.database = ledger.engine.url.render_as_string(hide_password=True)
    ended_by = ""
    try:
        with _restored_signals(), asyncio.Runner(loop_factory=fastest_loop()) as runner:
            ended_by = runner.run(_run(ledger, door, sources, tally, options))
    except KeyboardInterrupt:
        ended_by = signal.SIGINT.name
    finally:
        report.seconds = (datetime.now(UTC) - report.started).total_seconds()  # with what came before the loop
        fill_report(report, tally, door)
    report.notes[SOURCES] = [source_status(ledger, source, tally.ended[source.name]) for source in sources]
    if ended_by and (options.once or ended_by == signal.SIGINT.name):
        report.interrupt(ended_by)
    return ended_by


def fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's, where it is installed; else None, which is Python's own."""
    try:
        found = import_module("uvloop")
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = found.new_event_loop
    return factory


@contextmanager
def _restored_signals() -> Iterator[None]:
    """A loop that closes leaves the default behind its handlers; the report is still to be printed then."""
    before = {number: signal.getsignal(number) for number in END_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


async def _run(ledger: Ledger, door: Door, sources: Sequence[Source], tally: Tally, options: LoopOptions) -> str:
    """The name of the signal that ended it; empty when none did."""
    heard: list[str] = []

    def stop(number: signal.Signals) -> None:
        heard.append(number.name)
        work.stop()

    async with door:
        work = Work(ledger, door, sources, tally, urgent_only=options.urgent_only)
        for number in END_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                asyncio.get_running_loop().add_signal_handler(number, stop, number)
        if options.started:
            options.started(work)
        drawer = asyncio.create_task(_redraw(options.draw, tally, door)) if options.draw and _is_seen() else None
        try:
            await work.run(once=options.once, settled=options.settled, visits=options.visits)
        finally:
            if drawer:
                drawer.cancel()
    return heard[0] if heard else ""


def _is_seen() -> bool:
    return sys.stderr.isatty()


async def _redraw(draw: Draw, tally: Tally, door: Door) -> None:
    while True:
        draw(tally, door)
        await asyncio.sleep(REDRAW)


def fill_report(report: Report, tally: Tally, door: Door) -> None:
    """Take over what the loop counted."""
    for outcome, count in sorted(tally.outcomes.items()):
        report.count(outcome, count)
    report.rows.written = sum(tally.written.values())
    report.rows.unchanged = sum(tally.unchanged.values())
    for host, counted in door.traffic.items():
        traffic = report.traffic(host)
        for name, number in counted.items():
            setattr(traffic, name, number)
    report.waiting = {code.value: count for code, count in tally.waiting.items()}
    report.add_failures(tally.failures, {code.value: count for code, count in tally.codes.items()}, tally.failed)
    for lane, reason in door.lanes.closed.items():
        waiting = tally.deferred[lane]
        report.fail(f"lane {lane}", FailureCode.LANE_CLOSED, f"{reason}; {waiting:,} events wait for a later run")
    if _met_nobody(tally):
        hosts = ", ".join(f"{host} ({counted['count']:,} requests)" for host, counted in door.traffic.items())
        report.notes[UNREACHABLE] = f"{hosts}; check the network and the product's URLs (stook settings)"
    for name, counts in (
        ("deferred", tally.deferred),
        ("not_enriched", tally.not_enriched),
        ("written_by_table", tally.written),
    ):
        if counts:
            report.notes[name] = dict(sorted(counts.items()))


def source_status(ledger: Ledger, source: Source, visits: int) -> dict[str, object]:
    """How many packages a source was asked about, and how many events its queues hold; above COUNT_LIMIT: more."""
    statuses = [queue_status(ledger, queue) for queue in source.queues]
    left = sum(status.ready + status.waiting + status.held for status in statuses)
    return {"source": source.name, "visits": visits, "remaining": min(left, COUNT_LIMIT + 1)}


def _met_nobody(tally: Tally) -> bool:
    """Whether every request failed before anybody answered: trouble of this machine or its network, not of events."""
    if not tally.failed or not set(tally.outcomes) <= {"pending"}:
        return False
    return sum(count for code, count in tally.codes.items() if code.met_nobody) == tally.failed
