"""Look at how far feeds were read, and set them back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from datetime import datetime

    from stook.engine.ledger import Ledger
    from stook.settings import Settings

__all__ = ["feed"]

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?Z)?", re.ASCII)


@click.group("feed")
def feed() -> None:
    """Look at how far feeds were read, and set them back.

    \b
    Example:
      stook feed show
    """


@feed.command("show")
@as_json
@pass_settings
def show(settings: Settings, as_json: bool) -> None:
    """Show how far each feed was read, and where events may be missing.

    A gap is a moment that more events share than a page of the feed can show.

    \b
    Example:
      stook feed show --json
    """
    from stook.engine.ledger.feeds import FeedState, read_feeds
    from stook.run.build import open_ledger
    from stook.terminal.stdout import Page, print_json
    from stook.terminal.tables import plain_table

    with open_ledger(settings, create=False) as ledger:
        queues = [name for name, queue in ledger.queues.items() if queue.has_cursor]
        with ledger.reading() as connection:
            found: list[FeedState] = [state for name in queues for state in read_feeds(connection, name)]
    if as_json:
        print_json({"command": "feed show", "feeds": [state.as_dict() for state in found]})
        return
    page = Page()
    cells = [(state.name, state.cursor or "at the beginning", state.read_at, len(state.gaps)) for state in found]
    page.print(plain_table("Feeds", ("feed", "read up to", "last moved", ">gaps"), cells))
    gaps = [(state.name, gap) for state in found for gap in state.gaps]
    if gaps:
        page.print(plain_table("Gaps", ("feed", "moment"), gaps))


@feed.command("reset")
@click.argument("name", metavar="FEED")
@click.option("--to", "moment", metavar="DATE", help="Read again from here; from the beginning without it.")
@as_json
@pass_settings
def reset(settings: Settings, name: str, moment: str | None, as_json: bool) -> None:
    """Read a feed again from a moment on. What is known already stays as it is, what is missing is added.

    \b
    Example:
      stook feed reset go-feed:default --to 2026-11-01
    """
    from stook.engine.errors import UserError
    from stook.engine.ledger.feeds import read_cursor
    from stook.run.build import open_ledger
    from stook.terminal.stdout import Page, print_json

    if moment is not None and not _MOMENT.fullmatch(moment):
        raise UserError(f"not a date: {moment[:60]!r}; write 2026-11-30 or 2026-11-30T12:00:00Z")
    value = f"{moment}T00:00:00Z" if moment and len(moment) == 10 else moment or ""
    with open_ledger(settings, create=False) as ledger:
        with ledger.reading() as connection:
            before = read_cursor(connection, name)
        queue = name.partition(":")[0]
        if before is None or queue not in ledger.queues:
            raise UserError(f"there is no feed {name[:80]!r}; `stook feed show` lists those there are")
        _set_back(ledger, queue, name, value)
    if as_json:
        print_json({"command": "feed reset", "feed": name, "before": before.value, "cursor": value})
    else:
        Page().print(f"{name}: from {before.value or 'the beginning'} to {value or 'the beginning'}", markup=False)


def _set_back(ledger: Ledger, queue: str, name: str, value: str) -> None:
    """Cursor and event in one transaction: whoever reads the feed next begins there."""
    from stook.engine.ledger.feeds import write_cursors
    from stook.engine.ledger.queue.announce import announce_all
    from stook.engine.ledger.transaction import Transaction
    from stook.engine.words import Announcement, Cursor

    now: datetime = ledger.clock.now()

    def write(transaction: Transaction) -> None:
        write_cursors(transaction, [Cursor(name, value, [])], now)
        event = Announcement(queue, name.partition(":")[2], source="index", fresh_for=0.0, resync=True)
        announce_all(transaction, ledger.queues, [event], now)

    ledger.write(write)
