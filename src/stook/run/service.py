"""The command `work`: in this process, or in several whose reports become one."""

from __future__ import annotations

import secrets
import signal
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from stook.engine.errors import FailureCode
from stook.run.build import announce_standing, open_door, open_ledger, queues_of, sources_of
from stook.run.exit_codes import INTERRUPTED
from stook.run.loop import LoopOptions, run_work, source_status
from stook.run.pool import PoolResult, run_workers
from stook.run.products import product_named
from stook.run.report import SOURCES, UNREACHABLE, Report, RequestCounts
from stook.run.report_view import show_report
from stook.run.worker import Assignment, retry_database

if TYPE_CHECKING:
    from stook.engine.ledger import Ledger
    from stook.engine.words import Source
    from stook.run.product import Product
    from stook.settings import Settings

__all__ = ["join_reports", "work_alone", "work_together"]


def work_alone(settings: Settings, name: str, *, once: bool, follow: bool, as_json: bool) -> int:
    """Work in this process on a product's queues; returns the exit code.

    `once` leaves feeds where they are; with `follow` they are read on, and none of them has an end.
    """
    product = _checked(settings, name)
    report = _report(name)
    with open_ledger(settings) as ledger:
        if not once:  # a feed has no end that one could wait for
            announce_standing(ledger, product, settings)
        sources = sources_of(product, settings, follows=follow or not once)
        run_work(ledger, open_door(settings, ledger), sources, report, LoopOptions(once=once))
    return show_report(report, as_json=as_json)


def work_together(settings: Settings, name: str, workers: int, *, once: bool, follow: bool, as_json: bool) -> int:
    """Work in so many processes; returns the exit code, the worst of all. `follow` is as for `work_alone`."""
    product = _checked(settings, name)
    report = _report(name)
    with open_ledger(settings) as ledger:  # one process brings the schema up to date
        if not once:  # a feed has no end that one could wait for
            announce_standing(ledger, product, settings)
        follows = follow or not once
        sources = sources_of(product, settings, follows=follows)
        report.database = settings.shown_db
        result = run_workers(Assignment(settings, name, once, secrets.token_hex(8), follows), workers)
        join_reports(report, [end.report for end in result.ends])
        _add_status(report, result, ledger, sources)
    if result.signal and (once or result.signal == signal.SIGINT.name):
        report.interrupt(result.signal)
    if result.sentence and result.code != INTERRUPTED:
        click.echo(result.sentence, err=True)
    return max(show_report(report, as_json=as_json), result.code)


def _checked(settings: Settings, name: str) -> Product[Any]:
    """The product, with settings that its sources accept."""
    product = product_named(name)
    product.check(settings)
    queues_of(product)
    return product


def join_reports(report: Report, parts: Sequence[Report]) -> None:
    """Add up the workers' reports."""
    report.seconds = (datetime.now(UTC) - report.started).total_seconds()
    for part in parts:
        for name, count in part.counts.items():
            report.count(name, count)
        for code, count in part.waiting.items():
            report.waiting[code] = report.waiting.get(code, 0) + count
        report.rows.written += part.rows.written
        report.rows.unchanged += part.rows.unchanged
        for host, traffic in part.requests.items():
            _add(report.traffic(host), traffic)
    _join_failures(report, parts)
    _join_notes(report, [part.notes for part in parts])


def _add(total: RequestCounts, part: RequestCounts) -> None:
    for counter in fields(RequestCounts):
        setattr(total, counter.name, getattr(total, counter.name) + getattr(part, counter.name))


def _join_failures(report: Report, parts: Sequence[Report]) -> None:
    """Every worker reports a lane that closed; that is one failure."""
    lanes: set[str] = set()
    for part in parts:
        repeated = [
            failure for failure in part.failures if failure.code is FailureCode.LANE_CLOSED and failure.event in lanes
        ]
        lanes |= {failure.event for failure in part.failures if failure.code is FailureCode.LANE_CLOSED}
        listed = [failure for failure in part.failures if failure not in repeated]
        by_code = {**part.failures_by_code}
        if repeated:
            by_code[FailureCode.LANE_CLOSED] -= len(repeated)
        report.add_failures(listed, by_code, part.failures_total - len(repeated))


def _join_notes(report: Report, notes: Sequence[dict[str, Any]]) -> None:
    if notes and all(UNREACHABLE in note for note in notes):
        report.notes[UNREACHABLE] = notes[0][UNREACHABLE]
    for name in ("deferred", "not_enriched", "written_by_table"):
        if counts := _sum(note.get(name, {}) for note in notes):
            report.notes[name] = counts
    visits = _sum({line["source"]: line["visits"] for line in note.get(SOURCES, ())} for note in notes)
    report.notes[SOURCES] = [{"source": name, "visits": count, "remaining": 0} for name, count in visits.items()]


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(sorted(total.items()))


def _add_status(report: Report, result: PoolResult, ledger: Ledger, sources: Sequence[Source]) -> None:
    """Add what no single worker knows: what the queues hold now, and how many workers died on the way."""
    visits = {line["source"]: line["visits"] for line in report.notes[SOURCES]}
    report.notes[SOURCES] = [
        retry_database(partial(source_status, ledger, source, visits.get(source.name, 0))) for source in sources
    ]
    if result.deaths:
        report.notes["workers_that_died"] = result.deaths


def _report(product: str) -> Report:
    return Report(f"work {product}", datetime.now(UTC))
