"""The end of a run: its report as one JSON object, or as tables for people."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import Group

from stook.engine.ledger.operate import shown_count
from stook.run.report import SOURCES, UNREACHABLE, Report
from stook.terminal.stdout import Page, print_json
from stook.terminal.tables import fact, plain, plain_table

__all__ = ["show_report"]


def show_report(report: Report, *, as_json: bool) -> int:
    """Print the report on stdout; returns the command's exit code."""
    if as_json:
        print_json(report.as_dict())
    else:
        _print(report)
    if UNREACHABLE in report.notes:
        click.echo(f"Not reachable: {report.notes[UNREACHABLE]}. Nothing is lost; try again later.", err=True)
    return report.exit_code


def _print(report: Report) -> None:
    console = Page()
    for table in _tables(report):
        console.print(table)
    for key, note in report.notes.items():
        if key in (SOURCES, UNREACHABLE):
            continue
        console.print(fact(f"{key.replace('_', ' ')}: ", _note(note), 4), soft_wrap=True)
    for command in report.next:
        console.print(plain(f"Next: {command}"), soft_wrap=True, style="bold")


def _tables(report: Report) -> Iterator[Group]:
    counts = [*report.counts.items(), ("rows written", report.rows.written), ("rows unchanged", report.rows.unchanged)]
    yield plain_table(f"stook {report.command}: {report.seconds:.1f} s", ("", ">"), counts)
    if sources := report.notes.get(SOURCES):
        cells = [(line["source"], line["visits"], shown_count(line["remaining"])) for line in sources]
        yield plain_table("Sources", ("source", ">packages asked", ">events left"), cells)
    if report.requests:
        columns = ("host", ">requests", ">not modified", ">throttled", ">failed", ">bytes")
        rows = [
            (host, traffic.count, traffic.not_modified, traffic.throttled, traffic.failed, traffic.bytes)
            for host, traffic in sorted(report.requests.items())
        ]
        yield plain_table("Requests", columns, rows)
    if report.failures:
        yield _failures(report)


def _failures(report: Report) -> Group:
    left = report.failures_total - len(report.failures)
    title = f"Failures: {report.failures_total:,}" + (f", the first {len(report.failures)}" if left else "")
    rows = [(failure.event, failure.error, failure.reason) for failure in report.failures]
    return plain_table(title, ("event", "error", "reason"), rows)


def _note(note: object) -> str:
    if isinstance(note, (list, tuple)):
        return ", ".join(map(str, note))
    if isinstance(note, dict):
        return ", ".join(f"{key} {value}" for key, value in note.items())
    return str(note)
