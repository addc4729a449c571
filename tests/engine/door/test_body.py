"""Decoding under a cap: gzip in any cut, bombs, broken streams, encodings we never asked for."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.door.body import BrokenGzip, read_body, unpacker


def read(data: bytes, encoding: str, limit: int, size: int = 7) -> tuple[bytes, int, bool]:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(data), size):
            yield data[at : at + size]

    unpack = unpacker(encoding, limit)
    assert unpack is not None
    return asyncio.run(read_body(chunks(), unpack))


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=3), st.integers(1, 50), st.booleans())
def test_any_cut_gives_the_same(members: list[bytes], size: int, is_packed: bool) -> None:
    """However the network cuts it, the body comes out whole; gzip may have several members."""
    body = b"".join(members)
    data = b"".join(map(gzip.compress, members)) if is_packed else body
    encoding = "gzip" if is_packed else ""
    assert read(data, encoding, len(body), size) == (body, len(data), False)
    if body:
        assert read(data, encoding, len(body) - 1, size)[2]


def test_bomb() -> None:
    """A bomb is cut off at the limit, long before it is inflated or even received."""
    data = gzip.compress(bytes(50_000_000))
    body, received, is_cut = read(data, "gzip", 100_000, 1000)
    assert (body, is_cut) == (b"", True)
    assert received < len(data) / 4


def test_bomb_in_one_piece() -> None:
    """A whole bomb at once takes no more memory than the limit allows."""
    data = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        assert read(data, "gzip", 1_000_000, len(data))[2]
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
    assert read(b"", "gzip", 0) == (b"", 0, False)


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "x"])
def test_unknown_encoding(encoding: str) -> None:
    """Nothing decodes what we did not ask for."""
    assert unpacker(encoding, 10) is None
