"""Several worker processes for one command: started, watched, started again when they die, and ended together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

import structlog

from stook.run.exit_codes import FAILED
from stook.run.worker import Ended, Idle, Moved, Order, Ready, work_as_told

__all__ = ["Outcome", "run_workers"]

log = structlog.get_logger(__name__)

DEATHS = 5  # of one worker in a row, nothing done in between, and the run is given up
PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds until a dead worker is started again, doubling with each death
LOOK = 0.2  # seconds between two looks at signals and at who is to be started again


@dataclass(slots=True)
class Outcome:
    """How the workers ended; `sentence` says what ended the run before its time, `code` the exit code of that.

    `was_told` to end, by a signal.
    """

    ended: list[Ended] = field(default_factory=list)
    code: int = 0
    sentence: str = ""
    deaths: int = 0
    was_told: bool = False


@dataclass(slots=True)
class _Place:
    """A worker's place: its process, and what it said last."""

    number: int
    process: SpawnProcess | None = None
    pipe: Connection | None = None
    is_ready: bool = False
    idle: Idle | None = None
    deaths: int = 0  # in a row
    start_at: float = 0.0

    def start(self, order: Order) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work_as_told, args=(order, self.number, theirs))
        self.is_ready, self.idle = False, None
        self.process.start()
        theirs.close()

    def send(self, number: int) -> None:
        if self.process and self.process.pid and self.process.is_alive():
            os.kill(self.process.pid, number)

    def enough(self) -> None:
        try:
            if self.pipe:
                self.pipe.send("enough")
        except OSError:
            pass  # it has ended by itself


class _Crew:
    """All workers of a run."""

    def __init__(self, order: Order, count: int) -> None:
        self._order = order
        self._places = [_Place(number) for number in range(1, count + 1)]
        self._told: list[int] = []  # signals, in order
        self._passed = 0
        self._is_over = False
        self.outcome = Outcome()

    def run(self) -> None:
        with self._hearing():
            while not self._is_over or any(place.process for place in self._places):
                self._pass_signals()
                self._start_due()
                pipes = {place.pipe: place for place in self._places if place.pipe}
                for pipe in wait(list(pipes), LOOK):
                    self._listen(pipes[pipe])  # type: ignore[index]
                if not self._is_over and self._order.once and self._is_drained():
                    self._end()

    @contextmanager
    def _hearing(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, lambda number, _: self._told.append(number)) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            for place in self._places:  # only an error of this process leaves any
                place.send(signal.SIGTERM)

    def _pass_signals(self) -> None:
        """The first signal goes to all; from the third on they are killed: two come easily from one nervous hand."""
        for number in self._told[self._passed :]:
            self._is_over = self.outcome.was_told = True
            self._passed += 1
            for place in self._places:
                if self._passed > 2:
                    place.send(signal.SIGKILL)
                elif place.is_ready and self._passed == 1:
                    place.send(number)

    def _start_due(self) -> None:
        for place in self._places:
            if place.process is None and not self._is_over and time.monotonic() >= place.start_at:
                place.start(self._order)

    def _listen(self, place: _Place) -> None:
        assert place.pipe  # noqa: S101  only open ones are waited for
        try:
            self._hear(place, place.pipe.recv())
        except (EOFError, OSError):
            self._bury(place)

    def _hear(self, place: _Place, word: Any) -> None:
        match word:
            case Ready():
                place.is_ready = True
                if self._told:
                    place.send(self._told[0])
                elif self._is_over:
                    place.enough()
            case Moved():
                place.deaths, place.idle = 0, None
            case Idle():
                place.deaths, place.idle = 0, word
            case Ended():
                self._take(word)
                self._leave(place)

    def _take(self, word: Ended) -> None:
        """A worker that ends by an error of its surroundings ends all; one that was told to end is replaced."""
        self.outcome.ended.append(word)
        if word.sentence:
            self._end(word.code, word.sentence)

    def _leave(self, place: _Place) -> None:
        """The worker has gone; another takes its place, as long as there is work to do."""
        assert place.pipe and place.process  # noqa: S101, PT018  it was there
        place.pipe.close()
        place.process.join()
        place.process.close()
        place.pipe = place.process = place.idle = None

    def _bury(self, place: _Place) -> None:
        assert place.process  # noqa: S101  it was there
        place.process.join()
        how = place.process.exitcode
        self._leave(place)
        if self._is_over:
            return
        self.outcome.deaths += 1
        log.warning("a worker died", worker=place.number, exit=how)
        if how == -signal.SIGKILL:  # somebody else's doing, and no sign that the next one will die too
            place.start_at = time.monotonic() + PAUSE
            return
        place.start_at = time.monotonic() + min(PAUSE * 2**place.deaths, LONGEST_PAUSE)
        place.deaths += 1
        if place.deaths >= DEATHS:
            what = f"signal {-how}" if how and how < 0 else f"exit code {how}"
            self._end(
                FAILED, f"Worker {place.number} died {DEATHS} times and did nothing between, by {what}; see the log."
            )

    def _is_drained(self) -> bool:
        """Whether every worker looked, and found nothing due, after the last one had kept its last."""
        idle = [place.idle for place in self._places]
        if not all(idle):
            return False
        return min(one.looked for one in idle if one) > max(one.since for one in idle if one)

    def _end(self, code: int = 0, sentence: str = "") -> None:
        self._is_over = True
        self.outcome.code = max(self.outcome.code, code)
        self.outcome.sentence = self.outcome.sentence or sentence
        for place in self._places:
            if place.is_ready:
                place.enough()


def run_workers(order: Order, count: int) -> Outcome:
    """Run so many workers until told to stop, or, when working once, until nothing is due and none is at work.

    SIGINT and SIGTERM are passed on. A worker that dies is started again; one that keeps dying ends the run.
    """
    crew = _Crew(order, count)
    crew.run()
    return crew.outcome
