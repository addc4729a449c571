"""One exchange over HTTP/1.1 with every limit we keep; the only code that reads from the network."""

from __future__ import annotations

import asyncio
import ssl
from concurrent.futures import ThreadPoolExecutor

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
from yarl import URL

from stook.engine.door.body import ACCEPT_ENCODING
from stook.engine.door.download import FileTrouble, partial_size
from stook.engine.door.guard.guard import Guard, Verdict
from stook.engine.door.guard.resolver import JudgingResolver, Lookup, gate
from stook.engine.door.network_errors import Disconnected, translated
from stook.engine.door.redirects import Message
from stook.engine.door.response import Answer, read_answer
from stook.engine.errors import FailureCode, Refused, Unavailable
from stook.engine.words import Request

__all__ = ["Transport"]

CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0  # silence between two reads
FILE_THREADS = 4


class Transport:
    """A pool of connections to judged addresses: no cookies, no redirects, no retries, no proxy that nobody named."""

    def __init__(
        self,
        guard: Guard,
        user_agent: str,
        *,
        lookup: Lookup,
        tls: ssl.SSLContext | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
        proxy: str = "",
    ) -> None:
        self._proxy = proxy or None
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._resolver = JudgingResolver(guard, lookup)
        self._threads = ThreadPoolExecutor(FILE_THREADS, "stook-files")
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            socket_factory=gate(guard),
            use_dns_cache=False,
            limit=0,  # lanes and tasks are the limit; a request that waited here would start long after its turn
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
        self._threads.shutdown(wait=False)

    async def resumable(self, request: Request) -> int:
        """The request's offset, if an earlier transfer left that much of the file; else 0."""
        if request.into is None or request.offset <= 0 or request.method != "GET":
            return 0
        size = await asyncio.get_running_loop().run_in_executor(self._threads, partial_size, request.into)
        return request.offset if size >= request.offset else 0

    async def exchange(self, verdict: Verdict, message: Message, request: Request, seconds: float) -> Answer:
        """Send one message to what was judged, and read the answer within `seconds` and the request's limits.

        Raises Refused, Unavailable or Malformed; any status is an answer.
        """
        if seconds <= 0:  # aiohttp would read 0 as no limit
            raise Unavailable("timed out", FailureCode.TIMEOUT)
        try:
            return await self._exchange(verdict, message, request, seconds)
        except FileTrouble as error:
            raise Unavailable(str(error), FailureCode.INTERNAL) from error
        except (aiohttp.ClientError, OSError) as error:
            raise translated(error) from None

    async def _exchange(self, verdict: Verdict, message: Message, request: Request, seconds: float) -> Answer:
        url = URL(verdict.url, encoded=True)
        if url.raw_host != verdict.host or url.port != verdict.port:
            raise Refused("two parsers read this URL differently", FailureCode.ADDRESS_REFUSED)
        silence = self._read_seconds if request.silence is None else request.silence
        async with self._session.request(
            message.method,
            url,
            headers=message.fields(),
            data=message.body or None,
            allow_redirects=False,
            proxy=self._proxy,
            timeout=aiohttp.ClientTimeout(seconds, sock_connect=self._connect_seconds, sock_read=silence),
        ) as response:
            return await read_answer(response, request, message.offset, self._threads)


async def _once(request: ClientRequest, send: ClientHandlerType) -> ClientResponse:
    """Keep aiohttp from sending again by itself: a second start needs a second turn."""
    try:
        return await send(request)
    except aiohttp.ClientConnectorError as error:
        raise translated(error) from None
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        raise Disconnected("connection lost before an answer") from None
