"""One of several worker processes: it works, says when it is idle, and ends with a report."""

from __future__ import annotations

import asyncio
import os
import random
import signal
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
from stook.run.build import open_door, open_ledger, sources_of
from stook.run.exit_codes import ending_of
from stook.run.loop import LoopOptions, run_work
from stook.run.products import product_named
from stook.run.report import Report
from stook.terminal.logs import configure_logs

if TYPE_CHECKING:
    from stook.engine.ledger import Ledger
    from stook.engine.work import Work
    from stook.settings import Settings

__all__ = [
    "AdvanceSignal",
    "Assignment",
    "EndSignal",
    "IdleSignal",
    "ReadySignal",
    "retry_database",
    "run_worker",
]

T = TypeVar("T")
PULSE = 0.5  # seconds between two looks at whether something was done


@dataclass(frozen=True, slots=True)
class Assignment:
    """The work of a run, the same for each of its workers; `run` is the run's own name, `follows` reads feeds on."""

    settings: Settings
    product: str
    once: bool
    run: str
    follows: bool = True


@dataclass(frozen=True, slots=True)
class ReadySignal:
    """The worker handles signals from now on."""


@dataclass(frozen=True, slots=True)
class AdvanceSignal:
    """The worker has kept something since its last signal of this kind: a visit, or a part of one."""


@dataclass(frozen=True, slots=True)
class IdleSignal:
    """Nothing was due at a look begun at `looked`, nor since the one at `since`; seconds on the machine's own clock.

    All that the worker found before is kept.
    """

    since: float
    looked: float


@dataclass(frozen=True, slots=True)
class EndSignal:
    """The worker's last signal; `sentence` is for people, when an error ended it."""

    report: Report
    code: int
    sentence: str


class _Worker:
    """The worker's end of the pipe. Any message from the other end, or its closing, asks the worker to end."""

    def __init__(self, pipe: Connection, ledger: Ledger, queues: list[str]) -> None:
        self._pipe = pipe
        self._ledger = ledger
        self._queues = queues
        self._lock = Lock()
        self._work: Work | None = None
        self._done = -1
        self._since = 0.0
        self._ticker: asyncio.Task[None] | None = None

    def start(self, work: Work) -> None:
        self._work = work
        asyncio.get_running_loop().add_reader(self._pipe.fileno(), self._end)
        self._ticker = asyncio.create_task(self._tick(work))
        self.send(ReadySignal())

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
        self.send(IdleSignal(self._since, looked))
        return False

    def send(self, message: Any) -> None:
        with self._lock:
            try:
                self._pipe.send(message)
            except OSError:
                pass  # the parent process is gone; the closed pipe ends this one

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._pipe.fileno())
        if self._work:
            self._work.stop()

    async def _tick(self, work: Work) -> None:
        reported = 0
        while True:
            await asyncio.sleep(PULSE)
            if (done := work.tally.kept) != reported:
                reported = done
                self.send(AdvanceSignal())


def run_worker(assignment: Assignment, number: int, pipe: Connection) -> None:
    """The whole life of a worker process. An unforeseen error ends it without a last signal."""
    os.setpgid(0, 0)  # Ctrl-C reaches the parent process, which passes it on once
    configure_logs(assignment.settings.log, assignment.settings.log_format)
    structlog.contextvars.bind_contextvars(worker=number)
    report = Report(f"work {assignment.product}", datetime.now(UTC))
    code, sentence = 0, ""
    try:
        _work(assignment, report, pipe)
        code = report.exit_code
    except (Exception, KeyboardInterrupt) as error:
        ending = ending_of(error, assignment.settings.shown_db)
        if ending is None:
            raise
        code, sentence = ending.code, ending.sentence
    try:
        pipe.send(EndSignal(report, code, sentence))
    except OSError:
        pass  # the parent process is gone


def retry_database(action: Callable[[], T]) -> T:
    """Call a database that was there before; wait for one that is away as long as the loop would."""
    started, pause = time.monotonic(), 0.1
    while True:
        try:
            return action()
        except (sa.exc.OperationalError, sa.exc.InterfaceError):
            if time.monotonic() - started > PATIENCE:
                raise
        Event().wait(pause * random.uniform(0.5, 1.5))  # noqa: S311  spreading, not secrecy
        pause = min(pause * 2, 5.0)


def _work(assignment: Assignment, report: Report, pipe: Connection) -> None:
    settings = assignment.settings
    with _opened(settings) as ledger:
        sources = sources_of(product_named(assignment.product), settings, follows=assignment.follows)
        worker = _Worker(pipe, ledger, [queue for source in sources for queue in source.queues])
        door = open_door(settings, ledger, assignment.run)
        options = LoopOptions(once=assignment.once, settled=worker.settled, started=worker.start)
        ended_by = run_work(ledger, door, sources, report, options)
    if ended_by == signal.SIGINT.name:
        raise KeyboardInterrupt


@contextmanager
def _opened(settings: Settings) -> Iterator[Ledger]:
    """The ledger. The parent process has opened it before, so a database that is away now comes back."""
    with ExitStack() as stack:
        yield retry_database(lambda: stack.enter_context(open_ledger(settings, create=False)))
