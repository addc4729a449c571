"""OSV's `all.zip` as a stream of JSON texts: nothing is written to disk, and no member can fill the memory.

The file's own numbers are not believed: sizes count as they are read, and members as their headers are found.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from stook.advisories.osv import MAX_RECORD_BYTES, UnreadableRecord
from stook.engine.errors import Malformed

__all__ = ["MAX_MEMBERS", "read_dump"]

MAX_MEMBERS = 200_000
MAX_TOTAL = 2 * 1024**3  # bytes of all members together, unpacked
MAX_RATIO = 200  # unpacked to packed, where it matters: JSON packs to a tenth at best
SMALL = 64 * 1024  # bytes: a small member may be packed as tightly as it likes
_HEADER = b"PK\x01\x02"  # begins each entry of the central directory
_BLOCK = 1024 * 1024
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 0x1


def read_dump(source: Path | BinaryIO, *, max_total: int = MAX_TOTAL) -> Iterator[tuple[str, bytes] | UnreadableRecord]:
    """Name and bytes of each `.json` member, in the order of the dump; an unreadable member with its reason.

    A file object must be seekable. Raises Malformed for what is no whole zip file, holds more than MAX_MEMBERS, or
    unpacks to more than `max_total` bytes; so a dump that was cut short gives an error, never a short list.
    """
    with _opened(source) as file:
        _check_member_count(file)
        try:
            with zipfile.ZipFile(file) as archive:
                yield from _members(archive, max_total)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError) as error:
            raise Malformed(f"the dump cannot be read: {str(error)[:200]}") from error


@contextmanager
def _opened(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield file
    else:
        yield source


def _check_member_count(file: BinaryIO) -> None:
    """The zip module makes an object of each header before anyone can count them, so count the headers' marks."""
    file.seek(0)
    count, rest = 0, b""
    while block := file.read(_BLOCK):
        count += (rest + block).count(_HEADER)
        rest = block[-len(_HEADER) + 1 :]
        if count > MAX_MEMBERS:
            raise Malformed(f"the dump has more than {MAX_MEMBERS} members")
    file.seek(0)


def _members(archive: zipfile.ZipFile, max_total: int) -> Iterator[tuple[str, bytes] | UnreadableRecord]:
    total = 0
    for member in archive.infolist():
        if member.is_dir() or not member.filename.endswith(".json"):
            continue
        problem = _problem(member)
        if problem:
            yield UnreadableRecord(member.filename[:300], problem)
            continue
        read = _read(archive, member)
        total += len(read[1]) if isinstance(read, tuple) else 0
        if total > max_total:
            raise Malformed(f"the dump unpacks to more than {max_total} bytes")
        yield read


def _problem(member: zipfile.ZipInfo) -> str:
    """Why a member is not even opened; empty when nothing speaks against it."""
    name = member.filename
    if name.startswith("/") or "\\" in name or ":" in name or ".." in PurePosixPath(name).parts:
        return "the name leads out of the dump"
    if member.flag_bits & _ENCRYPTED:
        return "the member is encrypted"
    if member.compress_type not in _METHODS:
        return f"compression method {member.compress_type} is not used by dumps"
    if member.file_size > MAX_RECORD_BYTES:
        return f"the record has more than {MAX_RECORD_BYTES} bytes"
    if member.file_size > max(SMALL, MAX_RATIO * member.compress_size):
        return f"the member is packed more than {MAX_RATIO} times"
    return ""


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[str, bytes] | UnreadableRecord:
    try:
        with archive.open(member) as stream:
            data = stream.read(MAX_RECORD_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError) as error:
        return UnreadableRecord(member.filename, f"the member cannot be read: {str(error)[:200]}")
    if len(data) != member.file_size:
        return UnreadableRecord(member.filename, f"the member has {len(data)} bytes, not {member.file_size}")
    return member.filename, data
