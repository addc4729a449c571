"""A body on its way into a file: it grows beside its name, and is given that name when it is whole."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeVar

__all__ = ["Download", "FileTrouble", "partial_of", "partial_size"]

T = TypeVar("T")
BLOCK = 1024 * 1024  # bytes collected before they are handed to a thread


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...


class FileTrouble(Exception):
    """The file cannot be written: a matter of this machine, not of the network. Its text is for people."""


def partial_of(target: Path) -> Path:
    """The file that holds the beginning of `target` after a transfer was cut short; its size is the next `offset`."""
    return target.with_name(target.name + ".part")


def partial_size(target: Path) -> int:
    """Bytes of `target` that an earlier transfer left; 0 when there are none."""
    try:
        return partial_of(target).stat().st_size
    except OSError:
        return 0


class Download:
    """Writes one file by threads, so that a slow disk does not hold the loop; memory stays at a block or two.

    Use as a context: `open`, then `write` and `finish`; `close` in the end, however it ended.
    """

    def __init__(self, target: Path, threads: Executor) -> None:
        self._file = _PartialFile(target)
        self._threads = threads
        self._block = bytearray()

    async def open(self, offset: int) -> None:
        """Begin after the first `offset` bytes of the partial file; the rest of it is dropped."""
        await self._run(lambda: self._file.open(offset))

    async def write(self, data: bytes) -> None:
        self._block += data
        if len(self._block) >= BLOCK:
            await self._flush()

    async def finish(self) -> tuple[int, bytes]:
        """Bring the file to the disk and under its name; returns its size in bytes and its sha256."""
        await self._flush()
        return await self._run(self._file.publish)

    async def close(self, *, keeps_partial: bool) -> None:
        """Close the file. Without `keeps_partial`, what was written is of no use and deleted."""
        try:
            if keeps_partial:
                await self._flush()
        finally:
            await asyncio.shield(self._run(lambda: self._file.close(keeps_partial)))

    async def _flush(self) -> None:
        if self._block:
            block, self._block = bytes(self._block), bytearray()
            await self._run(lambda: self._file.write(block))

    async def _run(self, action: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, action)
        except OSError as error:
            raise FileTrouble(f"cannot write the file: {error.strerror or type(error).__name__}") from error


class _PartialFile:
    """The file itself. A thread may still be at work on it when its waiter was cancelled: hence the lock."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._partial = partial_of(target)
        self._lock = Lock()
        self._descriptor = -1
        self._hash: _Hash = hashlib.sha256()
        self._size = 0

    def open(self, offset: int) -> None:
        with self._lock:
            descriptor = os.open(self._partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                self._take(descriptor, offset)
            except BaseException:
                os.close(descriptor)
                raise
            self._descriptor = descriptor

    def _take(self, descriptor: int, offset: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(errno.EBUSY, "another transfer is writing it") from None
        if os.fstat(descriptor).st_size < offset:
            raise OSError(errno.EIO, "its beginning has gone")
        os.ftruncate(descriptor, offset)
        while self._size < offset:
            self._count(os.read(descriptor, min(BLOCK, offset - self._size)))

    def write(self, data: bytes) -> None:
        with self._lock:
            if self._descriptor < 0:
                return  # closed meanwhile: the transfer was cancelled
            view = memoryview(data)
            while view:
                view = view[os.write(self._descriptor, view) :]
            self._count(data)

    def publish(self) -> tuple[int, bytes]:
        with self._lock:
            os.fsync(self._descriptor)
            self._partial.replace(self._target)
            _sync_folder(self._target.parent)
            return self._size, self._hash.digest()

    def close(self, keeps_partial: bool) -> None:
        with self._lock:
            if self._descriptor < 0:
                return
            if not keeps_partial:
                self._partial.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def _count(self, data: bytes) -> None:
        self._hash.update(data)
        self._size += len(data)


def _sync_folder(folder: Path) -> None:
    """Without this a power cut may undo the renaming."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
