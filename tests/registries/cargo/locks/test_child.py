"""Children on a leash."""

from __future__ import annotations

import fcntl
import sys
import time
from pathlib import Path

import pytest

from stook.engine.errors import Refused, Unavailable
from stook.registries.cargo.locks.child import one_sentence, run

PYTHON = sys.executable


def soon(seconds: float = 30) -> float:
    """A moment that many seconds from now."""
    return time.monotonic() + seconds


def test_a_child_gets_only_what_it_is_given() -> None:
    """A child runs in `/` with exactly the environment given, and no input."""
    script = "import os, sys; print(os.getcwd(), sorted(os.environ.keys() - {'LC_CTYPE'}), sys.stdin.read())"
    ended = run([PYTHON, "-c", script], environment={"ONLY": "this"}, until=soon())
    assert (ended.code, ended.stdout.split(b"\n")[0]) == (0, b"/ ['ONLY'] ")


HOLDING = """
import fcntl, os, signal, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
if not os.fork():
    signal.alarm(20)  # so that a failing test leaves nothing behind
while True: pass
"""


def test_a_late_child_is_ended_with_its_children(tmp_path: Path) -> None:
    """When time is up, the whole process group dies: also a grandchild that holds the output, and a lock, open."""
    started = time.monotonic()
    with pytest.raises(Unavailable, match="did not end within the time limit"):
        run([PYTHON, "-c", HOLDING, str(tmp_path / "lock")], environment={}, until=soon(0.5))
    with (tmp_path / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    assert time.monotonic() - started < 15


def test_a_talking_child_is_late_too() -> None:
    """Output does not buy time."""
    with pytest.raises(Unavailable, match="time limit"):
        run([PYTHON, "-c", "while True: print(flush=True)"], environment={}, until=soon(0.3), limit=1 << 40)


def test_a_child_that_hides_its_output_is_late_too() -> None:
    """A child that closes its output and stays is ended at the deadline."""
    script = "import os\nos.close(1); os.close(2)\nwhile True: pass"
    with pytest.raises(Unavailable, match="time limit"):
        run([PYTHON, "-c", script], environment={}, until=soon(0.3))


def test_a_flood_is_cut() -> None:
    """More output than the limit ends the child."""
    with pytest.raises(Refused, match="printed more than 1000 bytes"):
        run([PYTHON, "-c", "while True: print('x' * 100)"], environment={}, until=soon(), limit=1000)


def test_exit_code_and_both_outputs_are_kept() -> None:
    """A failing child is no exception: its code and words are returned."""
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    ended = run([PYTHON, "-c", script], environment={}, until=soon())
    assert (ended.code, ended.stdout, ended.stderr) == (7, b"out\n", b"err\n")


def test_reasons_are_one_short_printable_line() -> None:
    """Control characters, line breaks and credentials go; what is too long loses its middle."""
    assert one_sentence("a\x1b[31m\n\n b\x00 https://me:word@x.org/y") == "a [31m b https://***@x.org/y"
    assert len(one_sentence("x" * 1000)) == 500
