"""Who holds an event: fencing tokens that tell host and process, so that a dead worker's are known."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Collection
from pathlib import Path

__all__ = ["is_abandoned", "new_token"]

_PID_BITS = 22  # Linux's largest process id
_NONCE_BITS = 31
_HOST_BITS = 10


def new_token() -> int:
    """A positive 63-bit number: a digest of the host's name, the process id, and chance."""
    return (_host() << _PID_BITS | os.getpid()) << _NONCE_BITS | secrets.randbits(_NONCE_BITS)


def is_abandoned(token: int, ours: Collection[int] | None = None) -> bool:
    """Whether the token was made on this host by a process that is gone; false when in doubt.

    `ours` are the tokens that this process still knows; it has abandoned its others.
    """
    owner = token >> _NONCE_BITS
    if owner >> _PID_BITS != _host():
        return False
    pid = owner & ((1 << _PID_BITS) - 1)
    if pid == os.getpid():
        return ours is not None and token not in ours
    return not _is_alive(pid)


def _host() -> int:
    name = platform.node() + _boot()
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:2]) >> (16 - _HOST_BITS)


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
