"""Take work from a product's queues until stopped, or until nothing is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from stook.settings import Settings

__all__ = ["work"]


@click.command("work")
@click.argument("product")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    metavar="N",
    help="Worker processes; each looks at STOOK_WORK_TASKS packages side by side.",
)
@click.option("--once", is_flag=True, help="End when nothing is due; feeds stay where they are.")
@click.option("--follow", is_flag=True, help="With --once: read feeds on to their end, too.")
@as_json
@pass_settings
def work(settings: Settings, product: str, workers: int, once: bool, follow: bool, as_json: bool) -> int:
    """Take work from the queues of PRODUCT until stopped. `stook show --help` lists the products.

    Any number of workers may run, on any number of hosts: all that they share is the database. With --once, this
    command's workers end together, when nothing is due and none of them is at work. What a feed has announced is done
    then; only with --follow, or without --once, is a feed read on.

    \b
    Examples:
      stook work PRODUCT --once
      stook work PRODUCT --workers 8
    """
    from stook.run.service import work_alone, work_together

    if workers == 1:
        return work_alone(settings, product, once=once, follow=follow, as_json=as_json)
    return work_together(settings, product, workers, once=once, follow=follow, as_json=as_json)
