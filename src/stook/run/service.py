"""What `work` does: alone in this process, or as several whose reports become one."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from stook.run.build import announce_standing, check_contact, open_door, open_ledger, registry_named, sources_of
from stook.run.loop import run_work, standing
from stook.run.pool import Outcome, run_workers
from stook.run.report import INTERRUPTION, SOURCES, UNREACHABLE, Report, Traffic
from stook.run.report_view import show_report
from stook.run.worker import Order, patiently

if TYPE_CHECKING:
    from stook.engine.ledger import Ledger
    from stook.engine.words import Source
    from stook.settings import Settings

__all__ = ["joined", "work_alone", "work_together"]


def work_alone(settings: Settings, registry: str, *, once: bool, as_json: bool) -> int:
    """Work in this process; returns the exit code."""
    found = registry_named(registry)
    check_contact(settings, registry)
    report = _report(registry)
    with open_ledger(settings) as ledger:
        if not once:  # a feed has no end that one could wait for
            announce_standing(ledger, found, settings)
        run_work(ledger, open_door(settings, ledger), sources_of(found, settings, None), report, once=once)
    return show_report(report, as_json=as_json)


def work_together(settings: Settings, registry: str, workers: int, *, once: bool, as_json: bool) -> int:
    """Work in so many processes; returns the exit code, the worst of all."""
    found = registry_named(registry)
    check_contact(settings, registry)
    report = _report(registry)
    with open_ledger(settings) as ledger:  # one process brings the schema up to date
        if not once:  # a feed has no end that one could wait for
            announce_standing(ledger, found, settings)
        sources = sources_of(found, settings, None)
        outcome = run_workers(Order(settings, registry, once, secrets.token_hex(8)), workers)
        joined(report, [one.report for one in outcome.ended])
        _tell(report, outcome, ledger, sources)
    if once and outcome.was_told and not outcome.sentence:
        report.notes[INTERRUPTION] = "by SIGTERM; all that was kept is whole, the same command again goes on"
    if outcome.sentence:
        click.echo(outcome.sentence, err=True)
    return max(show_report(report, as_json=as_json), outcome.code)


def joined(report: Report, parts: Sequence[Report]) -> None:
    """Add up what the workers did."""
    report.seconds = (datetime.now(UTC) - report.started).total_seconds()
    for part in parts:
        for name, count in part.counts.items():
            report.count(name, count)
        report.rows.written += part.rows.written
        report.rows.unchanged += part.rows.unchanged
        for host, traffic in part.requests.items():
            _add(report.traffic(host), traffic)
    _join_failures(report, parts)
    _join_notes(report, [part.notes for part in parts])


def _add(total: Traffic, part: Traffic) -> None:
    for one in fields(Traffic):
        setattr(total, one.name, getattr(total, one.name) + getattr(part, one.name))


def _join_failures(report: Report, parts: Sequence[Report]) -> None:
    """A lane that closed is told by every worker, and is one failure."""
    lanes: set[str] = set()
    for part in parts:
        report.failures_total += part.failures_total - len(part.failures)
        for one in part.failures:
            if one.error == "LaneClosed" and one.event in lanes:
                continue
            if one.error == "LaneClosed":
                lanes.add(one.event)
            report.fail(one.event, one.error, one.reason)


def _join_notes(report: Report, notes: Sequence[dict[str, Any]]) -> None:
    if notes and all(UNREACHABLE in one for one in notes):
        report.notes[UNREACHABLE] = notes[0][UNREACHABLE]
    if deferred := [line for one in notes for line in one.get("deferred", ())]:
        report.notes["deferred"] = deferred
    if tables := _sum(one.get("written by table", {}) for one in notes):
        report.notes["written by table"] = tables
    visits = _sum({line["source"]: line["visits"] for line in one.get(SOURCES, ())} for one in notes)
    report.notes[SOURCES] = [{"source": name, "visits": count, "remaining": 0} for name, count in visits.items()]


def _sum(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return dict(sorted(total.items()))


def _tell(report: Report, outcome: Outcome, ledger: Ledger, sources: Sequence[Source]) -> None:
    """What only the whole knows: what the queues hold now, and how many workers died on the way."""
    visits = {one["source"]: one["visits"] for one in report.notes[SOURCES]}
    report.notes[SOURCES] = [
        patiently(lambda source=source: standing(ledger, source, visits.get(source.name, 0)))  # type: ignore[misc]
        for source in sources
    ]
    if outcome.deaths:
        report.notes["workers that died"] = outcome.deaths


def _report(registry: str) -> Report:
    return Report(f"work {registry}", datetime.now(UTC))
