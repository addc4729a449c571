"""The commands `lights collect`, `lights load` and `show lights`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import click

from stook.api import (
    Announcement,
    FailureCode,
    Page,
    Report,
    Settings,
    UserError,
    as_json,
    collect,
    open_ledger,
    pass_settings,
    plain_table,
    print_json,
    show_report,
)
from stook_lights.product import PRODUCT
from stook_lights.source import LIGHT, QUEUE, Light, keep_lights

__all__ = ["lights", "show"]

CHUNK = 2  # records in one transaction


@click.group("lights")
def lights() -> None:
    """Collect lighthouses.

    \b
    Example:
      stook lights collect kullen
    """


@lights.command("collect")
@click.argument("names", nargs=-1, required=True)
@as_json
@pass_settings
def collect_lights(settings: Settings, names: Sequence[str], as_json: bool) -> int:
    """Collect the lighthouses you name.

    \b
    Example:
      stook lights collect kullen
    """
    report = Report("lights collect", datetime.now(UTC))
    collect(PRODUCT, settings, [Announcement(QUEUE.name, name, urgent=True, fresh_for=0.0) for name in names], report)
    return show_report(report, as_json=as_json)


@lights.command("load")
@click.argument("dump", type=click.Path(path_type=Path, exists=True))
@as_json
@pass_settings
def load(settings: Settings, dump: Path, as_json: bool) -> int:
    """Load a DUMP, one `name colour` a line; a line that cannot be read is listed, and the rest goes on.

    \b
    Example:
      stook lights load dump.txt
    """
    report = Report("lights load", datetime.now(UTC))
    with open_ledger(settings) as ledger, dump.open(encoding="utf-8") as lines:
        records = _read(lines, report)
        while chunk := list(islice(records, CHUNK)):
            ledger.write(lambda transaction, chunk=chunk: keep_lights(transaction, chunk, ledger.clock.now()))
            report.rows.written += len(chunk)
    return show_report(report, as_json=as_json)


def _read(lines: Iterator[str], report: Report) -> Iterator[Light]:
    for number, line in enumerate(lines, 1):
        words = line.split()
        if len(words) == 2:
            yield Light(*words)
        else:
            report.fail(f"line {number}", FailureCode.MALFORMED, "a line is a name and a colour")


@click.command("lights")
@click.argument("name")
@as_json
@pass_settings
def show(settings: Settings, name: str, as_json: bool) -> None:
    """Show a lighthouse.

    \b
    Example:
      stook show lights kullen
    """
    with open_ledger(settings) as ledger, ledger.reading() as connection:
        row = connection.execute(LIGHT.select().where(LIGHT.c["NAME"] == name)).first()
    if row is None:
        raise UserError(f"no light {name[:64]!r} is stored; collect it first: stook lights collect {name[:64]}")
    if as_json:
        print_json({"name": row[0], "colour": row[1], "seen": row[2]})
    else:
        Page().print(plain_table("Light", ("name", "colour"), [row[:2]]))
