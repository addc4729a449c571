"""Decoding under a cap: gzip in any cut, bombs, broken streams, encodings we never asked for."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door.body import (
    MAX_RATIO,
    PIECE,
    RATIO_FROM,
    BodyTooLarge,
    BrokenGzip,
    MemorySink,
    copy_body,
    decoder_of,
)


class Wire:
    """A body in pieces, which counts what was taken of it."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size, self.taken = data, size, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self.data), self.size):
            piece = self.data[at : at + self.size]
            self.taken += len(piece)
            yield piece


class Pieces(MemorySink):
    """Keeps no more than the size of the largest piece, and how many bytes came."""

    largest = total = 0

    async def write(self, data: bytes) -> None:
        self.largest, self.total = max(self.largest, len(data)), self.total + len(data)


def read(data: bytes, encoding: str, limit: int, size: int = 7) -> tuple[bytes, int]:
    decoder, sink = decoder_of(encoding), MemorySink()
    assert decoder is not None
    received = asyncio.run(copy_body(Wire(data, size), decoder, sink, limit))
    return sink.body, received


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=3), st.integers(1, 50), st.booleans())
def test_any_cut_gives_the_same(members: list[bytes], size: int, is_packed: bool) -> None:
    """However the network cuts it, the body comes out whole; gzip may have several members."""
    body = b"".join(members)
    data = b"".join(map(gzip.compress, members)) if is_packed else body
    encoding = "gzip" if is_packed else ""
    assert read(data, encoding, len(body), size) == (body, len(data))
    if body:
        with pytest.raises(BodyTooLarge, match="body larger than"):
            read(data, encoding, len(body) - 1, size)


def test_bomb() -> None:
    """A bomb is cut off at the limit, long before it is inflated or even received."""
    wire = Wire(gzip.compress(bytes(50_000_000)), 1000)
    decoder = decoder_of("gzip")
    assert decoder
    with pytest.raises(BodyTooLarge, match="larger than 100000 bytes"):
        asyncio.run(copy_body(wire, decoder, MemorySink(), 100_000))
    assert wire.taken < len(wire.data) / 4


def test_bomb_in_one_piece() -> None:
    """A whole bomb at once takes no more memory than the limit allows."""
    data = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLarge):
            read(data, "gzip", 1_000_000, len(data))
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("data", "is_cut"), [(gzip.compress(b"x" * 999, mtime=0)[:-9], True), (b"plain text", False)])
def test_broken_gzip(data: bytes, is_cut: bool) -> None:
    """A stream that ends early is told from one that never was gzip."""
    with pytest.raises(BrokenGzip) as caught:
        read(data, "GZIP", 1000)
    assert caught.value.is_cut is is_cut


def test_empty_gzip() -> None:
    """A 304 may name an encoding and have no body."""
    assert read(b"", "gzip", 0) == (b"", 0)


def test_ratio() -> None:
    """A body that inflates more than text ever does is refused, however large a body may be."""
    flat = bytes(RATIO_FROM * 2)
    with pytest.raises(BodyTooLarge, match=f"more than {MAX_RATIO} times"):
        read(gzip.compress(flat), "gzip", 1 << 40)
    assert read(gzip.compress(bytes(RATIO_FROM)), "gzip", 1 << 40)[0] == bytes(RATIO_FROM)


@given(st.integers(0, 5), st.integers(-300, 300), st.sampled_from((1000, 1 << 20)))
def test_pieces(pieces: int, more: int, size: int) -> None:
    """Decoded pieces stay small, and nothing is lost where one of them is exactly full."""
    body = (bytes(range(256)) * 4096)[: max(pieces * PIECE + more, 0)]
    decoder, sink = decoder_of("gzip"), Pieces()
    assert decoder
    asyncio.run(copy_body(Wire(gzip.compress(body, 1), size), decoder, sink, 1 << 40))
    assert (sink.total, sink.largest <= PIECE) == (len(body), True)


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "x"])
def test_unknown_encoding(encoding: str) -> None:
    """Nothing decodes what we did not ask for."""
    assert decoder_of(encoding) is None
