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

from stook.run.exit_codes import ENVIRONMENT, FAILED
from stook.run.loop import END_SIGNALS
from stook.run.worker import AdvanceSignal, Assignment, EndSignal, IdleSignal, ReadySignal, run_worker

__all__ = ["PoolResult", "run_workers"]

log = structlog.get_logger(__name__)

DEATHS = 5  # of one worker in a row, nothing done in between, and the run is given up
PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds until a dead worker is started again, doubling with each death
LOOK = 0.2  # seconds between two looks at signals and at workers that are to be started again


@dataclass(slots=True)
class PoolResult:
    """The workers' last signals and how the run ended.

    `sentence` says why it ended early, with its exit `code`; `signal` names the signal that ended it.
    """

    ends: list[EndSignal] = field(default_factory=list)
    code: int = 0
    sentence: str = ""
    deaths: int = 0
    signal: str = ""


@dataclass(slots=True)
class _Place:
    """A worker's place: its process, and its last signal."""

    number: int
    process: SpawnProcess | None = None
    pipe: Connection | None = None
    is_ready: bool = False
    idle: IdleSignal | None = None
    deaths: int = 0  # in a row
    start_at: float = 0.0

    def start(self, assignment: Assignment) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=run_worker, args=(assignment, self.number, theirs))
        self.is_ready, self.idle = False, None
        self.process.start()
        theirs.close()

    def send(self, number: int) -> None:
        if self.process and self.process.pid and self.process.is_alive():
            os.kill(self.process.pid, number)

    def wait(self) -> None:
        """Its next worker starts after a pause."""
        self.start_at = time.monotonic() + min(PAUSE * 2**self.deaths, LONGEST_PAUSE)
        self.deaths += 1

    def end(self) -> None:
        try:
            if self.pipe:
                self.pipe.send("end")
        except OSError:
            pass  # it has ended by itself


class _Crew:
    """All workers of a run."""

    def __init__(self, assignment: Assignment, count: int) -> None:
        self._assignment = assignment
        self._places = [_Place(number) for number in range(1, count + 1)]
        self._heard: list[int] = []  # signals, in order
        self._passed = 0
        self._is_over = False
        self.result = PoolResult()

    def run(self) -> None:
        with self._handled_signals():
            while not self._is_over or any(place.process for place in self._places):
                self._pass_signals()
                self._start_due()
                pipes = {place.pipe: place for place in self._places if place.pipe}
                for pipe in wait(list(pipes), LOOK):
                    self._listen(pipes[pipe])  # type: ignore[index]
                if not self._is_over and self._assignment.once and self._is_drained():
                    self._end()

    @contextmanager
    def _handled_signals(self) -> Iterator[None]:
        numbers = [number for number in (signal.SIGINT, *END_SIGNALS) if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, lambda number, _: self._heard.append(number)) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            for place in self._places:  # only an error of this process leaves any
                place.send(signal.SIGTERM)

    def _pass_signals(self) -> None:
        """The first signal goes to all; from the third on they are killed: two come easily from one nervous hand."""
        for number in self._heard[self._passed :]:
            self._is_over = True
            self.result.signal = self.result.signal or signal.Signals(number).name
            self._passed += 1
            for place in self._places:
                if self._passed > 2:
                    place.send(signal.SIGKILL)
                elif place.is_ready and self._passed == 1:
                    place.send(number)

    def _start_due(self) -> None:
        for place in self._places:
            if place.process is None and not self._is_over and time.monotonic() >= place.start_at:
                place.start(self._assignment)

    def _listen(self, place: _Place) -> None:
        assert place.pipe  # noqa: S101  only open ones are waited for
        try:
            self._hear(place, place.pipe.recv())
        except (EOFError, OSError):
            self._bury(place)

    def _hear(self, place: _Place, message: Any) -> None:
        match message:
            case ReadySignal():
                place.is_ready = True
                if self._heard:
                    place.send(self._heard[0])
                elif self._is_over:
                    place.end()
            case AdvanceSignal():
                place.deaths, place.idle = 0, None
            case IdleSignal():
                place.deaths, place.idle = 0, message
            case EndSignal():
                self._take(message, place)
                self._leave(place)

    def _take(self, end: EndSignal, place: _Place) -> None:
        """A worker that an error ended ends all of them; one that a signal ended is replaced.

        So is one that the database or the system refused while others go on: it may have had no connection left.
        """
        self.result.ends.append(end)
        if not end.sentence:
            return
        others = [one for one in self._places if one is not place and one.is_ready and one.process]
        if end.code != ENVIRONMENT or not others or place.deaths + 1 >= DEATHS:
            self._end(end.code, end.sentence)
        elif not self._is_over:
            log.warning("a worker cannot go on, another takes its place later", worker=place.number)
            place.wait()

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
        self.result.deaths += 1
        log.warning("a worker died", worker=place.number, exit=how)
        place.wait()
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
        return min(rest.looked for rest in idle if rest) > max(rest.since for rest in idle if rest)

    def _end(self, code: int = 0, sentence: str = "") -> None:
        self._is_over = True
        self.result.code = max(self.result.code, code)
        self.result.sentence = self.result.sentence or sentence
        for place in self._places:
            if place.is_ready:
                place.end()
            else:  # it may wait for a database that is away
                place.send(signal.SIGTERM)


def run_workers(assignment: Assignment, count: int) -> PoolResult:
    """Run so many workers until a signal ends them, or, when working once, until nothing is due and all are idle.

    SIGINT, SIGTERM and SIGHUP are passed on. A worker that dies is started again; one that keeps dying ends the run.
    """
    crew = _Crew(assignment, count)
    crew.run()
    return crew.result
