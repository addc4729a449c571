"""Collecting: announce events, work until they are settled, and report; the middle of every `collect` command."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stook.run.build import open_door, open_ledger, sources_of
from stook.run.loop import LoopOptions, run_work
from stook.terminal.progress import StageProgress

if TYPE_CHECKING:
    from stook.engine.ledger import Ledger
    from stook.engine.words import Announcement, Source
    from stook.run.product import Product
    from stook.run.report import Report
    from stook.settings import Settings

__all__ = ["collect", "settled_events", "work_on"]


def collect(
    product: Product[Any],
    settings: Settings,
    announcements: Sequence[Announcement],
    report: Report,
    *,
    tasks: int | None = None,
) -> None:
    """Announce these events of a product and work until each of them has ended or waits for a later try.

    Fills the report. Raises UserError when the product's `check` does. `tasks` visits run side by side, by default as
    many as the settings say.
    """
    product.check(settings)
    with open_ledger(settings) as ledger:
        ids: dict[str, list[bytes]] = defaultdict(list)
        for announcement, identity in zip(announcements, ledger.announce(announcements), strict=True):
            ids[announcement.queue].append(identity)
        work_on(
            product,
            settings,
            ledger,
            report,
            settled=settled_events(ledger, ids),
            packages=len(announcements),
            sources=sources_of(product, settings, tasks),
        )


def work_on(
    product: Product[Any],
    settings: Settings,
    ledger: Ledger,
    report: Report,
    *,
    settled: Callable[[], bool],
    packages: int,
    sources: Sequence[Source],
    visits: int | None = None,
    urgent_only: bool = True,
) -> None:
    """Work with these sources of the product until `settled` returns True, with a bar a stage on a terminal.

    `packages` is how many the first stage is expected to visit; `visits` ends the work after so many. A command takes
    urgent events alone: those that it has announced itself, and what these led to.
    """
    names = {source.name for source in sources}
    stages = [stage for stage in product.stages if stage.source in names]
    with StageProgress(stages, packages, settings.lane_gap) as progress:
        draw = progress.update if progress.is_shown else None
        options = LoopOptions(once=True, settled=settled, visits=visits, urgent_only=urgent_only, draw=draw)
        run_work(ledger, open_door(settings, ledger), sources, report, options)


def settled_events(ledger: Ledger, ids: Mapping[str, Sequence[bytes]]) -> Callable[[], bool]:
    """A condition for the loop: none of these events, by queue, is due or held any more.

    Each look first frees what a dead process of this host holds, and puts in front what is due.
    """

    def settled() -> bool:
        ledger.release_abandoned(queues=ids)
        is_any = False
        for queue, chosen in ids.items():
            now = ledger.clock.now()
            states = ledger.states(queue, chosen)
            due = [state.id for state in states if state.due_at is not None and state.due_at <= now]
            if due:
                ledger.hasten(queue, due)
            is_any = is_any or bool(due) or any(state.is_held for state in states)
        return not is_any

    return settled
