"""A child process of the pool: reads a computation, runs it within its limits, writes the answer, and again.

`python -m stook.engine.compute.child` is started by the pool alone. It ends when its standard input is closed.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from typing import Any, NoReturn

from stook.engine.compute.frames import read_frame, write_frame
from stook.engine.errors import FailureCode, Malformed, StookError

__all__ = ["main"]


class _TimeIsUp(BaseException):
    """Not an Exception, so that no `except Exception` of a computation swallows it."""


def _on_alarm(number: int, frame: object) -> NoReturn:
    raise _TimeIsUp


def _limit_memory(megabytes: int) -> None:
    """Beyond the limit an allocation fails with MemoryError, and the child lives on."""
    limit = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run(call: bytes, seconds: float) -> tuple[bool, Any]:
    """Whether it worked, and its answer or its error. The timer counts this process's CPU time."""
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            function, arguments = pickle.loads(call)  # noqa: S301  from our own parent
            return True, function(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _TimeIsUp:
        return False, Malformed(f"computing took more than {seconds:g} s of CPU time", FailureCode.COMPUTE_LIMIT)
    except (MemoryError, RecursionError) as error:
        return False, Malformed(f"computing needs too much memory ({type(error).__name__})", FailureCode.COMPUTE_LIMIT)
    except StookError as error:
        return False, error
    except Exception as error:
        return False, RuntimeError(f"{type(error).__name__}: {error}"[:500])


def main() -> None:
    """Serve until the parent is gone."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the frames
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    signal.signal(signal.SIGPROF, _on_alarm)
    path, megabytes = read_frame(source)
    sys.path[:] = path
    _limit_memory(megabytes)
    while True:
        try:
            seconds, call = read_frame(source)
        except EOFError:
            return
        try:
            write_frame(sink, _run(call, seconds))
        except OSError:
            return


if __name__ == "__main__":
    main()
