"""A clock that jumps, and a loopback server that answers as scripted."""

from __future__ import annotations

import asyncio
import logging
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog

from stook.engine.door import Door, Guard, Lanes, LaneSettings

LOOPBACK = ["127.0.0.0/8"]
Play = Callable[[Door, Any], Awaitable[Any]]
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
    """A running loopback server: its port, every request that came, and how many connections."""

    def __init__(self) -> None:
        self.port = 0
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.methods: list[str] = []
        self.bodies: list[bytes] = []
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
                method, path, _ = head[0].split(" ")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                served.paths.append(path)
                served.headers.append(headers)
                served.methods.append(method)
                served.bodies.append(await reader.readexactly(int(headers.get("content-length", "0"))))
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


def refuse_to_look_up(host: str) -> list[str]:
    raise AssertionError(f"asked for {host}")


@pytest.fixture
def play(clock: Any, serve: Any) -> Callable[..., Any]:
    """Run a scene against a server with this handler; answers what the scene answers."""

    def run(handler: Any, scene: Play, gap: float = 0.0, lookup: Any = refuse_to_look_up, **more: Any) -> Any:
        async def main() -> Any:
            lanes = Lanes(clock, default=LaneSettings(gap=gap))
            async with (
                serve(handler) as server,
                Door(Guard(LOOPBACK), lanes, "stook/test (+a@example.org)", clock, lookup=lookup, **more) as door,
            ):
                return await scene(door, server)

        return asyncio.run(main())

    return run


@pytest.fixture
def door_to(clock: JumpingClock) -> Callable[..., Door]:
    """Makes a door whose lanes have no gap, and for which every name resolves to these addresses."""

    def make(addresses: list[str], **more: Any) -> Door:
        lanes = Lanes(clock, default=LaneSettings(gap=0.0))
        return Door(Guard(LOOPBACK), lanes, "stook/test", clock, lookup=lambda host: addresses, **more)

    return make


AUTHORITY = """
[ca]
default_ca = ca_settings
[ca_settings]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = policy
[policy]
commonName = supplied
"""


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority of our own, and its certificates for registry.test: good, expired, not valid yet.

    chain.pem is the good one with the authority's own.
    """
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("authority")
    for name, text in (("extensions", "subjectAltName=DNS:registry.test\n"), ("ca.cnf", AUTHORITY)):
        (folder / name).write_text(text)
    (folder / "index.txt").touch()
    (folder / "serial").write_text("01\n")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test", "-days", "9")
    openssl("req", *key, "-keyout", "key.pem", "-out", "csr.pem", "-subj", "/CN=registry.test")
    now = datetime.now(UTC)
    for name, begin, end in (("cert", -1, 9), ("expired", -9, -1), ("future", 1, 9)):
        times = [f"{now + timedelta(days=days):%y%m%d%H%M%SZ}" for days in (begin, end)]
        signed = ("-cert", "ca.pem", "-keyfile", "ca.key", "-extfile", "extensions", "-notext")
        dates = ("-startdate", times[0], "-enddate", times[1])
        openssl("ca", "-batch", "-config", "ca.cnf", *signed, *dates, "-in", "csr.pem", "-out", f"{name}.pem")
        (folder / "index.txt").write_text("")  # one name may have several certificates
    (folder / "chain.pem").write_text((folder / "cert.pem").read_text() + (folder / "ca.pem").read_text())
    return folder


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    yield
    structlog.reset_defaults()
