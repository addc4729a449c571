"""Collect Go modules: follow the module index, or take named modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from stook.settings import Settings

__all__ = ["go"]


@click.group("go")
def go() -> None:
    """Collect Go modules from the module index and proxy, or mirrors of them.

    \b
    Example:
      stook go collect golang.org/x/text
    """


@go.command("index")
@click.option("--since", metavar="DATE", help="Walk a window again from here; the feed's own cursor stays where it is.")
@click.option("--until", metavar="DATE", help="End of the window, or of this walk.")
@click.option("--pages", type=click.IntRange(1), metavar="N", help="Stop after so many pages of up to 2,000 events.")
@click.option(
    "--tail-from", metavar="DATE", help="On a new database: follow from here, and fill what lies before beside it."
)
@as_json
@pass_settings
def index(
    settings: Settings, since: str | None, until: str | None, pages: int | None, tail_from: str | None, as_json: bool
) -> int:
    """Fill the queue from the feed, from where the last walk ended to the newest event.

    It may be stopped and started anywhere, also while workers run. With --since, a window is walked again: what the
    queue has already stays as it is, what it lacks is added. With --tail-from, the newest events come first and the
    past follows; the two ranges overlap where they join.

    \b
    Examples:
      stook go index --pages 10
      stook go index --tail-from 2026-11-01
      stook go index --since 2026-11-01 --until 2026-11-08
    """
    from stook.registries.golang.commands.collect import fill_queue

    return fill_queue(settings, since, until, pages, tail_from, as_json=as_json)


@go.command("collect")
@click.argument("modules", nargs=-1, metavar="[MODULE]...")
@click.option(
    "--lock",
    metavar="PATH|URL",
    help="A go.mod (go.sum beside it), a go.work, their folder, or `go list -m all` output.",
)
@click.option("--name", "called", default="", metavar="NAME", help="What to call that project; its module by default.")
@click.option(
    "--tasks",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Modules asked for side by side (STOOK_WORK_TASKS).",
)
@click.option("--resync", is_flag=True, help="Collect again even what is stored.")
@click.option("--allow-deletions", is_flag=True, help="Believe it when most of the modules have vanished.")
@as_json
@pass_settings
def collect(
    settings: Settings,
    modules: Sequence[str],
    lock: str | None,
    called: str,
    tasks: int | None,
    resync: bool,
    allow_deletions: bool,
    as_json: bool,
) -> int:
    """Collect every version that the proxy lists of the modules you name, or that a project pins.

    \b
    Examples:
      stook go collect golang.org/x/text
      stook go collect github.com/BurntSushi/toml --json
      stook go collect --lock ../my-service
    """
    from stook.registries.golang.commands.collect import collect_modules

    return collect_modules(
        settings,
        modules,
        tasks,
        resync=resync,
        allow_deletions=allow_deletions,
        as_json=as_json,
        lock=lock,
        project_name=called,
    )
