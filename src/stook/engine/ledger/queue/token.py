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

__all__ = ["host_digest", "is_abandoned", "is_own", "new_token"]

_PID_BITS = 22  # Linux's largest process id
_NUMBER_BITS = 20
_HOST_BITS = 21  # two hosts that share a digest take each other's processes for their own: with 10, 2 of 40 did


def new_token() -> int:
    """A positive 63-bit number: a digest that tells the host, the process id, and a running number begun by chance."""
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


def is_own(token: int) -> bool:
    """Whether this process made the token."""
    return token >> _NUMBER_BITS == _host() << _PID_BITS | os.getpid()


@cache
def _numbers() -> Iterator[int]:
    return count(secrets.randbits(_NUMBER_BITS))


def host_digest(name: str) -> int:
    """What tells a host in its tokens: 21 bits of a digest of its name, its start and its process namespace."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> (32 - _HOST_BITS)


@cache
def _host() -> int:
    return host_digest(f"{platform.node()} {_boot_id()} {_process_namespace()}")


def _boot_id() -> str:
    """Two machines may have one name: each start of a Linux kernel has an id of its own (proc(5), random/boot_id)."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _process_namespace() -> str:
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
