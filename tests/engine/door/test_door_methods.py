"""Methods, bodies and redirects through the door: what is sent once, what again, and what is told of the way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from stook.engine.door import Door
from stook.engine.errors import FailureCode, LaneClosed, Refused, Unavailable
from stook.engine.words import Hop, Request


def moved(location: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode("latin-1")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_method_and_body(play: Any, reply: Any, method: Any) -> None:
    """Method, body and headers arrive as given."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(reply(201, b"made"))

    async def scene(door: Door, server: Any) -> None:
        request = Request(server.url(), method, b'{"a": 1}', headers=(("Content-Type", "application/json"),))
        got = await door.fetch(request)
        assert (got.status, got.body) == (201, b"made")
        assert (server.methods, server.bodies) == ([method], [b'{"a": 1}'])
        assert server.headers[0]["content-type"] == "application/json"

    play(handler, scene)


def test_head(play: Any) -> None:
    """A HEAD has no body, however long the one of a GET would be."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n")

    async def scene(door: Door, server: Any) -> None:
        for _ in range(2):
            got = await door.fetch(Request(server.url(), "HEAD", max_bytes=10))
            assert (got.status, got.body, got.headers["content-length"]) == (200, b"", "100000")
        assert server.connections == 1

    play(handler, scene)


LOST = [("GET", b"", 2), ("HEAD", b"", 2), ("POST", b"", 1), ("PUT", b"x", 1), ("DELETE", b"", 1), ("GET", b"x", 1)]


@pytest.mark.parametrize(("method", "body", "times"), LOST)
def test_lost_connection(play: Any, method: Any, body: bytes, times: int) -> None:
    """After a lost connection only what changes nothing is sent again."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        return False

    async def scene(door: Door, server: Any) -> None:
        with pytest.raises(Unavailable) as caught:
            await door.fetch(Request(server.url(), method, body))
        assert (caught.value.code, len(server.paths)) == (FailureCode.CONNECT, times)

    play(handler, scene)


@pytest.mark.parametrize("status", [429, 503])
def test_throttled_post(play: Any, reply: Any, clock: Any, status: int) -> None:
    """A throttled POST was not processed, so it is sent again with its body after the cooldown."""
    answers = [reply(status, Retry_After="90"), reply(200, b"done")]

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(answers.pop(0))

    async def scene(door: Door, server: Any) -> None:
        assert (await door.fetch(Request(server.url(), "POST", b"once"))).body == b"done"
        assert (server.bodies, clock.time) == ([b"once", b"once"], 1090.0)

    play(handler, scene)


def test_post_then_get(play: Any, reply: Any) -> None:
    """A POST answered by a redirect to its own address is read by a GET: no loop."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(moved("/a", 303) if len(served.methods) == 1 else reply(200, b"read"))

    served: Any = None

    async def scene(door: Door, server: Any) -> None:
        nonlocal served
        served = server
        got = await door.fetch(Request(server.url("/a"), "POST", b"x"))
        assert (got.body, server.methods, server.bodies) == (b"read", ["POST", "GET"], [b"x", b""])
        assert got.hops == (Hop(server.url("/a"), 303, server.url("/a")), Hop(server.url("/a"), 200))

    play(handler, scene)


def test_post_to_another_port(play: Any, reply: Any) -> None:
    """A 307 keeps method and body on its origin only; another port is another origin."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        there = "/b" if path == "/a" else "http://127.0.0.1:1/c"
        writer.write(moved(there, 307))

    async def scene(door: Door, server: Any) -> None:
        with pytest.raises(Refused, match="another origin") as caught:
            await door.fetch(Request(server.url("/a"), "POST", b"x"))
        assert (caught.value.code, server.bodies) == (FailureCode.REDIRECT, [b"x", b"x"])

    play(handler, scene)


def test_credentials_stay_with_their_origin(play: Any, reply: Any) -> None:
    """Of all headers only Accept reaches another host, there and further on."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        ways = {"/a": f"http://other.test:{port}/b", "/b": "/c"}
        writer.write(moved(ways[path]) if path in ways else reply(200, b"x"))

    port = 0

    async def scene(door: Door, server: Any) -> None:
        nonlocal port
        port = server.port
        secrets = (("Authorization", "Bearer s3cr"), ("Cookie", "s3cr"), ("X-Key", "s3cr"))
        await door.fetch(Request(server.url("/a"), accept="text/plain", headers=secrets))
        assert server.headers[0]["authorization"] == "Bearer s3cr"
        assert server.paths == ["/a", "/b", "/c"]
        assert "s3cr" not in str(server.headers[1:])
        assert [sent["accept"] for sent in server.headers] == ["text/plain"] * 3

    play(handler, scene, lookup=lambda host: ["127.0.0.1"])


def test_redirect_as_reply(play: Any, reply: Any) -> None:
    """With `return` a redirect is the reply, and nothing is asked of its target, whatever it is."""
    targets = ["/next?a", "http://169.254.169.254/", "ftp://x/", "http://[", ""]

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(moved(targets[len(served.paths) - 1], 301))

    served: Any = None

    async def scene(door: Door, server: Any) -> None:
        nonlocal served
        served = server
        led = []
        for target in targets:
            got = await door.fetch(Request(server.url("/a"), redirects="return"))
            assert (got.status, got.headers["location"], got.url) == (301, target, server.url("/a"))
            led.append([hop.location for hop in got.hops])
        assert led == [[server.url("/next?a")], ["http://169.254.169.254/"], ["ftp://x/"], ["http://["], [""]]
        assert server.paths == ["/a"] * 5

    play(handler, scene)


def test_hops(play: Any, reply: Any) -> None:
    """A reply tells the whole way: each URL as judged, its status, and where it led."""
    ways = {"/a": "b", "/b": "/c#x"}

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(moved(ways[path], 308) if path in ways else reply(404, b"x"))

    async def scene(door: Door, server: Any) -> None:
        got = await door.fetch(Request(server.url("/./a")))
        assert got.hops == (
            Hop(server.url("/a"), 308, server.url("/b")),
            Hop(server.url("/b"), 308, server.url("/c#x")),
            Hop(server.url("/c"), 404),
        )

    play(handler, scene)


def test_header_values_are_never_logged(play: Any, reply: Any) -> None:
    """Neither a log line nor an error contains a header's value or a body."""
    structlog.reset_defaults()
    answers = [reply(200, b"s3cr"), reply(500, b"s3cr", X_Key="s3cr"), b"s3cr\r\n\r\n", reply(403, b"s3cr")]

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(answers[len(served.paths) - 1])

    served: Any = None

    async def scene(door: Door, server: Any) -> str:
        nonlocal served
        served = server
        shown = []
        with capture_logs() as lines:
            for _ in answers:
                try:
                    await door.fetch(
                        Request(
                            server.url(),
                            "POST",
                            b"s3cr",
                            headers=(("Authorization", "Bearer s3cr"),),
                            closes_on=frozenset({403}),
                        )
                    )
                except (Unavailable, LaneClosed) as error:
                    shown.append(f"{error!r} {error.__cause__!r}")
        assert (len(lines), len(shown)) == (4, 3)
        return f"{lines} {shown}"

    assert "s3cr" not in play(handler, scene)
