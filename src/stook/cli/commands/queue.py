"""Look at the queues and steer them: status, retry, resync, revive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from datetime import datetime

    from stook.engine.ledger.operate import QueueStatus
    from stook.settings import Settings

__all__ = ["commands"]

_registry = click.option("--registry", metavar="R", help="Only this registry's queues (cargo, go …).")
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
@_registry
@as_json
@pass_settings
def status(settings: Settings, registry: str | None, as_json: bool) -> None:
    """Show what is ready, waiting and held in each queue; cheap at any size.

    \b
    Example:
      stook queue status --json
    """
    from stook.engine.ledger.operate import queue_status
    from stook.run.build import open_ledger
    from stook.terminal.stdout import print_json

    with open_ledger(settings) as ledger:
        rows = [queue_status(ledger, name) for name in _queues(registry)]
        now = ledger.clock.now()
    if as_json:
        print_json([_as_dict(row, now) for row in rows])
    else:
        _print(rows, now)


def _steer(name: str, help: str, example: str) -> click.Command:
    """A command that changes the events chosen by --registry and --where."""

    @as_json
    @_where
    @_registry
    @pass_settings
    def steer(settings: Settings, registry: str | None, where: Sequence[str], as_json: bool) -> None:
        from stook.engine.ledger import operate
        from stook.run.build import open_ledger
        from stook.terminal.stdout import Page, print_json

        with open_ledger(settings) as ledger:
            changed = {
                one: getattr(operate, name)(ledger, one, where)
                for one in _suited(ledger.queues, _queues(registry), where)
            }
        if as_json:
            print_json({"command": f"queue {name}", "changed": changed})
        else:
            page = Page()
            for one, count in changed.items():
                page.print(f"{one}: {count:,} events", markup=False, soft_wrap=True)

    return click.command(name, help=f"{help}\n\n\b\nExample:\n  {example}")(steer)


def _suited(known: dict, names: Sequence[str], where: Sequence[str]) -> list[str]:  # type: ignore[type-arg]
    """A condition on versions speaks of the queues that have them."""
    about_versions = any(text.startswith("version=") for text in where)
    return [name for name in names if not about_versions or known[name].version_column]


def _queues(registry: str | None) -> list[str]:
    from stook.run.build import registry_named
    from stook.run.product import find_registries

    chosen = [registry_named(registry)] if registry else list(find_registries().values())
    return [one.name for registry_found in chosen for one in registry_found.queues]


def _as_dict(row: QueueStatus, now: datetime) -> dict[str, object]:
    told: dict[str, object] = {"queue": row.queue, "ready": row.ready, "waiting": row.waiting, "held": row.held}
    told["lag_seconds"] = (now - row.oldest).total_seconds() if row.oldest else None
    if row.feeds:
        told["feeds"] = [{"feed": one.feed, "cursor": one.cursor, "read_at": one.read_at} for one in row.feeds]
    return told


def _ago(moment: datetime | None, now: datetime) -> str:
    return f"{max((now - moment).total_seconds(), 0):,.0f} s" if moment else ""


def _print(rows: Sequence[QueueStatus], now: datetime) -> None:
    from stook.engine.ledger.operate import shown_count as shown
    from stook.terminal.stdout import Page
    from stook.terminal.tables import plain_table

    cells = [(row.queue, shown(row.ready), shown(row.waiting), shown(row.held), _ago(row.oldest, now)) for row in rows]
    page = Page()
    page.print(plain_table("Queues", ("queue", ">ready", ">waiting", ">held", ">oldest ready for"), cells))
    feeds = [(f"{row.queue}:{one.feed}", one.cursor, _ago(one.read_at, now)) for row in rows for one in row.feeds]
    if feeds:
        page.print(plain_table("Feeds", ("feed", "read up to", ">last moved before"), feeds))


queue.add_command(
    _steer("retry", "Bring waiting events forward to now.", "stook queue retry --registry cargo --where status=503")
)
queue.add_command(
    _steer(
        "resync",
        "Collect events again, whatever became of them; without --where all of them.",
        "stook queue resync --registry cargo --where 'name=serde*'",
    )
)
queue.add_command(
    _steer(
        "revive",
        "Make ended events pending again: not found, malformed, given up.",
        "stook queue revive --where code=39",
    )
)

commands: list[click.Command] = [queue]
