"""Bodies into files: whole or not at all, gone on with where they were cut, and never in memory."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stook.engine.door import Door, Validators, partial_of, partial_size, validators_of
from stook.engine.door.download import Download, FileTrouble
from stook.engine.errors import FailureCode, Malformed, Refused, StookError, Unavailable
from stook.engine.words import Request

BODY = bytes(range(256)) * 40
SHA = hashlib.sha256(BODY).digest()


class Files:
    """A server of one body that knows ranges; after `cut` bytes it falls silent, `wrong` spoils its Content-Range."""

    def __init__(self, body: bytes = BODY, etag: str = '"v1"', **more: Any) -> None:
        self.body, self.etag = body, etag
        self.cut: int | None = more.get("cut")
        self.wrong: str = more.get("wrong", "")
        self.knows_ranges: bool = more.get("knows_ranges", True)
        self.encoding: str = more.get("encoding", "")

    async def __call__(self, path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        begin = int(headers.get("range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        total, status, more = len(self.body), 200, ""
        if "range" not in headers or not self.knows_ranges or headers.get("if-range", self.etag) != self.etag:
            begin = 0
        elif begin >= total:
            writer.write(f"HTTP/1.1 416 X\r\nContent-Range: bytes */{total}\r\nContent-Length: 4\r\n\r\nnope".encode())
            return
        else:
            status, more = 206, f"Content-Range: {self.wrong or f'bytes {begin}-{total - 1}/{total}'}\r\n"
        if self.encoding:
            more += f"Content-Encoding: {self.encoding}\r\n"
        body = self.body[begin:]
        writer.write(f"HTTP/1.1 {status} X\r\nETag: {self.etag}\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode())
        writer.write(body[: self.cut])
        await writer.drain()
        if self.cut is not None:
            await asyncio.get_running_loop().create_future()


def fetched(into: Path, validators: Validators | None = None, **fields: Any) -> Callable[..., Any]:
    async def scene(door: Door, server: Any) -> Any:
        reply = await door.fetch(Request(server.url(), into=into, **fields), validators)
        return reply, server.headers

    return scene


def refused(play: Any, server: Any, into: Path, error: type[StookError], **fields: Any) -> StookError:
    async def scene(door: Door, served: Any) -> StookError:
        with pytest.raises(error) as caught:
            await door.fetch(Request(served.url(), into=into, **fields))
        return caught.value

    found: StookError = play(server, scene)
    return found


def test_into_a_file(play: Any, tmp_path: Path) -> None:
    """The body is in the file, the reply has its path, size and digest, and nothing else is left in the folder."""
    into = tmp_path / "a.bin"
    got, sent = play(Files(), fetched(into))
    assert (got.status, got.body, got.path, got.size, got.digest) == (200, b"", into, len(BODY), SHA)
    assert (into.read_bytes(), list(tmp_path.iterdir())) == (BODY, [into])
    assert "range" not in sent[0]
    assert validators_of(got) == Validators('"v1"', "", SHA)


def test_same_bytes(play: Any, tmp_path: Path) -> None:
    """A file of the same bytes as last time is not modified, whatever its ETag says."""
    got, _ = play(Files(), fetched(tmp_path / "a", Validators('"old"', digest=SHA)))
    assert (got.status, got.not_modified) == (200, True)


def test_gzip(play: Any, tmp_path: Path) -> None:
    """What is compressed on the way is decoded in the file; a file that is itself a gzip stays one."""
    packed = gzip.compress(BODY)
    got, _ = play(Files(packed, encoding="gzip"), fetched(tmp_path / "a"))
    assert (got.size, (tmp_path / "a").read_bytes()) == (len(BODY), BODY)
    play(Files(packed), fetched(tmp_path / "b.gz"))
    assert (tmp_path / "b.gz").read_bytes() == packed


def test_old_file_stays_until_the_new_is_whole(play: Any, tmp_path: Path) -> None:
    """A transfer that fails leaves the old file as it was, and what came of the new one beside it."""
    into = tmp_path / "a"
    into.write_bytes(b"old")
    assert refused(play, Files(cut=1000), into, Unavailable, silence=0.1).code is FailureCode.TIMEOUT
    assert (into.read_bytes(), partial_of(into).read_bytes()) == (b"old", BODY[:1000])
    play(Files(), fetched(into))
    assert (into.read_bytes(), list(tmp_path.iterdir())) == (BODY, [into])


BAD = [
    ({"max_bytes": 100}, {}, Refused, FailureCode.TOO_LARGE),
    ({}, {"body": gzip.compress(bytes(5_000_000)), "encoding": "gzip"}, Refused, FailureCode.TOO_LARGE),
    ({"max_bytes": 999}, {"body": gzip.compress(bytes(1000)), "encoding": "gzip"}, Refused, FailureCode.TOO_LARGE),
    ({}, {"encoding": "br"}, Refused, FailureCode.CONTENT_TYPE),
    ({"content_types": ("text/plain",)}, {}, Malformed, FailureCode.CONTENT_TYPE),
    ({}, {"encoding": "gzip"}, Malformed, FailureCode.BROKEN_BODY),
]


@pytest.mark.parametrize(("fields", "server", "error", "code"), BAD)
def test_useless_bodies_leave_nothing(
    play: Any, tmp_path: Path, fields: Any, server: Any, error: type[StookError], code: FailureCode
) -> None:
    """What passes a limit or is not what was asked for leaves no file, nor the beginning of one."""
    assert refused(play, Files(**server), tmp_path / "a", error, **fields).code is code
    assert list(tmp_path.iterdir()) == []


def test_going_on(play: Any, tmp_path: Path) -> None:
    """After a cut only the rest is asked for, under the ETag of the beginning; file and digest are of the whole."""
    into = tmp_path / "a"
    refused(play, Files(cut=1000), into, Unavailable, silence=0.1)
    got, sent = play(Files(), fetched(into, Validators('"v1"'), offset=partial_size(into)))
    assert (got.status, got.size, got.digest, into.read_bytes()) == (206, len(BODY), SHA, BODY)
    assert (sent[0]["range"], sent[0]["if-range"]) == ("bytes=1000-", '"v1"')
    assert sent[0]["accept-encoding"] == "identity"
    assert "if-none-match" not in sent[0]


@pytest.mark.parametrize("server", [{"knows_ranges": False}, {"etag": '"v2"'}])
def test_afresh(play: Any, tmp_path: Path, server: Any) -> None:
    """A 200, from a server without ranges or with another version by now, starts the file afresh."""
    into, body = tmp_path / "a", BODY[::-1]
    partial_of(into).write_bytes(BODY[:1000])
    got, _ = play(Files(body, **server), fetched(into, Validators('"v1"'), offset=1000))
    assert (got.status, into.read_bytes(), got.digest) == (200, body, hashlib.sha256(body).digest())


def test_weak_etag(play: Any, tmp_path: Path) -> None:
    """A weak ETag does not promise equal bytes and is not sent as a condition of a range."""
    partial_of(tmp_path / "a").write_bytes(BODY[:1000])
    _, sent = play(Files(), fetched(tmp_path / "a", Validators('W/"v1"'), offset=1000))
    assert ("if-range" in sent[0], sent[0]["range"]) == (False, "bytes=1000-")


@pytest.mark.parametrize("there", [None, 999])
def test_beginning_that_is_gone(play: Any, tmp_path: Path, there: int | None) -> None:
    """Where the beginning is not there, the whole file is asked for."""
    into = tmp_path / "a"
    if there:
        partial_of(into).write_bytes(b"x" * there)
    got, sent = play(Files(), fetched(into, offset=1000))
    assert ("range" in sent[0], got.status, into.read_bytes()) == (False, 200, BODY)


def test_longer_beginning(play: Any, tmp_path: Path) -> None:
    """Of a beginning that is longer than asked for, the rest is dropped."""
    into = tmp_path / "a"
    partial_of(into).write_bytes(BODY[:1000] + b"x" * 2 * len(BODY))
    assert play(Files(), fetched(into, offset=1000))[0].digest == SHA
    assert into.read_bytes() == BODY


def test_nothing_more_to_send(play: Any, tmp_path: Path) -> None:
    """A 416 is an answer, and leaves the beginning where it is."""
    partial_of(tmp_path / "a").write_bytes(BODY)
    got, _ = play(Files(), fetched(tmp_path / "a", offset=len(BODY)))
    assert (got.status, got.body, got.path) == (416, b"nope", None)
    assert [file.name for file in tmp_path.iterdir()] == ["a.part"]


WRONG = ["bytes 999-10239/10240", "bytes 0-10239/10240", "bytes */10240", "bytes=1000-", "lines 1000-10239/10240", "x"]


@pytest.mark.parametrize("wrong", WRONG)
def test_another_range(play: Any, tmp_path: Path, wrong: str) -> None:
    """Another range than was asked for is not put into the file, whose beginning stays."""
    into = tmp_path / "a"
    partial_of(into).write_bytes(BODY[:1000])
    assert refused(play, Files(wrong=wrong), into, Malformed, offset=1000).code is FailureCode.BROKEN_BODY
    assert (into.exists(), partial_of(into).read_bytes()) == (False, BODY[:1000])


def test_encoded_range(play: Any, tmp_path: Path) -> None:
    """A range of a compressed form does not fit the file."""
    partial_of(tmp_path / "a").write_bytes(BODY[:1000])
    refused(play, Files(encoding="gzip"), tmp_path / "a", Malformed, offset=1000)
    assert partial_size(tmp_path / "a") == 1000


def test_less_than_the_rest(play: Any, tmp_path: Path) -> None:
    """A range that ends before the file does is kept as a longer beginning."""
    into = tmp_path / "a"
    partial_of(into).write_bytes(BODY[:1000])
    refused(play, Files(BODY[:5000], wrong="bytes 1000-4999/10240"), into, Unavailable, offset=1000)
    assert (into.exists(), partial_of(into).read_bytes()) == (False, BODY[:5000])


def test_limit_counts_the_beginning(play: Any, tmp_path: Path) -> None:
    """The limit is for the whole file, with what was there before."""
    partial_of(tmp_path / "a").write_bytes(BODY[:1000])
    error = refused(play, Files(), tmp_path / "a", Refused, offset=1000, max_bytes=len(BODY) - 1)
    assert error.code is FailureCode.TOO_LARGE


@pytest.mark.parametrize("status", [404, 304, 302])
def test_other_statuses(play: Any, reply: Any, tmp_path: Path, status: int) -> None:
    """What is no success makes no file; its body is in the reply."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(reply(status, b"") if status == 304 else reply(status, b"sorry"))

    got, _ = play(handler, fetched(tmp_path / "a"))
    assert (got.status, got.path, list(tmp_path.iterdir())) == (status, None, [])
    assert got.body == (b"" if status == 304 else b"sorry")


def test_no_folder(play: Any, tmp_path: Path) -> None:
    """Trouble with the disk is told as such, not as trouble of the connection."""
    error = refused(play, Files(), tmp_path / "gone" / "a", Unavailable)
    assert (error.code, error.reason) == (FailureCode.INTERNAL, "cannot write the file: No such file or directory")


def test_cancelled(play: Any, tmp_path: Path) -> None:
    """A transfer that is cancelled keeps what came, and its file can be written again at once."""
    into, some = tmp_path / "a", asyncio.Event()

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nbeginning")
        await writer.drain()
        some.set()
        await asyncio.get_running_loop().create_future()

    async def scene(door: Door, server: Any) -> None:
        task = asyncio.create_task(door.fetch(Request(server.url(), into=into)))
        await some.wait()
        while not partial_of(into).exists():  # noqa: ASYNC110 - the file is made by a thread
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    play(handler, scene)
    assert not into.exists()
    play(Files(), fetched(into))
    assert into.read_bytes() == BODY


def test_two_transfers_of_one_file(tmp_path: Path) -> None:
    """The second one is refused and does not touch what the first one writes."""

    async def main() -> None:
        with ThreadPoolExecutor(2) as threads:
            first, second = Download(tmp_path / "a", threads), Download(tmp_path / "a", threads)
            await first.open(0)
            await first.write(BODY)
            with pytest.raises(FileTrouble, match="another transfer"):
                await second.open(0)
            await second.close(keeps_partial=False)
            assert await first.finish() == (len(BODY), SHA)
            await first.close(keeps_partial=True)

    asyncio.run(main())
    assert (tmp_path / "a").read_bytes() == BODY


def test_memory_is_flat(play: Any, tmp_path: Path) -> None:
    """However long the body, only a few blocks of it are in memory."""
    blocks, block = 60, bytes(1024 * 1024)

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 X\r\nContent-Length: {blocks * len(block)}\r\n\r\n".encode())
        for _ in range(blocks):
            writer.write(block)
            await writer.drain()

    tracemalloc.start()
    try:
        got, _ = play(handler, fetched(tmp_path / "a", max_bytes=1 << 30))
        assert tracemalloc.get_traced_memory()[1] < 15 * len(block)
    finally:
        tracemalloc.stop()
    assert got.size == blocks * len(block)
