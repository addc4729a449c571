"""A child process that is given bytes and gives bytes, within a time and a size."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from stook.web.scan.failure import ScannerFailure, Trouble

__all__ = ["ChildOutput", "run_child"]

_PIECE = 65_536  # bytes written or read at a time
_ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": os.defpath}


@dataclass(frozen=True, slots=True)
class ChildOutput:
    """The exit code of a child, 0 to 255, and its standard output."""

    code: int
    data: bytes


def run_child(command: Sequence[str], data: bytes, *, folder: str, timeout: float, most: int) -> ChildOutput:
    """Run a command in a folder with an almost empty environment and a process group of its own.

    Raises `ScannerFailure` if it does not start, takes more than `timeout` seconds, prints more than `most` bytes or
    dies by a signal. The whole group is killed in any case.
    """
    deadline = time.monotonic() + timeout
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_ENVIRONMENT,
            start_new_session=True,
        )
    except OSError as error:
        raise ScannerFailure(Trouble.MISSING, f"it does not start: {error.strerror}") from None
    try:
        output = _exchange(child, data, deadline, most)
        code = child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise ScannerFailure(Trouble.TIMEOUT, f"no answer in {timeout:g} s") from None
    finally:
        _end(child)
    if code < 0:
        raise ScannerFailure(Trouble.CRASHED, f"signal {-code}")
    return ChildOutput(code, output)


def _exchange(child: subprocess.Popen[bytes], data: bytes, deadline: float, most: int) -> bytes:
    """Write all and read all at once, so that neither side waits for the other."""
    stdin, stdout = child.stdin, child.stdout
    if stdin is None or stdout is None:
        raise ScannerFailure(Trouble.CRASHED, "it has no pipes")
    rest = memoryview(data)
    received = bytearray()
    os.set_blocking(stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(stdin, selectors.EVENT_WRITE)
        selector.register(stdout, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            ready = selector.select(left) if left > 0 else []
            if not ready:
                raise subprocess.TimeoutExpired(child.args, 0)
            for key, _ in ready:
                if key.fileobj is stdin:
                    rest = _write(stdin.fileno(), rest)
                    if not rest:
                        selector.unregister(stdin)
                        stdin.close()
                    continue
                piece = os.read(stdout.fileno(), _PIECE)
                received += piece
                if not piece:
                    selector.unregister(stdout)
                if len(received) > most:
                    raise ScannerFailure(Trouble.TOO_MUCH_OUTPUT, f"more than {most} bytes")
    return bytes(received)


def _write(descriptor: int, rest: memoryview) -> memoryview:
    """What is left to write; nothing, when the child reads no more."""
    try:
        return rest[os.write(descriptor, rest[:_PIECE]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
