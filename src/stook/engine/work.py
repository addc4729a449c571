"""The loop: claim due events, let their visits ask the door, keep what they found."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
import structlog

from stook.engine.errors import StookError
from stook.engine.ledger import Finished, Kept, Ledger
from stook.engine.tally import Failure, Tally
from stook.engine.visits import Begun
from stook.engine.words import Code, Event, Outcome, Reply, Request, Source, Validators

__all__ = ["Failure", "Fetcher", "Tally", "Work"]

T = TypeVar("T")
log = structlog.get_logger(__name__)

KEEP_AT_MOST = 64  # visits in one transaction
PATIENCE = 120.0  # seconds that a database may be away
LAST_PATIENCE = 10.0  # and when all that is left is to go
IDLE = 1.0  # seconds between two looks at a queue that has nothing due


class Fetcher(Protocol):
    """The door, as the loop sees it."""

    async def fetch(self, request: Request, validators: Validators | None = None) -> Reply: ...


class Work:
    """One worker, for one run. `run` returns when nothing is due (once), or when `stop` was called."""

    def __init__(
        self,
        ledger: Ledger,
        door: Fetcher,
        sources: Sequence[Source],
        tally: Tally | None = None,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self.ledger = ledger
        self.door = door
        self.sources = sources
        self.tally = tally or Tally()
        self._patience = patience
        self._places = {id(source): asyncio.Semaphore(source.tasks) for source in sources}
        self._busy: Counter[int] = Counter()  # visits under way, by source
        self._database = ThreadPoolExecutor(1, "ledger")
        self._finished: asyncio.Queue[Finished | None] = asyncio.Queue()  # None: no more will come
        self._parts: dict[int, asyncio.Event] = {}  # of visits that go on; set when they are kept
        self._taken: list[Event] = []  # claimed, their visits not made yet
        self._put_back: list[Event] = []  # of visits that were given up after `stop`
        self._held: dict[int, Sequence[Event]] = {}  # of visits that are under way, or not kept
        self._wake = asyncio.Event()
        self._visits: set[asyncio.Task[None]] = set()
        self._fault: BaseException | None = None
        self._stopped = False  # takes no more
        self._leaves = False  # nor begins what it has taken
        self._is_unsure = False  # whether a claim may have been kept though its answer never came

    @property
    def is_idle(self) -> bool:
        """Whether it holds no event at this moment. All that it found is kept then."""
        return not self._held and not self._taken

    def stop(self) -> None:
        """Take no more events; what is under way is finished and kept, what only waits for its turn is given back.

        A visit that has a part to be kept ends with that.
        """
        self._stopped = self._leaves = True
        self._wake.set()

    async def run(self, *, once: bool, settled: Callable[[], bool] | None = None, visits: int | None = None) -> Tally:
        """Work. `once` ends when nothing is due, or, with `settled`, as soon as nothing more is awaited.

        `visits` ends it after so many.

        When cancelled, what is finished is kept, and everything else given back.
        """
        keeper = self._start(self._keep_finished())
        renewer = self._start(self._renew_leases())
        try:
            await self._call(self.ledger.release_abandoned)
            await self._serve(once, settled, visits)
        finally:
            await asyncio.shield(self._close(keeper, renewer))
        return self.tally

    def _start(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        task.add_done_callback(self._on_end)
        return task

    def _on_end(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fault = self._fault or error
            self._wake.set()

    async def _serve(self, once: bool, settled: Callable[[], bool] | None, visits: int | None) -> None:
        looked = asyncio.get_running_loop().time()
        while True:
            if self._fault:
                raise self._fault
            if visits is not None and self.tally.claimed.total() >= visits:
                self._stopped = True
            # A long queue of other people's events must not keep a command that waits for its own.
            if once and settled and asyncio.get_running_loop().time() - looked > IDLE:
                if await self._call(settled):
                    self._stopped = True
                looked = asyncio.get_running_loop().time()
            self._wake.clear()
            claimed = 0 if self._stopped else sum([await self._claim(source) for source in self.sources])
            if claimed:
                continue
            if not self._held and await self._is_over(once, settled):
                return
            await self._sleep(IDLE)

    async def _is_over(self, once: bool, settled: Callable[[], bool] | None) -> bool:
        return self._stopped or (once and await self._call(settled or self._is_drained))

    def _is_drained(self) -> bool:
        """Whether nothing is due. A claim passes over what others have locked; it may come back a moment later."""
        first = self.ledger.next_due([queue for source in self.sources for queue in source.queues])
        return first is None or first > self.ledger.clock.now()

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):  # wait_for may swallow a Ctrl-C that comes with the event (3.11)
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _claim(self, source: Source) -> int:
        """Claim for a source with a free place, unless keeping lags behind; returns how many events came."""
        if self._busy[id(source)] >= source.tasks or self._finished.qsize() >= KEEP_AT_MOST:
            return 0
        await self._call(self._take, source)
        events, self._taken = self._taken, []
        packages: dict[str, list[Event]] = defaultdict(list)
        for event in events:
            packages[event.name].append(event)
        begun = [self._begin(source, some) for some in packages.values()]
        await self._recall(begun)
        for one in begun:
            self._visits.add(self._start(self._attend(one)))
        return len(events)

    def _take(self, source: Source) -> None:
        """In the database's thread: what it claims is known here even if nobody waits for the answer any more."""
        if self._is_unsure:
            held = [event for events in list(self._held.values()) for event in events]
            self.ledger.release_abandoned({event.lease for event in [*held, *self._taken]})
        self._is_unsure = True
        for queue in source.queues:
            if len(self._taken) < source.batch:
                self._taken += self.ledger.claim(queue, source.batch - len(self._taken))
        self._is_unsure = False

    def _begin(self, source: Source, events: Sequence[Event]) -> Begun:
        self.tally.claimed[source.name] += 1
        self._busy[id(source)] += 1
        begun = Begun(source, events)
        self._held[id(begun)] = events
        begun.begin()
        return begun

    async def _recall(self, begun: Sequence[Begun]) -> None:
        """The validators of all visits' requests in one look."""
        asking = [(one, one.request.url) for one in begun if one.request and one.asks_for_changes]
        known = await self._call(self.ledger.validators, [url for _, url in asking]) if asking else {}
        for one, url in asking:
            one.known = known.get(url)

    async def _attend(self, begun: Begun) -> None:
        """See one visit through to its end."""
        async with self._places[id(begun.source)]:
            if self._gives_up(begun):
                return
            kept = asyncio.Event()
            kept.set()
            while not begun.has_ended:
                if begun.request is not None:
                    await self._exchange(begun, begun.request)
                else:
                    await kept.wait()  # one part waits while the next is made, and no more
                    kept = self._hand_over(begun.take_part())
                    if self._gives_up(begun):
                        return
                await self._recall([begun])
        finished = begun.finished()
        self._held[id(finished)] = begun.events  # first, as the database's thread looks at this too
        del self._held[id(begun)]
        self._finished.put_nowait(finished)
        self._busy[id(begun.source)] -= 1
        self.tally.ended[begun.source.name] += 1

    def _gives_up(self, begun: Begun) -> bool:
        """After `stop`, what has asked nothing yet, or has handed over a part, is left to another visit."""
        if not self._leaves or begun.has_ended:
            return False
        self._put_back += self._held.pop(id(begun))
        self._busy[id(begun.source)] -= 1
        self._wake.set()
        return True

    def _hand_over(self, part: Finished) -> asyncio.Event:
        self._parts[id(part)] = kept = asyncio.Event()
        self._finished.put_nowait(part)
        return kept

    async def _exchange(self, begun: Begun, request: Request) -> None:
        try:
            reply = await self.door.fetch(request, begun.known)
        except StookError as error:
            begun.fail(error)
        except Exception as error:
            begun.break_off(error)
        else:
            begun.answer(reply)

    async def _keep_finished(self) -> None:
        """Keep finished visits, as many in one transaction as have come meanwhile; nothing follows a None."""
        is_last = False
        while not is_last:
            batch = [await self._finished.get()]
            while len(batch) < KEEP_AT_MOST and not self._finished.empty():
                batch.append(self._finished.get_nowait())
            is_last = batch[-1] is None
            finished = [one for one in batch if one is not None]
            if finished:
                self._count(await self._call(self.ledger.keep, finished))
            for one in finished:
                if one.is_part:
                    self._parts.pop(id(one)).set()
                else:
                    del self._held[id(one)]
            self._wake.set()

    def _count(self, kept: Kept) -> None:
        tally = self.tally
        tally.outcomes.update({code.name.lower(): count for code, count in kept.outcomes.items()})
        tally.written += kept.written
        tally.unchanged += kept.unchanged
        tally.lost += kept.lost
        for event, outcome in kept.ends:
            self._report(event, outcome)
        for record, reason in kept.rejected:
            tally.reject(record, reason)
            log.warning("record kept aside", record=record, reason=reason)

    def _report(self, event: Event, outcome: Outcome) -> None:
        """Every failure is listed once, and logged once, here. To be looked at again, without a reason, is none."""
        is_fine = outcome.code in (Code.COMPLETE, Code.EXCLUDED, Code.ALIAS)
        if is_fine or (outcome.code is Code.PENDING and not outcome.reason):
            return
        if outcome.is_deferred:
            self.tally.defer(event, outcome)
            return
        name = outcome.code.name.lower()
        self.tally.fail(event, outcome)
        log.warning("event not done", queue=event.queue, outcome=name, record=str(event), reason=outcome.reason)

    async def _renew_leases(self) -> None:
        while True:
            await asyncio.sleep(self.ledger.lease.total_seconds() / 3)
            await self._call(self.ledger.renew, [event for events in self._held.values() for event in events])

    async def _close(self, keeper: asyncio.Task[None], renewer: asyncio.Task[None]) -> None:
        """Whatever has finished is kept; whatever was claimed and is not kept is free again at once."""
        self._patience = min(self._patience, LAST_PATIENCE)
        leaving = [renewer, *self._visits]
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        self._finished.put_nowait(None)
        await asyncio.wait([keeper])
        try:
            await self._call(self._release_left)
        finally:
            self._database.shutdown(wait=False)
        if self._fault:
            raise self._fault

    def _release_left(self) -> None:
        left = [*self._taken, *self._put_back, *(event for events in self._held.values() for event in events)]
        if left:
            self.ledger.release(left)

    async def _call(self, action: Callable[..., T], *arguments: Any) -> T:
        """A call of the ledger, in its own thread; a database that is away is waited for."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        pause = 0.1
        while True:
            try:
                return await loop.run_in_executor(self._database, action, *arguments)
            except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
                if loop.time() - started > self._patience:
                    raise
                log.warning("database trouble, trying again", seconds=round(pause, 1), reason=str(error.orig)[:200])
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  spreading, not secrecy
            pause = min(pause * 2, 5.0)
