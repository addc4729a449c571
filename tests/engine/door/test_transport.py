"""TLS by name over a judged address, one resolution a connection, and the gate on every connect."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import pytest

from stook.engine.door import Door, Guard, Lanes, LaneSettings
from stook.engine.door.guard.resolver import GateRefused, JudgingResolver, gate
from stook.engine.errors import FailureCode, Refused, Unavailable
from stook.engine.words import Request

LOOPBACK = ["127.0.0.0/8"]


class Answers:
    """A resolver that gives these in turn, the last for ever, and counts how often it is asked."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def server_tls(authority: Path, names: list[str | None]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "cert.pem", authority / "key.pem")
    context.sni_callback = lambda _, name, __: names.append(name)
    return context


def tls_scene(serve: Any, reply: Any, clock: Any, authority: Path, host: str, is_trusted: bool = True) -> Any:
    """Ask `https://host` for a page; the name resolves to loopback. Answers status, Host header and SNI."""
    trust = ssl.create_default_context(cafile=str(authority / "ca.pem")) if is_trusted else None
    names: list[str | None] = []

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(reply(200, b"secret"))

    async def main() -> Any:
        lanes = Lanes(clock, default=LaneSettings(gap=0.0))
        door = Door(Guard(LOOPBACK), lanes, "stook/test", clock, lookup=Answers(["127.0.0.1"]), tls=trust)
        async with serve(handler, server_tls(authority, names)) as server, door:
            url = server.url("/", host=host, scheme="https")
            got = await door.fetch(Request(url))
            return got.status, server.headers[0]["host"].partition(":")[0], names

    return asyncio.run(main())


def test_tls_checks_the_name(serve: Any, reply: Any, clock: Any, authority: Path) -> None:
    """The judged address is dialled, while SNI, Host header and certificate check go by the name."""
    assert tls_scene(serve, reply, clock, authority, "registry.test") == (200, "registry.test", ["registry.test"])


@pytest.mark.parametrize(("host", "is_trusted"), [("other.test", True), ("127.0.0.1", True), ("registry.test", False)])
def test_tls_refuses(serve: Any, reply: Any, clock: Any, authority: Path, host: str, is_trusted: bool) -> None:
    """A certificate for another name, or from an unknown authority, ends the exchange."""
    with pytest.raises(Unavailable) as caught:
        tls_scene(serve, reply, clock, authority, host, is_trusted)
    assert caught.value.code is FailureCode.TLS


def test_no_redirect_from_https_to_http(serve: Any, clock: Any, authority: Path) -> None:
    """What began encrypted does not go on in the clear."""
    trust = ssl.create_default_context(cafile=str(authority / "ca.pem"))

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        location = f"http://{headers['host']}/b"
        writer.write(f"HTTP/1.1 302 X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())

    async def main() -> None:
        lanes = Lanes(clock, default=LaneSettings(gap=0.0))
        door = Door(Guard(LOOPBACK), lanes, "stook/test", clock, lookup=Answers(["127.0.0.1"]), tls=trust)
        async with serve(handler, server_tls(authority, [])) as server, door:
            with pytest.raises(Refused, match="from https to http"):
                await door.fetch(Request(server.url("/a", host="registry.test", scheme="https")))

    asyncio.run(main())


def fetch(serve: Any, reply: Any, clock: Any, lookup: Any, count: int = 1, networks: Any = LOOPBACK) -> Any:
    """Ask http://rebind.test `count` times, a new connection each; answers how many connections came."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        writer.write(reply(200, b"x", Connection="close"))
        await writer.drain()
        return False

    async def main() -> int:
        lanes = Lanes(clock, default=LaneSettings(gap=0.0))
        async with (
            serve(handler) as server,
            Door(Guard(networks), lanes, "stook/test", clock, lookup=lookup) as door,
        ):
            for _ in range(count):
                await door.fetch(Request(server.url("/", host="rebind.test")))
            connections: int = server.connections
            return connections

    return asyncio.run(main())


def test_resolver_is_asked_once(serve: Any, reply: Any, clock: Any) -> None:
    """What was judged is what is dialled: a second, different answer is never asked for."""
    lookup = Answers(["127.0.0.1"], ["10.0.0.1"])
    assert fetch(serve, reply, clock, lookup) == 1
    assert lookup.asked == ["rebind.test"]


def test_rebinding(serve: Any, reply: Any, clock: Any) -> None:
    """A name that turns inward for the second connection is refused there."""
    lookup = Answers(["127.0.0.1"], ["10.0.0.1"])
    with pytest.raises(Refused) as caught:
        fetch(serve, reply, clock, lookup, count=2)
    assert lookup.asked == ["rebind.test"] * 2
    assert "10.0" not in caught.value.reason


@pytest.mark.parametrize(
    "answers",
    [
        ["10.0.0.1"],
        ["127.0.0.1", "10.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["::1"],
        [],
        ["fe80::1%lo"],
        ["127.0.0.1", "x"],
    ],
)
def test_refused_answers(serve: Any, reply: Any, clock: Any, answers: list[str]) -> None:
    """One bad answer, or none, refuses the name before anything is dialled."""
    with pytest.raises(Refused, match="resolves to no address"):
        fetch(serve, reply, clock, Answers(answers))


def test_name_that_does_not_resolve(serve: Any, reply: Any, clock: Any) -> None:
    """A resolver's error says nothing about the data: unavailable."""

    def fails(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    with pytest.raises(Unavailable, match="does not resolve"):
        fetch(serve, reply, clock, fails)


def test_slow_resolver() -> None:
    """A resolver that hangs is given up after its limit."""
    release = threading.Event()

    async def main() -> None:
        resolver = JudgingResolver(Guard(), lambda host: [str(release.wait())], seconds=0.05)
        with pytest.raises(Unavailable, match="timed out"):
            await resolver.resolve("slow.example.com", 443)
        release.set()
        await resolver.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("target", "is_dialled"),
    [
        (("127.0.0.1", 40000), True),
        (("8.8.8.8", 443), True),
        (("8.8.8.8", 40000), False),
        (("10.0.0.1", 80), False),
        (("169.254.169.254", 80), False),
        (("::1", 80, 0, 0), False),
        (("::ffff:127.0.0.1", 80, 0, 0), False),
        (("2a00:1450::1", 443, 0, 0), True),
    ],
)
def test_gate(target: Any, is_dialled: bool) -> None:
    """No socket is even made for an address that the guard refuses, whoever asks for it."""
    family = socket.AF_INET6 if len(target) == 4 else socket.AF_INET
    make = gate(Guard(LOOPBACK))
    info: Any = (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", target)
    if is_dialled:
        make(info).close()
    else:
        with pytest.raises(GateRefused):
            make(info)


def test_gate_stands_behind_the_guard(serve: Any, reply: Any, clock: Any) -> None:
    """Were a literal address let through by a fault in judging URLs, the connect itself is refused."""

    class Gullible(Guard):
        """Believes every URL."""

        def judge_url(self, url: str) -> Any:
            return Guard(LOOPBACK).judge_url(url)

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(reply())

    async def main() -> None:
        async with serve(handler) as server, Door(Gullible(), Lanes(clock), "stook/test", clock) as door:
            with pytest.raises(Refused, match="address not allowed"):
                await door.fetch(Request(server.url()))
            assert server.connections == 0

    asyncio.run(main())
