"""Who holds an event: fencing tokens that tell host and process, so that a dead worker's are known."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Collection, Iterator
from functools import cache
from itertools import count
from pathlib import Path

__all__ = ["host_digest", "is_abandoned", "new_token"]

_PID_BITS = 22  # Linux's largest process id
_NUMBER_BITS = 20
_HOST_BITS = 21  # two hosts that share a digest take each other's processes for their own: with 10, 2 of 40 did


def new_token() -> int:
    """A positive 63-bit number: a digest of the host's name, the process id, and a running number begun by chance."""
    return (_host() << _PID_BITS | os.getpid()) << _NUMBER_BITS | next(_numbers()) % (1 << _NUMBER_BITS)


def is_abandoned(token: int, ours: Collection[int] | None = None) -> bool:
    """Whether the token was made on this host by a process that is gone; false when in doubt.

    `ours` are the tokens that this process still knows; it has abandoned its others.
    """
    owner = token >> _NUMBER_BITS
    if owner >> _PID_BITS != _host():
        return False
    pid = owner & ((1 << _PID_BITS) - 1)
    if pid == os.getpid():
        return ours is not None and token not in ours
    return not _is_alive(pid)


@cache
def _numbers() -> Iterator[int]:
    return count(secrets.randbits(_NUMBER_BITS))


def host_digest(name: str) -> int:
    """What tells a host in its tokens."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> (32 - _HOST_BITS)


def _host() -> int:
    return host_digest(platform.node() + _boot())


def _boot() -> str:
    """Containers that share a database file have process ids of their own; their pid namespace tells them apart."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
