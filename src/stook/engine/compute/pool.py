"""A pool of child processes for pure computations: a hostile input costs its own visit, never the loop."""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import select
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, cast

from stook.engine.compute.frames import read_frame, write_frame
from stook.engine.errors import FailureCode, Malformed
from stook.engine.words import Compute

__all__ = ["ComputePool"]

MEMORY = 1024  # megabytes of address space a child may have; Python with its libraries takes some 200 of them
GRACE = 3.0  # how many times the CPU limit a computation may last on the clock: other processes need the cores, too
SHORTEST = 5.0  # seconds on the clock that every computation may last


class ComputePool:
    """Runs `Compute` asks in `size` child processes, started when first needed. Close it when the run ends.

    A child that dies, or that passes its time on the clock, is replaced; its computation fails with `compute_limit`.
    """

    def __init__(self, size: int | None = None, memory: int = MEMORY, *, shortest: float = SHORTEST) -> None:
        self._memory = memory
        self._shortest = shortest
        self._size = size or max(len(os.sched_getaffinity(0)), 1)
        self._threads = ThreadPoolExecutor(self._size, "compute")
        self._idle: queue.SimpleQueue[_Child] = queue.SimpleQueue()
        self._children: set[_Child] = set()
        self._is_closed = False

    @property
    def children(self) -> list[_Child]:
        """The processes that run now."""
        return list(self._children)

    async def compute(self, ask: Compute) -> Any:
        """The function's result. Raises its own error of ours, or Malformed with `compute_limit`.

        RuntimeError stands for an error that the function did not foresee.
        """
        call = pickle.dumps((ask.function, ask.arguments), pickle.HIGHEST_PROTOCOL)
        loop = asyncio.get_running_loop()
        has_worked, answer = await loop.run_in_executor(self._threads, self._run, call, ask.seconds)
        if not has_worked:
            raise answer
        return answer

    def close(self) -> None:
        """End the children; computations under way fail."""
        self._is_closed = True
        for child in self.children:
            child.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run(self, call: bytes, seconds: float) -> tuple[bool, Any]:
        child = self._child()
        try:
            outcome = child.run(call, seconds, max(seconds * GRACE, self._shortest))
        except (EOFError, OSError, TimeoutError) as error:
            self._children.discard(child)
            child.kill()
            fault = "took too long" if isinstance(error, TimeoutError) else "ended its process"
            return False, Malformed(f"computing {fault}", FailureCode.COMPUTE_LIMIT)
        self._idle.put(child)
        return outcome

    def _child(self) -> _Child:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            child = _Child(self._memory)
            self._children.add(child)
            if self._is_closed:
                child.kill()
            return child


class _Child:
    """One child process, used by one thread at a time."""

    def __init__(self, memory: int) -> None:
        command = [sys.executable, "-m", "stook.engine.compute.child"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
        self.pid = self._process.pid
        self._sink = cast(BinaryIO, self._process.stdin)
        self._source = cast(BinaryIO, self._process.stdout)
        write_frame(self._sink, (list(sys.path), memory))

    def run(self, call: bytes, seconds: float, patience: float) -> tuple[bool, Any]:
        """Whether it worked, and the answer or the error. TimeoutError after `patience` seconds, EOFError on death."""
        deadline = time.monotonic() + patience
        write_frame(self._sink, (seconds, call))
        ready, _, _ = select.select([self._source], [], [], max(deadline - time.monotonic(), 0.0))
        if not ready:
            raise TimeoutError
        has_worked, answer = read_frame(self._source)
        return bool(has_worked), answer

    def kill(self) -> None:
        """End it now, and collect it."""
        self._process.kill()
        for stream in (self._sink, self._source):
            try:
                stream.close()
            except OSError:
                pass  # the child is gone, and with it what was left to write
        self._process.wait()
