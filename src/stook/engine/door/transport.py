"""One exchange over HTTP/1.1 with every limit we keep; the only code that reads from the network."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
from yarl import URL

from stook.engine.door.body import ACCEPT_ENCODING, BrokenGzip, read_body, unpacker
from stook.engine.door.guard.guard import Guard, Verdict
from stook.engine.door.guard.resolver import GateRefused, JudgingResolver, Lookup, gate
from stook.engine.errors import FailureCode, Malformed, Refused, StookError, Unavailable
from stook.engine.words import Request

__all__ = ["Answer", "Disconnected", "Transport"]

CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0  # silence between two reads
ERROR_BODY = 64 * 1024  # bytes kept of anything that is not a success


class Disconnected(Unavailable):
    """The connection died before a status came: maybe an idle one that the server had given up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one exchange brought: header names in lower case, body decoded, `received` bytes of it on the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    received: int


class Transport:
    """A pool of connections to judged addresses: no proxy, no cookies, no redirects, no retries of its own."""

    def __init__(
        self,
        guard: Guard,
        user_agent: str,
        *,
        lookup: Lookup,
        tls: ssl.SSLContext | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._resolver = JudgingResolver(guard, lookup)
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            socket_factory=gate(guard),
            use_dns_cache=False,
            limit=0,  # the tasks are the limit; who waited here would have taken its turn long before it starts
            ssl=tls if tls is not None else True,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={"User-Agent": user_agent, "Accept-Encoding": ACCEPT_ENCODING},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            middlewares=(_once,),
        )

    async def close(self) -> None:
        await self._session.close()
        await self._resolver.close()

    async def exchange(self, verdict: Verdict, request: Request, headers: Mapping[str, str], seconds: float) -> Answer:
        """Send one GET to what was judged, and read the answer within `seconds`.

        Raises Refused, Unavailable or Malformed; any status is an answer.
        """
        if seconds <= 0:  # aiohttp would read 0 as no limit
            raise Unavailable("timed out", FailureCode.TIMEOUT)
        try:
            return await self._exchange(verdict, request, headers, seconds)
        except StookError:
            raise
        except TimeoutError:
            raise Unavailable("timed out", FailureCode.TIMEOUT) from None
        except (aiohttp.ClientError, OSError) as error:
            raise _translated(error) from None

    async def _exchange(self, verdict: Verdict, request: Request, headers: Mapping[str, str], seconds: float) -> Answer:
        url = URL(verdict.url, encoded=True)
        if url.raw_host != verdict.host or url.port != verdict.port:
            raise Refused("two parsers read this URL differently", FailureCode.ADDRESS_REFUSED)
        silence = self._read_seconds if request.silence is None else request.silence
        limits = aiohttp.ClientTimeout(seconds, sock_connect=self._connect_seconds, sock_read=silence)
        async with self._session.get(url, headers=headers, allow_redirects=False, timeout=limits) as response:
            return await _read(response, request)


async def _once(request: ClientRequest, send: ClientHandlerType) -> ClientResponse:
    """Keep aiohttp from sending again by itself: a second start needs a second turn."""
    try:
        return await send(request)
    except aiohttp.ClientConnectorError as error:
        raise _translated(error) from None
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        raise Disconnected("connection lost before an answer", FailureCode.CONNECT) from None


async def _read(response: ClientResponse, request: Request) -> Answer:
    headers = _headers(response)
    status = response.status
    is_wanted = status < 300
    if status == 200:
        _check_type(headers, request.content_types)
    limit = request.max_bytes if is_wanted else min(request.max_bytes, ERROR_BODY)
    body, received = await _read_body(response, headers, limit, is_wanted)
    return Answer(status, headers, body, received)


async def _read_body(
    response: ClientResponse, headers: Mapping[str, str], limit: int, is_wanted: bool
) -> tuple[bytes, int]:
    """Read up to `limit`; a body nobody wanted is dropped when it is too large or in an unknown encoding."""
    encoding = headers.get("content-encoding", "")
    unpack = unpacker(encoding, limit)
    if unpack is None:
        return _refuse_if(is_wanted, FailureCode.CONTENT_TYPE, f"content encoding {encoding[:40]!r}", response.status)
    try:
        body, received, is_cut = await read_body(response.content.iter_any(), unpack)
    except BrokenGzip as error:
        kind = Unavailable if error.is_cut else Malformed
        raise kind(str(error), FailureCode.BROKEN_BODY, status=response.status) from None
    if is_cut:
        _refuse_if(is_wanted, FailureCode.TOO_LARGE, f"body larger than {limit} bytes", response.status)
    return body, received


def _refuse_if(is_wanted: bool, code: FailureCode, reason: str, status: int) -> tuple[bytes, int]:
    if is_wanted:
        raise Refused(reason, code, status=status)
    return b"", 0


def _headers(response: ClientResponse) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _check_type(headers: Mapping[str, str], wanted: tuple[str, ...]) -> None:
    if not wanted:
        return
    found = headers.get("content-type", "").partition(";")[0].strip().lower()
    # A body without a type is what application/octet-stream is (RFC 9110, 8.3).
    if (found or "application/octet-stream") not in wanted:
        raise Malformed(
            f"content type {found[:60]!r}, wanted {' or '.join(wanted)}", FailureCode.CONTENT_TYPE, status=200
        )


def _translated(error: aiohttp.ClientError | OSError) -> StookError:
    """Our own error with a short reason: never the server's words, never an address."""
    if isinstance(error, GateRefused) or isinstance(getattr(error, "os_error", None), GateRefused):
        return Refused("address not allowed", FailureCode.ADDRESS_REFUSED)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Unavailable("the TLS certificate is not valid for this name", FailureCode.TLS)
    if isinstance(error, aiohttp.ClientSSLError):
        return Unavailable("TLS failed", FailureCode.TLS)
    if isinstance(error, aiohttp.ClientPayloadError):
        return Unavailable("truncated body", FailureCode.BROKEN_BODY)
    if isinstance(error, aiohttp.ClientConnectionError | OSError):
        return Unavailable("connection failed", FailureCode.CONNECT)
    return Unavailable(f"broken HTTP ({type(error).__name__})", FailureCode.CONNECT)
