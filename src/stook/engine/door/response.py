"""Reading an answer: its header checked, its body into memory or into a file, each within its limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import ClientResponse

from stook.engine.door.body import BodyTooLarge, BrokenGzip, MemorySink, PlainDecoder, Sink, copy_body, decoder_of
from stook.engine.door.download import Download
from stook.engine.errors import FailureCode, Malformed, Refused, StookError, Unavailable
from stook.engine.words import Request

__all__ = ["Answer", "read_answer"]

ERROR_BODY = 64 * 1024  # bytes kept of anything that is not a success
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one exchange brought: header names in lower case, body decoded, `received` bytes of it on the wire.

    Of a body that went into a file, `path`, `size` in bytes and `digest` (sha256) instead.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    received: int
    path: Path | None = None
    size: int = 0
    digest: bytes = b""


async def read_answer(response: ClientResponse, request: Request, offset: int, threads: Executor) -> Answer:
    """Read the whole answer; `offset` is where the bytes begin that were asked for.

    Raises Refused (a limit), Malformed (not what was asked for) or Unavailable (cut short); FileTrouble.
    """
    headers = _headers(response)
    if response.status in (200, 206):
        _check_type(headers, request.content_types, response.status)
        if request.into is not None and request.method != "HEAD":
            return await _save(response, headers, request, request.into, offset, threads)
    sink = MemorySink()
    is_wanted = response.status < 300
    limit = request.max_bytes if is_wanted else min(request.max_bytes, ERROR_BODY)
    try:
        received = await _copy(response, headers, sink, limit)
    except Refused:
        if is_wanted:
            raise
        # An error page that cannot be read is no reason to lose the status.
        return Answer(response.status, headers, b"", 0)
    return Answer(response.status, headers, sink.body, received)


async def _save(
    response: ClientResponse, headers: Mapping[str, str], request: Request, into: Path, offset: int, threads: Executor
) -> Answer:
    begin, is_last = _extent(response.status, headers, offset)
    download = Download(into, threads)
    keeps_partial = True
    try:
        await download.open(begin)
        received = await _copy(response, headers, download, request.max_bytes - begin)
        if not is_last:
            raise Unavailable("the server sent less than it has", FailureCode.BROKEN_BODY, status=response.status)
        size, digest = await download.finish()
    except (Refused, Malformed):
        keeps_partial = False
        raise
    finally:
        await download.close(keeps_partial=keeps_partial)
    return Answer(response.status, headers, b"", received, into, size, digest)


def _extent(status: int, headers: Mapping[str, str], offset: int) -> tuple[int, bool]:
    """Where the body belongs in the file, and whether the file is whole with it (RFC 9110, 14.4)."""
    if status == 200:
        return 0, True
    found = _CONTENT_RANGE.fullmatch(headers.get("content-range", "").strip())
    is_plain = isinstance(decoder_of(headers.get("content-encoding", "")), PlainDecoder)
    if found is None or not is_plain or not offset or int(found[1]) != offset:
        raise Malformed("not the range that was asked for", FailureCode.BROKEN_BODY, status=status)
    return offset, found[3] == "*" or int(found[2]) + 1 == int(found[3])


async def _copy(response: ClientResponse, headers: Mapping[str, str], sink: Sink, limit: int) -> int:
    encoding, status = headers.get("content-encoding", ""), response.status
    decoder = decoder_of(encoding)
    if decoder is None:
        raise Refused(f"content encoding {encoding[:40]!r}", FailureCode.CONTENT_TYPE, status=status)
    length = response.content_length
    if isinstance(decoder, PlainDecoder) and response.method != "HEAD" and length is not None and length > limit:
        raise Refused(f"body larger than {limit} bytes", FailureCode.TOO_LARGE, status=status)
    try:
        return await copy_body(response.content.iter_any(), decoder, sink, limit)
    except BodyTooLarge as error:
        raise Refused(str(error), FailureCode.TOO_LARGE, status=status) from None
    except BrokenGzip as error:
        kind: type[StookError] = Unavailable if error.is_cut else Malformed
        raise kind(str(error), FailureCode.BROKEN_BODY, status=status) from None


def _headers(response: ClientResponse) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _check_type(headers: Mapping[str, str], wanted: tuple[str, ...], status: int) -> None:
    if not wanted:
        return
    found = headers.get("content-type", "").partition(";")[0].strip().lower()
    # A body without a type is what application/octet-stream is (RFC 9110, 8.3).
    if (found or "application/octet-stream") not in wanted:
        raise Malformed(
            f"content type {found[:60]!r}, wanted {' or '.join(wanted)}", FailureCode.CONTENT_TYPE, status=status
        )
