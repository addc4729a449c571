"""Keeps visits that have ended, and parts of long ones: files first, then one transaction for many visits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from stook.engine.ledger import Ledger, Receipt, VisitResult
from stook.engine.ledger.visits import failed
from stook.engine.loop.active_visit import ActiveVisit
from stook.engine.loop.database import DatabaseThread

__all__ = ["KEEP_AT_MOST", "FileWriter", "Keeper"]

KEEP_AT_MOST = 64  # visits in one transaction


@runtime_checkable
class FileWriter(Protocol):
    """A source whose records stand in files, too."""

    def write_files(self, records: Sequence[Any]) -> Sequence[Any]:
        """Write the files of these records, outside any transaction; answer the records that rows are made of.

        A file is whole under its name before a row mentions it. After a crash between the two, a file may be there
        that no row mentions; the source finds and removes it in its next run.
        """
        ...


@dataclass(eq=False, slots=True)
class _Delivery:
    """An end or a part of a visit, on its way into the database; `kept` is set when it is there."""

    visit: ActiveVisit
    finished: VisitResult
    kept: asyncio.Event = field(default_factory=asyncio.Event)


class Keeper:
    """One transaction at a time, with as many visits as have come meanwhile.

    After each transaction `on_kept` is called with what it kept, then `on_ends` with the visits that are over.
    """

    def __init__(
        self,
        ledger: Ledger,
        database: DatabaseThread,
        on_kept: Callable[[Receipt], None],
        on_ends: Callable[[Sequence[ActiveVisit]], None],
    ) -> None:
        self._ledger = ledger
        self._database = database
        self._on_kept = on_kept
        self._on_ends = on_ends
        self._deliveries: asyncio.Queue[_Delivery | None] = asyncio.Queue()  # None: no more will come

    @property
    def is_behind(self) -> bool:
        """Whether so much waits to be kept that claiming more would only make it longer."""
        return self._deliveries.qsize() >= KEEP_AT_MOST

    @property
    def is_empty(self) -> bool:
        return self._deliveries.empty()

    def put(self, visit: ActiveVisit, finished: VisitResult) -> asyncio.Event:
        """Hand over what there is to keep; the event is set when it is kept."""
        delivery = _Delivery(visit, finished)
        self._deliveries.put_nowait(delivery)
        return delivery.kept

    def close(self) -> None:
        """Nothing follows: `run` ends when all that came before is kept."""
        self._deliveries.put_nowait(None)

    async def run(self) -> None:
        """Keep until closed."""
        is_last = False
        while not is_last:
            batch = [await self._deliveries.get()]
            while len(batch) < KEEP_AT_MOST and not self._deliveries.empty():
                batch.append(self._deliveries.get_nowait())
            is_last = batch[-1] is None
            deliveries = [delivery for delivery in batch if delivery is not None]
            if deliveries:
                await self._keep(deliveries)

    async def _keep(self, deliveries: Sequence[_Delivery]) -> None:
        finished = [await self._with_files(delivery.finished) for delivery in deliveries]
        kept = await self._database.call(self._ledger.keep, finished)
        self._on_kept(kept)
        for delivery in deliveries:
            delivery.kept.set()
        self._on_ends([delivery.visit for delivery in deliveries if not delivery.finished.is_part])

    async def _with_files(self, finished: VisitResult) -> VisitResult:
        """The files of a visit come before the row that mentions them; a visit whose files fail, fails."""
        source = finished.source
        if not finished.found.records or not isinstance(source, FileWriter):
            return finished
        try:
            records = await asyncio.to_thread(source.write_files, finished.found.records)
        except Exception as error:
            return failed(finished, error)
        return replace(finished, found=replace(finished.found, records=records))
