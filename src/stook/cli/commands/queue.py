"""Look at the queues and steer them: status, retry, resync, revive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from datetime import datetime

    from stook.engine.ledger import Queue
    from stook.engine.ledger.operate import QueueStatus
    from stook.settings import Settings

__all__ = ["queue"]

_product = click.option(
    "--product", "--registry", "product", metavar="PRODUCT", help="Only the queues of this product."
)
_where = click.option(
    "--where",
    multiple=True,
    metavar="COND",
    help="name=GLOB, version=GLOB, code=N, status=N, failure=CODE or error~WORDS.",
)


@click.group("queue")
def queue() -> None:
    """Look at the queues and steer them.

    \b
    Example:
      stook queue status
    """


@queue.command("status")
@_product
@as_json
@pass_settings
def status(settings: Settings, product: str | None, as_json: bool) -> None:
    """Show what is ready, waiting and held in each queue; cheap at any size.

    \b
    Example:
      stook queue status --json
    """
    from stook.engine.ledger.operate import queue_status
    from stook.run.build import open_ledger
    from stook.terminal.stdout import print_json

    with open_ledger(settings, create=False) as ledger:
        rows = [queue_status(ledger, name) for name in _queues(product)]
        now = ledger.clock.now()
    if as_json:
        print_json([_as_dict(row, now) for row in rows])
    else:
        _print(rows, now)


def _steer(name: str, help: str, example: str) -> click.Command:
    """A command that changes the events chosen by --product and --where."""

    @as_json
    @_where
    @_product
    @pass_settings
    def steer(settings: Settings, product: str | None, where: Sequence[str], as_json: bool) -> None:
        from stook.engine.ledger import operate
        from stook.run.build import open_ledger
        from stook.terminal.stdout import Page, print_json

        with open_ledger(settings, create=False) as ledger:
            queues = _suitable(ledger.queues, _queues(product), where)
            changed = {queue: getattr(operate, name)(ledger, queue, where) for queue in queues}
        if as_json:
            print_json({"command": f"queue {name}", "changed": changed})
        else:
            page = Page()
            for queue, count in changed.items():
                page.print(f"{queue}: {count:,} events", markup=False, soft_wrap=True)

    return click.command(name, help=f"{help}\n\n\b\nExample:\n  {example}")(steer)


def _suitable(known: Mapping[str, Queue], names: Sequence[str], where: Sequence[str]) -> list[str]:
    """The queues to which the conditions can apply: one on versions only to queues that have them."""
    about_versions = any(text.startswith("version=") for text in where)
    return [name for name in names if not about_versions or known[name].version_column]


def _queues(product: str | None) -> list[str]:
    from stook.run.build import queues_of
    from stook.run.products import find_products, product_named

    chosen = [product_named(product)] if product else sorted(find_products().products.values(), key=attrgetter("name"))
    return [queue.name for member in chosen for queue in queues_of(member)]


def _as_dict(row: QueueStatus, now: datetime) -> dict[str, object]:
    found: dict[str, object] = {"queue": row.queue, "ready": row.ready, "waiting": row.waiting, "held": row.held}
    found["lag_seconds"] = (now - row.oldest).total_seconds() if row.oldest else None
    if row.feeds:
        found["feeds"] = [{"feed": feed.feed, "cursor": feed.cursor, "read_at": feed.read_at} for feed in row.feeds]
    return found


def _ago(moment: datetime | None, now: datetime) -> str:
    return f"{max((now - moment).total_seconds(), 0):,.0f} s" if moment else ""


def _print(rows: Sequence[QueueStatus], now: datetime) -> None:
    from stook.engine.ledger.operate import shown_count as shown
    from stook.terminal.stdout import Page
    from stook.terminal.tables import plain_table

    cells = [(row.queue, shown(row.ready), shown(row.waiting), shown(row.held), _ago(row.oldest, now)) for row in rows]
    page = Page()
    page.print(plain_table("Queues", ("queue", ">ready", ">waiting", ">held", ">oldest ready for"), cells))
    feeds = [(f"{row.queue}:{feed.feed}", feed.cursor, _ago(feed.read_at, now)) for row in rows for feed in row.feeds]
    if feeds:
        page.print(plain_table("Feeds", ("feed", "read up to", ">last moved before"), feeds))


queue.add_command(
    _steer("retry", "Bring waiting events forward to now.", "stook queue retry --product PRODUCT --where status=503")
)
queue.add_command(
    _steer(
        "resync",
        "Collect events again, however they ended; without --where all of them.",
        "stook queue resync --product PRODUCT --where 'name=lib*'",
    )
)
queue.add_command(
    _steer(
        "revive",
        "Make ended events pending again: not found, malformed, given up.",
        "stook queue revive --where code=39",
    )
)
