"""A product as another package writes it, for the type checker alone: `scripts/check` runs mypy --strict on it.

Lines marked `type: ignore` are mistakes that the checker must see; mypy complains about a mark without a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click

from stook.api import (
    Announcement,
    Code,
    FailureCode,
    Found,
    Identity,
    LazyCommand,
    Malformed,
    Moment,
    NoSettings,
    Outcome,
    Part,
    Product,
    Queue,
    Report,
    Request,
    Settings,
    Source,
    Stage,
    Transaction,
    UserError,
    Visit,
    Written,
    as_json,
    collect,
    column,
    open_ledger,
    pass_settings,
    plain_table,
    poll_queue,
    setting,
    show_report,
    table,
    values,
)
from stook.api import Event as ClaimedEvent

STONE = table("TB_STONE", column("NAME", Identity(64), key=True), column("SEEN", Moment(), null=False))
QUEUE: Queue = poll_queue("stone", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoneSettings:
    """The section `stone`."""

    url: str = setting("https://stones.example", values.url, "Where the stones are.")
    gap: float = setting(0.5, values.gap, "Seconds between two request starts.")


@dataclass(frozen=True, slots=True)
class Stone:
    """A record."""

    name: str


@dataclass(frozen=True, slots=True)
class Stones:
    """A source."""

    url: str
    tasks: int
    batch: int
    name: str = "stones"
    queues: tuple[str, ...] = (QUEUE.name,)

    def visit(self, events: Sequence[ClaimedEvent]) -> Visit:
        reply = yield Request(f"{self.url}/{events[0].name}", lane="stone")
        if not reply.body:
            raise Malformed("empty")
        yield Part([Stone("first")])
        return Found(Outcome(Code.FAILED, "no", failure=FailureCode.MALFORMED), records=[Stone(events[0].name)])

    def keep(self, transaction: Transaction, records: Sequence[Stone], now: datetime) -> Written:
        rows = [(record.name, transaction.moment(now)) for record in records]
        transaction.insert_missing(STONE, ["NAME", "SEEN"], rows)
        return Written({"stone": len(rows)})


def sources(options: StoneSettings, tasks: int, batch: int) -> Sequence[Source]:
    return (Stones(options.url, tasks, batch),)


def check(settings: Settings) -> None:
    if settings.section("stone", StoneSettings).gap < 0.1:
        raise UserError("stones are slow")


PRODUCT = Product(
    name="stone",
    title="Stones",
    settings=StoneSettings,
    queues=lambda: (QUEUE,),
    sources=sources,
    migrations=(Path("migrations"),),
    standing=lambda options: [Announcement(QUEUE.name, options.url)],
    check=check,
    commands={"stone": LazyCommand("stone.commands:stone", "Collect stones.")},
    show=LazyCommand("stone.commands:show", "Show a stone."),
    stages=(Stage("stones", "stones", "stone"),),
)


@click.command("collect")
@click.argument("names", nargs=-1)
@as_json
@pass_settings
def collect_stones(settings: Settings, names: Sequence[str], as_json: bool) -> int:
    report = Report("stone collect", datetime(2026, 1, 1))
    collect(PRODUCT, settings, [Announcement(QUEUE.name, name) for name in names], report)
    return show_report(report, as_json=as_json)


def count(settings: Settings) -> str:
    gap: float = PRODUCT.options(settings).gap
    with open_ledger(settings) as ledger, ledger.reading() as connection:
        rows = connection.execute(STONE.select()).all()
    return f"{plain_table('Stones', ('name',), rows)}{gap}"


Product("bad", "Bad", NoSettings, lambda: (QUEUE,), sources)  # type: ignore[arg-type]
Product("bad", "Bad", StoneSettings, (QUEUE,), sources)  # type: ignore[arg-type]
Announcement(QUEUE, "granite")  # type: ignore[arg-type]
Outcome("complete")  # type: ignore[arg-type]
WRONG: int = PRODUCT.options(Settings()).url  # type: ignore[assignment]
