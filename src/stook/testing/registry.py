"""A registry on the loopback address, in a thread of its own: HTTP as the real ones speak it, faults on demand."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple, Self

from stook.testing import cargo_routes, golang_routes
from stook.testing.answer import Answer, Asked
from stook.testing.faults import Fault, Kind, Sending, spoil
from stook.testing.world import World

__all__ = ["LoopbackRegistry", "Seen"]

_BASES = {
    "index": "/crates-index",
    "api": "/crates-api",
    "static": "/crates-static",
    "go_index": "/go-index",
    "go_proxy": "/go-proxy",
    "pkgsite": "/pkgsite",
}
_LINGER_NOT = struct.pack("ii", 1, 0)  # closing then sends RST


class Seen(NamedTuple):
    """A request in the log; `path` has its query, `started` is `time.monotonic()`, status 0 is a reset."""

    started: float
    method: str
    path: str
    status: int
    user_agent: str
    conditional: bool


class LoopbackRegistry:
    """Serves a world while the `with` block runs. Of the base URLs, `index_url` ends in a slash, as cargo wants it."""

    index_url: str
    api_url: str
    static_url: str
    go_index_url: str
    go_proxy_url: str
    pkgsite_url: str

    def __init__(self, world: World) -> None:
        self.world = world
        self.requests: list[Seen] = []
        self._faults: list[Fault] = []
        self._cache: dict[tuple[object, ...], Answer] = {}
        self._cached_revision = -1
        self._bases: dict[str, str] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopback-registry", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        port = asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        self._bases = {name: f"http://127.0.0.1:{port}{path}" for name, path in _BASES.items()}
        for name, url in self._bases.items():
            setattr(self, f"{name}_url", url)
        self.index_url += "/"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def fault(
        self,
        match: str,
        kind: Kind,
        *,
        first: int | None = None,
        status: int = 503,
        headers: Mapping[str, str] | None = None,
        seconds: float = 0.05,
        text: str = "{this line is not JSON",
    ) -> Fault:
        """From now on spoil requests whose path and query contain the expression; of several rules the oldest acts."""
        fault = Fault(match, kind, first, status, headers or {}, seconds=seconds, text=text.encode())
        self._faults.append(fault)
        return fault

    def clear_faults(self) -> None:
        self._faults.clear()

    async def _open(self) -> int:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _close(self) -> None:
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            while await self._send(self._reply(await reader.readuntil(b"\r\n\r\n")), writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client left, or does not speak HTTP
        except asyncio.CancelledError:
            writer.transport.abort()  # the block ended
        finally:
            self._tasks.discard(task)
            writer.close()

    def _reply(self, head: bytes) -> Sending:
        started, asked = time.monotonic(), Asked.parse(head)
        fault = next((fault for fault in tuple(self._faults) if fault.meets(asked.target)), None)
        sending = spoil(fault, self._answer(asked).to(asked), asked)
        agent = asked.headers.get("user-agent", "")
        self.requests.append(Seen(started, asked.method, asked.target, sending.status, agent, asked.is_conditional))
        return sending

    async def _send(self, sending: Sending, writer: asyncio.StreamWriter) -> bool:
        """Write the pieces; true if the connection can be used again."""
        for piece in sending.pieces:
            if sending.pause:
                await asyncio.sleep(sending.pause)
            writer.write(piece)
            await writer.drain()
        if sending.ending == "reset":
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
            writer.transport.abort()
        return sending.ending == "keep"

    def _answer(self, asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return Answer(405, b"only GET and HEAD\n")
        with self.world.lock:
            if self._cached_revision != self.world.revision:
                self._cache, self._cached_revision = {}, self.world.revision
            key = (asked.target, asked.headers.get("user-agent", "") != "", asked.headers.get("disable-module-fetch"))
            if key not in self._cache:
                self._cache[key] = self._route(asked).validated()
            return self._cache[key]

    def _route(self, asked: Asked) -> Answer:
        base, _, path = asked.path[1:].partition("/")
        match f"/{base}":
            case "/crates-index":
                return cargo_routes.answer_index(self.world, path, self._bases)
            case "/crates-api":
                return cargo_routes.answer_api(self.world, path, asked)
            case "/crates-static":
                return cargo_routes.answer_static(self.world, path)
            case "/go-index":
                return golang_routes.answer_index(self.world, path, asked)
            case "/go-proxy":
                return golang_routes.answer_proxy(self.world, path, asked)
            case "/pkgsite":
                return golang_routes.answer_pkgsite(self.world, path, asked)
            case _:
                return Answer(404, b"not found\n")
