"""A clock that jumps, and a loopback server that answers as scripted."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
import structlog

Handler = Callable[[str, dict[str, str], asyncio.StreamWriter], Awaitable[bool | None]]


class JumpingClock:
    """Whoever sleeps shortest moves the time: no test waits for real."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.holds = 0  # while above 0 no time passes
        self._due: list[float] = []

    def now(self) -> datetime:
        start = datetime(2026, 8, 1, tzinfo=UTC).replace(tzinfo=None)
        return start + timedelta(seconds=self.time - 1000.0)

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        due = self.time + max(seconds, 0.0)
        self._due.append(due)
        try:
            while self.time < due:
                for _ in range(40):  # whoever else is about to sleep gets to say so
                    await asyncio.sleep(0)
                if not self.holds and min(self._due) == due:
                    self.time = max(self.time, due)
        finally:
            self._due.remove(due)


class Served:
    """A running loopback server: its port, every path asked for, and how many connections came."""

    def __init__(self) -> None:
        self.port = 0
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.connections = 0

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@asynccontextmanager
async def run_server(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[Served]:
    served = Served()
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.connections += 1
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                path = head[0].split(" ")[1]
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                served.paths.append(path)
                served.headers.append(headers)
                if await handler(path, headers, writer) is False:
                    return
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            return
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def http(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """A whole response; header names with underscores for hyphens."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


@pytest.fixture
def clock() -> JumpingClock:
    return JumpingClock()


@pytest.fixture(scope="session")
def make_clock() -> type[JumpingClock]:
    return JumpingClock


@pytest.fixture
def serve() -> Callable[..., AbstractAsyncContextManager[Served]]:
    return run_server


@pytest.fixture
def reply() -> Callable[..., bytes]:
    return http


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    yield
    structlog.reset_defaults()
