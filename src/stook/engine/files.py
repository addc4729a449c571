"""Files that are whole or absent: atomic writes, equal bytes left alone, leftovers swept, one run in a folder."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from stook.engine.errors import UserError

__all__ = [
    "FileChange",
    "create_file",
    "file_equals",
    "flush_all",
    "lock_folder",
    "move_files",
    "sweep_temporary",
    "write_file",
]

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.stook-tmp")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # neither a link nor a pipe is waited for
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ATTEMPTS = 3  # a sweep may take a temporary file in the moment before its writer locks it


class FileChange(StrEnum):
    """What a write did to the file."""

    WRITTEN = "written"
    KEPT = "kept"


def _nothing() -> None:
    """Nobody has to be told."""


def write_file(
    path: str | Path, data: bytes, *, is_durable: bool = True, before: Callable[[], object] = _nothing
) -> FileChange:
    """Make the file hold exactly `data`; a reader sees the old bytes or the new ones, never a part.

    Equal bytes are left alone: inode and times stay. A file that is replaced keeps its permissions; a link is replaced,
    not followed. Without `is_durable` the bytes survive a crash of the process but not a power cut until `flush_all`.
    `before` is called when the bytes are found to differ. Raises OSError; the folder must exist.
    """
    target = os.fspath(path)
    mode, is_equal = _compare(target, data)
    if is_equal:
        return FileChange.KEPT
    before()
    _publish(target, data, mode, lambda name: os.replace(name, target), is_durable)
    return FileChange.WRITTEN


def create_file(path: str | Path, data: bytes, *, is_durable: bool = True) -> bool:
    """Make a new file that holds `data`; False, and nothing done, if there is anything at that path.

    Of several processes that create the same file, one gets True. The file system must know hard links.
    """
    target = os.fspath(path)

    def link(name: str) -> None:
        os.link(name, target)
        os.unlink(name)

    try:
        _publish(target, data, None, link, is_durable)
    except FileExistsError:
        return False
    return True


def file_equals(path: str | Path, data: bytes) -> bool:
    """Whether a regular file with exactly these bytes is there."""
    return _compare(os.fspath(path), data)[1]


def move_files(folder: str | Path, moves: Mapping[str, str]) -> None:
    """Rename files of one folder, from old name to new, all at once: chains and swaps are allowed.

    Every file first gets a temporary name, so a crash in between loses a file but never mixes two up.
    """
    root = os.fspath(folder)
    aside = {new: _temporary_name(root) for new in moves.values()}
    for old, new in moves.items():
        os.rename(f"{root}/{old}", aside[new])
    for new, name in aside.items():
        os.replace(name, f"{root}/{new}")


def flush_all() -> None:
    """Have everything written so far survive a power cut: one call for many files is cheaper than a sync of each."""
    os.sync()


def sweep_temporary(folder: str | Path) -> int:
    """Remove the temporary files of dead writers in this folder; those of living ones stay. Returns how many."""
    with os.scandir(folder) as entries:
        names = [entry.path for entry in entries if entry.name.startswith(".") and _TEMPORARY.fullmatch(entry.name)]
    return sum(map(_sweep, names))


@contextmanager
def lock_folder(folder: str | Path) -> Iterator[None]:
    """Be the only holder of this folder while the block runs; raises UserError if another process is.

    The lock ends with the process, so a crash leaves nothing behind.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another run is at work in {folder}: wait for its end") from None
        yield
    finally:
        os.close(handle)


def _compare(path: str, data: bytes) -> tuple[int | None, bool]:
    """Permissions of the regular file that is there, if one is, and whether it holds these bytes."""
    try:
        handle = os.open(path, _READ)
    except OSError:
        return None, False  # absent, a link or not readable: replacing it will say if that is not possible
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return None, False
        is_equal = found.st_size == len(data) and _read_all(handle, len(data)) == data
        return stat.S_IMODE(found.st_mode), is_equal
    finally:
        os.close(handle)


def _read_all(handle: int, size: int) -> bytes:
    with open(handle, "rb", buffering=0, closefd=False) as file:
        return file.read(size + 1) if size < 1 << 20 else file.readall()


def _publish(target: str, data: bytes, mode: int | None, publish: Callable[[str], None], is_durable: bool) -> None:
    """Write a temporary file beside the target and hand its name to `publish`, which gives it the real name."""
    folder = os.path.dirname(target) or "."
    for attempt in range(_ATTEMPTS):
        try:
            _write_temporary(folder, data, mode, publish, is_durable)
            break
        except FileNotFoundError:
            if attempt == _ATTEMPTS - 1 or not os.path.isdir(folder):
                raise
    if is_durable:
        _sync_folder(folder)


def _write_temporary(
    folder: str, data: bytes, mode: int | None, publish: Callable[[str], None], is_durable: bool
) -> None:
    name = _temporary_name(folder)
    handle = os.open(name, _CREATE, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _write_all(handle, data)
        if mode is not None:
            os.fchmod(handle, mode)
        if is_durable:
            os.fsync(handle)
        publish(name)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    finally:
        os.close(handle)


def _temporary_name(folder: str) -> str:
    return f"{folder}/.{secrets.token_hex(8)}.stook-tmp"


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sweep(path: str) -> bool:
    """Remove a temporary file unless its writer holds it; one that is gone already is nobody's."""
    try:
        handle = os.open(path, _READ)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(handle)
    return True
