"""A child process on a leash: a deadline, a limit of output, and no process left behind."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, cast

from stook.engine.errors import FailureCode, Refused, Unavailable

__all__ = ["Ended", "one_sentence", "run", "without_credentials"]

LIMIT = 1 << 20
"""Bytes of output of a child, unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a child left: its exit code and all that it printed."""

    code: int
    stdout: bytes
    stderr: bytes


def run(command: Sequence[str], *, environment: Mapping[str, str], until: float, limit: int = LIMIT) -> Ended:
    """Run a child in its own process group, in `/`, with exactly this environment and no input.

    Raises Unavailable when `until` (time.monotonic) passes, Refused when it prints more than `limit` bytes (LIMIT on
    its error output). Whatever happens, also an interrupt, the whole group is killed before this returns.
    """
    with subprocess.Popen(
        command,
        cwd="/",
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        try:
            stdout, stderr = _drain(child, until, limit, PurePath(command[0]).name)
            return Ended(child.wait(max(0.0, until - time.monotonic())), stdout, stderr)
        except subprocess.TimeoutExpired as error:
            raise _late(PurePath(command[0]).name) from error
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)


def _drain(child: subprocess.Popen[bytes], until: float, limit: int, name: str) -> tuple[bytes, bytes]:
    texts, limits = (bytearray(), bytearray()), (limit, LIMIT)
    with selectors.DefaultSelector() as selector:
        for stream, text in zip((child.stdout, child.stderr), texts, strict=True):
            selector.register(cast("IO[bytes]", stream), selectors.EVENT_READ, text)
        while selector.get_map():
            ready = selector.select(max(0.0, until - time.monotonic()))
            if time.monotonic() >= until:
                raise _late(name)
            for key, _ in ready:
                _take(selector, key)
            if any(len(text) > most for text, most in zip(texts, limits, strict=True)):
                raise Refused(f"{name} printed more than {limit} bytes and was ended", FailureCode.TOO_LARGE)
    return bytes(texts[0]), bytes(texts[1])


def _take(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    chunk = os.read(key.fd, 65536)
    key.data.extend(chunk)
    if not chunk:
        selector.unregister(key.fileobj)


def _late(name: str) -> Unavailable:
    return Unavailable(f"{name} did not end within the time limit and was ended", FailureCode.TIMEOUT)


def without_credentials(url: str) -> str:
    """A URL, or the source of a lock, without user, password and all of the query but what names a commit."""
    plain = re.sub(r"//[^/@\s]+@", "//", url)
    head, question, rest = plain.partition("?")
    query, mark, fragment = rest.partition("#")
    kept = [pair for pair in query.split("&") if pair.partition("=")[0] in ("branch", "tag", "rev")]
    return head + (question + "&".join(kept) if kept else "") + mark + fragment


def one_sentence(text: str, *, most: int = 500) -> str:
    """Text of a child or a manifest as one printable line without credentials, its middle left out when too long."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    line = re.sub(r"//[^/@\s]+@", "//***@", line)
    if len(line) <= most:
        return line
    tail = most // 2
    return f"{line[: most - tail - 3]} … {line[-tail:]}"
