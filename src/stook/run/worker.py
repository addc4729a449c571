"""One of several worker processes: works as told, says when it rests, and ends with a report."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
import structlog

from stook.engine.work import PATIENCE
from stook.run.build import open_door, open_ledger, registry_named, sources_of
from stook.run.exit_codes import ending_of
from stook.run.loop import is_interrupted_by_hand, run_work
from stook.run.report import Report
from stook.terminal.logs import configure_logs

if TYPE_CHECKING:
    from stook.engine.ledger import Ledger
    from stook.engine.work import Work
    from stook.settings import Settings

__all__ = ["Ended", "Idle", "Moved", "Order", "Ready", "patiently", "work_as_told"]

T = TypeVar("T")
PULSE = 0.5  # seconds between two looks at whether something was done


@dataclass(frozen=True, slots=True)
class Order:
    """What each worker of a run is told."""

    settings: Settings
    registry: str
    once: bool
    run: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker hears signals from now on."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The worker has done something since it last said so."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing was due at a look begun at `looked`, nor since the one at `since`; seconds on the machine's own clock.

    All that the worker found before is kept.
    """

    since: float
    looked: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The worker's last word; `sentence` is for people, when an error ended it."""

    report: Report
    code: int
    sentence: str


class _Worker:
    """The worker's end of the pipe. Any word from the other end, or its closing, means: enough."""

    def __init__(self, pipe: Connection, ledger: Ledger, queues: list[str]) -> None:
        self._pipe = pipe
        self._ledger = ledger
        self._queues = queues
        self._lock = Lock()
        self._work: Work | None = None
        self._done = -1
        self._since = 0.0
        self._ticker: asyncio.Task[None] | None = None

    def begun(self, work: Work) -> None:
        self._work = work
        asyncio.get_running_loop().add_reader(self._pipe.fileno(), self._end)
        self._ticker = asyncio.create_task(self._tick(work))
        self.say(Ready())

    def settled(self) -> bool:
        """Called in the database's thread, at each look of an idle worker, and now and then of a busy one."""
        looked = time.monotonic()
        work = self._work
        if work is None or not work.is_idle:
            return False
        first = self._ledger.next_due(self._queues)
        if first is not None and first <= self._ledger.clock.now():
            return False
        done = work.tally.claimed.total()
        if done != self._done:
            self._done, self._since = done, looked
        self.say(Idle(self._since, looked))
        return False

    def say(self, word: Any) -> None:
        with self._lock:
            try:
                self._pipe.send(word)
            except OSError:
                pass  # whoever started us is gone; the closed pipe ends us

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._pipe.fileno())
        if self._work:
            self._work.stop()

    async def _tick(self, work: Work) -> None:
        told = 0
        while True:
            await asyncio.sleep(PULSE)
            if (done := work.tally.ended.total()) != told:
                told = done
                self.say(Moved())


def work_as_told(order: Order, number: int, pipe: Connection) -> None:
    """The whole life of a worker process. An error that nobody foresaw ends it without a last word."""
    os.setpgid(0, 0)  # Ctrl-C reaches the one that started us, which passes it on once
    configure_logs(order.settings.log, order.settings.log_format)
    structlog.contextvars.bind_contextvars(worker=number)
    report = Report(f"work {order.registry}", datetime.now(UTC))
    code, sentence = 0, ""
    try:
        _work(order, report, pipe)
        code = report.exit_code
    except (Exception, KeyboardInterrupt) as error:
        ending = ending_of(error, order.settings.shown_db)
        if ending is None:
            raise
        code, sentence = ending.code, ending.sentence
    try:
        pipe.send(Ended(report, code, sentence))
    except OSError:
        pass  # nobody is left to be told


def patiently(action: Callable[[], T]) -> T:
    """A call of a database that was there before; one that is away is waited for, as long as the loop would."""
    started, pause = time.monotonic(), 0.1
    while True:
        try:
            return action()
        except (sa.exc.OperationalError, sa.exc.InterfaceError):
            if time.monotonic() - started > PATIENCE:
                raise
        Event().wait(pause * random.uniform(0.5, 1.5))  # noqa: S311  spreading, not secrecy
        pause = min(pause * 2, 5.0)


def _work(order: Order, report: Report, pipe: Connection) -> None:
    settings = order.settings
    with _opened(settings) as ledger:
        sources = sources_of(registry_named(order.registry), settings, None)
        worker = _Worker(pipe, ledger, [queue for source in sources for queue in source.queues])
        door = open_door(settings, ledger, order.run)
        run_work(ledger, door, sources, report, once=order.once, settled=worker.settled, begun=worker.begun)
    if is_interrupted_by_hand(report):
        raise KeyboardInterrupt


@contextmanager
def _opened(settings: Settings) -> Iterator[Ledger]:
    """The ledger. Whoever started us has opened it before, so a database that is away now comes back."""
    with ExitStack() as stack:
        yield patiently(lambda: stack.enter_context(open_ledger(settings)))
