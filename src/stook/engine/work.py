"""One worker for one run: starts the parts of the loop, decides when the run is over, and ends them in order.

The flow itself, claim → visit → keep, stands in `stook.engine.loop.flow`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from stook.engine.compute import ComputePool
from stook.engine.ledger import Ledger
from stook.engine.loop.active_visit import ActiveVisit
from stook.engine.loop.answers import Answers, Computer, Fetcher
from stook.engine.loop.claims import Claims, are_suspect
from stook.engine.loop.database import PATIENCE, DatabaseThread
from stook.engine.loop.flow import Flow
from stook.engine.loop.keeper import KEEP_AT_MOST, Keeper
from stook.engine.loop.places import Places
from stook.engine.loop.reporter import count_kept
from stook.engine.tally import Tally
from stook.engine.words import Source

__all__ = ["KEEP_AT_MOST", "PATIENCE", "Fetcher", "Work"]

IDLE = 1.0  # seconds between two looks at a queue that has nothing due
SHORT = 0.05  # the same while a lane may want its next events before a visit ends


class Work:
    """One worker, for one run. `run` returns when nothing is due (once), or when `stop` was called.

    `urgent_only`: it takes urgent events alone, as a command does that works on what it has announced itself.
    `computer` runs computations; by default a pool of child processes, which is started when it is first needed.
    """

    def __init__(
        self,
        ledger: Ledger,
        door: Fetcher,
        sources: Sequence[Source],
        tally: Tally | None = None,
        *,
        patience: float = PATIENCE,
        computer: Computer | None = None,
        urgent_only: bool = False,
    ) -> None:
        self.ledger = ledger
        self.sources = sources
        self.tally = tally or Tally()
        self._urgent_only = urgent_only
        self._queues = [queue for source in sources for queue in source.queues]
        self._database = DatabaseThread(patience)
        self._pool = ComputePool()
        self._claims = Claims(ledger, self._database, urgent_only=urgent_only)
        self._keeper = Keeper(ledger, self._database, lambda kept: count_kept(self.tally, kept), self._on_kept)
        answers = Answers(ledger, self._database, door, computer or self._pool)
        self._flow = Flow(self._claims, answers, self._keeper, Places(), self.tally, lambda: self._is_leaving)
        self._wake = asyncio.Event()
        self._visits: set[asyncio.Task[None]] = set()
        self._fault: BaseException | None = None
        self._is_stopping = False  # takes no more events
        self._is_leaving = False  # and begins nothing of what it has taken

    @property
    def is_idle(self) -> bool:
        """Whether it holds no event at this moment. All that it found is kept then."""
        return self._claims.is_empty

    def stop(self) -> None:
        """Take no more events. Visits under way are finished and kept; those that only wait are given back.

        A visit that has a part to be kept ends with that part.
        """
        self._is_stopping = self._is_leaving = True
        self._wake.set()

    async def run(self, *, once: bool, settled: Callable[[], bool] | None = None, visits: int | None = None) -> Tally:
        """Work. `once` ends when nothing is due, or, with `settled`, as soon as nothing more is awaited.

        `visits` ends the run after so many. When it is cancelled, what is finished is kept, and all else given back.
        """
        keeper = self._start(self._keeper.run())
        renewer = self._start(self._renew_leases())
        try:
            await self._database.call(self.ledger.release_abandoned, None, self._queues)
            await self._serve(once, settled, visits)
        finally:
            await asyncio.shield(self._close(keeper, renewer))
        return self.tally

    async def _serve(self, once: bool, settled: Callable[[], bool] | None, visits: int | None) -> None:
        clock = asyncio.get_running_loop().time
        looked = clock()
        while True:
            if self._fault:
                raise self._fault
            if visits is not None and self.tally.claimed.total() >= visits:
                self._is_stopping = True
            # A long queue of other people's events must not keep a command that waits for its own.
            if once and settled and not self._urgent_only and clock() - looked > IDLE:
                if await self._database.call(settled):
                    self._is_stopping = True
                looked = clock()
            self._wake.clear()
            if sum([await self._claim(source) for source in self.sources]):
                continue
            if self._claims.has_no_visits and await self._is_over(once, settled):
                return
            await self._sleep(SHORT if self._claims.has_lanes else IDLE)

    async def _claim(self, source: Source) -> int:
        """Claim for a source that has a place free, and start the visits; how many these are."""
        if self._is_stopping or self._keeper.is_behind or not self._claims.wants(source):
            return 0
        visits = await self._flow.claim(source)
        if are_suspect(visits):
            await self._attend_alone(visits)
        else:
            self._visits |= {self._start(self._flow.attend(visit)) for visit in visits}
        return len(visits)

    async def _attend_alone(self, visits: Sequence[ActiveVisit]) -> None:
        """Workers died with these events in hand. Nothing else may be under way, or it would be suspected, too."""
        while self._claims.has_others(visits) and not self._fault:
            self._wake.clear()
            await self._sleep(SHORT)
        for visit in visits:
            task = self._start(self._flow.attend(visit))
            self._visits.add(task)
            await asyncio.wait([task])
            while not self._claims.has_no_visits and not self._fault:
                self._wake.clear()
                await self._sleep(SHORT)

    async def _is_over(self, once: bool, settled: Callable[[], bool] | None) -> bool:
        return self._is_stopping or (once and await self._database.call(settled or self._is_drained))

    def _is_drained(self) -> bool:
        """Whether nothing is due. A claim passes over what others have locked; it may come back a moment later."""
        first = self.ledger.next_due(self._queues)
        return first is None or first > self.ledger.clock.now()

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):  # wait_for may swallow a Ctrl-C that comes with the event (3.11)
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _renew_leases(self) -> None:
        while True:
            await asyncio.sleep(self.ledger.lease.total_seconds() / 3)
            await self._database.call(self.ledger.renew, self._claims.events())

    def _on_kept(self, visits: Sequence[ActiveVisit]) -> None:
        for visit in visits:
            self._claims.drop(visit)
        self._wake.set()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(self._on_task_end)
        return task

    def _on_task_end(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        if self._is_leaving:
            self._wake.set()  # a visit may have been given up
        if not task.cancelled() and (error := task.exception()):
            self._fault = self._fault or error
            self._wake.set()

    async def _close(self, keeper: asyncio.Task[None], renewer: asyncio.Task[None]) -> None:
        """What has finished is kept; what was claimed and is not kept is free again at once."""
        self._database.shorten_patience()
        leaving = [renewer, *self._visits]
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        self._keeper.close()
        await asyncio.wait([keeper])
        try:
            await self._database.call(self._claims.release)
        finally:
            self._database.close()
            self._pool.close()
        if self._fault:
            raise self._fault
