"""A body decoded under two limits, its size and how far it inflates: identity or gzip, nothing else."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, Iterator
from typing import Protocol

__all__ = [
    "ACCEPT_ENCODING",
    "BodyTooLarge",
    "BrokenGzip",
    "Decoder",
    "MemorySink",
    "PlainDecoder",
    "Sink",
    "copy_body",
    "decoder_of",
]

ACCEPT_ENCODING = "identity, gzip"  # brotli and zstd can explode in one step, deflate has two meanings
PIECE = 256 * 1024  # decoded bytes that one step makes at most
MAX_RATIO = 200  # decoded bytes for each received one; text of repeated records reaches 100
RATIO_FROM = 1024 * 1024  # decoded bytes up to which any ratio is harmless


class BrokenGzip(ValueError):
    """The bytes are no gzip stream; `is_cut` when they only end too early."""

    def __init__(self, reason: str, *, is_cut: bool = False) -> None:
        super().__init__(reason)
        self.is_cut = is_cut


class BodyTooLarge(ValueError):
    """The body passed one of its limits."""


class Decoder(Protocol):
    """Undoes a content encoding."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Decoded pieces of at most PIECE bytes where the encoding compresses; BrokenGzip."""
        ...

    def finish(self) -> None:
        """The body has ended; BrokenGzip when the encoding has not."""
        ...


class Sink(Protocol):
    """Where a decoded body goes."""

    async def write(self, data: bytes) -> None: ...


class MemorySink:
    """Keeps the body in memory."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    async def write(self, data: bytes) -> None:
        self._parts.append(data)

    @property
    def body(self) -> bytes:
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


async def copy_body(chunks: AsyncIterable[bytes], decoder: Decoder, sink: Sink, limit: int) -> int:
    """Write the decoded body to the sink; returns the bytes received.

    Raises BodyTooLarge as soon as more than `limit` bytes are decoded, or too many for what was received; BrokenGzip.
    """
    received = size = 0
    async for chunk in chunks:
        received += len(chunk)
        for piece in decoder.decode(chunk):
            size += len(piece)
            if size > limit:
                raise BodyTooLarge(f"body larger than {limit} bytes")
            if size > RATIO_FROM and size > received * MAX_RATIO:
                raise BodyTooLarge(f"body inflates to more than {MAX_RATIO} times its size")
            await sink.write(piece)
    decoder.finish()
    return received


def decoder_of(encoding: str) -> Decoder | None:
    """What decodes this Content-Encoding; None for an encoding we did not ask for."""
    match encoding.strip().lower():
        case "" | "identity":
            return PlainDecoder()
        case "gzip" | "x-gzip":
            return GzipDecoder()
        case _:
            return None


class PlainDecoder:
    """Bytes as they come."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        pass


class GzipDecoder:
    """One or more gzip members (RFC 1952, 2.2)."""

    def __init__(self) -> None:
        self._member: zlib._Decompress | None = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        piece = b""
        while data or len(piece) == PIECE:  # a full piece: zlib may hold more although it has read all
            if self._member is None:
                if not data:
                    return
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                piece = self._member.decompress(data, PIECE)
            except zlib.error:
                raise BrokenGzip("not a gzip stream") from None
            if self._member.eof:
                data, self._member = self._member.unused_data, None
            else:
                data = self._member.unconsumed_tail
            if piece:
                yield piece

    def finish(self) -> None:
        if self._member is not None:
            raise BrokenGzip("gzip stream ends early", is_cut=True)
