"""Running the work loop for a command: progress on stderr, Ctrl-C, and the report at the end."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from stook.engine.ledger.operate import COUNT_LIMIT, queue_status
from stook.engine.tally import Tally
from stook.engine.work import Work
from stook.run.report import INTERRUPTION, SOURCES, UNREACHABLE, Report

if TYPE_CHECKING:
    from stook.engine.door import Door
    from stook.engine.ledger import Ledger
    from stook.engine.words import Source

__all__ = ["fill_report", "is_interrupted_by_hand", "run_work", "standing"]

# Reasons of the door for a request that met nobody.
_NOBODY = {
    f"Unavailable: {reason}"
    for reason in (
        "connection failed",
        "timed out",
        "the name does not resolve",
        "name resolution timed out",
        "TLS failed",
        "the TLS certificate does not fit the name",
    )
}

BY_HAND = "Ctrl-C"

Show = Callable[[Tally, "Door"], None]


def run_work(
    ledger: Ledger,
    door: Door,
    sources: Sequence[Source],
    report: Report,
    *,
    once: bool,
    settled: Callable[[], bool] | None = None,
    show: Show | None = None,
    visits: int | None = None,
    begun: Callable[[Work], None] | None = None,
) -> Tally:
    """Work until done, or until interrupted; what is kept is whole either way. Fills the report, also after Ctrl-C.

    `begun` is called in the loop, once signals are heard.
    """
    tally = Tally()
    is_cut_short, by = False, "SIGTERM"
    try:
        with asyncio.Runner(loop_factory=fastest_loop()) as runner:
            is_cut_short = runner.run(_run(ledger, door, sources, tally, once, settled, show, visits, begun))
    except KeyboardInterrupt:
        is_cut_short, by = True, BY_HAND
    finally:
        report.seconds = (datetime.now(UTC) - report.started).total_seconds()  # reading locks takes its time, too
        fill_report(report, tally, door)
    report.notes[SOURCES] = [standing(ledger, source, tally.ended[source.name]) for source in sources]
    if is_cut_short and (once or by == BY_HAND):
        report.notes[INTERRUPTION] = f"by {by}; all that was kept is whole, the same command again goes on"
    return tally


def is_interrupted_by_hand(report: Report) -> bool:
    """Whether Ctrl-C ended the run."""
    return BY_HAND in report.notes.get(INTERRUPTION, "")


def fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's, where it is installed; else None, which is Python's own."""
    try:
        found = import_module("uvloop")
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = found.new_event_loop
    return factory


async def _run(
    ledger: Ledger,
    door: Door,
    sources: Sequence[Source],
    tally: Tally,
    once: bool,
    settled: Callable[[], bool] | None,
    show: Show | None,
    visits: int | None,
    begun: Callable[[Work], None] | None,
) -> bool:
    """Whether SIGTERM ended it."""
    told: list[int] = []

    def stop() -> None:
        told.append(signal.SIGTERM)
        work.stop()

    async with door:
        work = Work(ledger, door, sources, tally)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        if begun:
            begun(work)
        shower = asyncio.create_task(_show(show, tally, door)) if show and sys.stderr.isatty() else None
        try:
            await work.run(once=once, settled=settled, visits=visits)
        finally:
            if shower:
                shower.cancel()
    return bool(told)


async def _show(show: Show, tally: Tally, door: Door) -> None:
    while True:
        show(tally, door)
        await asyncio.sleep(0.2)


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
    for failure in tally.failures:
        report.fail(failure.event, failure.error, failure.reason)
    report.failures_total += tally.failed - len(tally.failures)
    for lane, reason in door.lanes.closed.items():
        waiting = sum(count for why, count in tally.deferred.items() if f" {lane} " in why)
        report.fail(f"lane {lane}", "LaneClosed", f"{reason}; {waiting:,} events wait for a later run")
    if _met_nobody(tally):
        hosts = ", ".join(f"{host} ({counted['count']:,} requests)" for host, counted in door.traffic.items())
        report.notes[UNREACHABLE] = f"{hosts}; check the network and the URLs of the registry (stook settings)"
    if tally.deferred:
        report.notes["deferred"] = [f"{count} events: {reason}" for reason, count in sorted(tally.deferred.items())]
    if tally.written:
        report.notes["written by table"] = dict(sorted(Counter(tally.written).items()))


def standing(ledger: Ledger, source: Source, visits: int) -> dict[str, object]:
    """How many packages a source was asked about, and how many events its queues hold; above COUNT_LIMIT: more."""
    statuses = [queue_status(ledger, queue) for queue in source.queues]
    left = sum(one.ready + one.waiting + one.held for one in statuses)
    return {"source": source.name, "visits": visits, "remaining": min(left, COUNT_LIMIT + 1)}


def _met_nobody(tally: Tally) -> bool:
    """Whether every request failed before anybody answered: trouble of this machine or its network, not of events."""
    if not set(tally.outcomes) <= {"pending"}:
        return False
    return bool(tally.failures) and all(one.error == "pending" and one.reason in _NOBODY for one in tally.failures)
