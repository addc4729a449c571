"""Whether other processes use the same database file: each of them holds a lock that ends with it."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path

__all__ = ["Presence"]


class Presence:
    """A file of this process in a folder that all processes know, locked for as long as the process is there.

    The system takes a lock back however a process ends, so a file without a lock is what a killed process left.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / secrets.token_hex(8)
        self._descriptor = -1

    def enter(self) -> None:
        """Become visible to the others; OSError when the folder cannot be written."""
        while self._descriptor < 0:
            self._folder.mkdir(exist_ok=True)
            try:
                descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:
                continue  # the last process has just left, and deleted the folder
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if self._is_at(descriptor):
                self._descriptor = descriptor
            else:
                os.close(descriptor)  # somebody took it for a dead process's before it was locked

    def is_alone(self) -> bool:
        """Whether no other process is visible; false when in doubt. Files of processes that are gone are deleted."""
        try:
            with os.scandir(self._folder) as entries:
                others = [entry.path for entry in entries if entry.name != self._file.name]
        except OSError:
            return False
        alive = [path for path in others if _is_alive(Path(path))]  # all of them: the dead leave no file
        return not alive

    def leave(self) -> None:
        """Become invisible."""
        if self._descriptor < 0:
            return
        self._file.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1
        try:
            self._folder.rmdir()
        except OSError:
            pass  # others are there

    def _is_at(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._file.stat())
        except FileNotFoundError:
            return False


def _is_alive(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # another user's
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink(missing_ok=True)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
