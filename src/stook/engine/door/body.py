"""A body read under a cap on its decoded size: identity or gzip, nothing else."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable
from typing import Protocol

__all__ = ["ACCEPT_ENCODING", "BrokenGzip", "read_body", "unpacker"]

ACCEPT_ENCODING = "identity, gzip"  # brotli and zstd can explode in one step, deflate has two meanings


class BrokenGzip(ValueError):
    """The bytes are no gzip stream; `is_cut` when they only end too early."""

    def __init__(self, reason: str, *, is_cut: bool = False) -> None:
        super().__init__(reason)
        self.is_cut = is_cut


class Unpacker(Protocol):
    """Collects decoded bytes, and says when they are more than allowed."""

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; false once the limit is passed."""
        ...

    def finish(self) -> bytes: ...


async def read_body(chunks: AsyncIterable[bytes], unpack: Unpacker) -> tuple[bytes, int, bool]:
    """The decoded body, the bytes received, and whether it was cut at the limit."""
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        if not unpack.feed(chunk):
            return b"", received, True
    return unpack.finish(), received, False


def unpacker(encoding: str, limit: int) -> Unpacker | None:
    """What decodes this Content-Encoding up to `limit` bytes; None for an encoding we did not ask for."""
    match encoding.strip().lower():
        case "" | "identity":
            return Plain(limit)
        case "gzip" | "x-gzip":
            return Gunzip(limit)
        case _:
            return None


class Plain:
    """Bytes as they come."""

    def __init__(self, limit: int) -> None:
        self._room = limit
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> bool:
        self._room -= len(data)
        self._parts.append(data)
        return self._room >= 0

    def finish(self) -> bytes:
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


class Gunzip:
    """One or more gzip members, never inflated further than one byte past the limit."""

    def __init__(self, limit: int) -> None:
        self._room = limit
        self._parts: list[bytes] = []
        self._member: zlib._Decompress | None = None

    def feed(self, data: bytes) -> bool:
        while data:
            if self._member is None:
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            data = self._inflate(self._member, data)
            if self._room < 0:
                return False
        return True

    def finish(self) -> bytes:
        if self._member is not None:
            raise BrokenGzip("gzip stream ends early", is_cut=True)
        return b"".join(self._parts)

    def _inflate(self, member: zlib._Decompress, data: bytes) -> bytes:
        """Inflate once; answers what is left for the next round."""
        try:
            part = member.decompress(data, self._room + 1)
        except zlib.error:
            raise BrokenGzip("not a gzip stream") from None
        self._room -= len(part)
        self._parts.append(part)
        if member.eof:
            self._member = None
            return member.unused_data
        return member.unconsumed_tail
