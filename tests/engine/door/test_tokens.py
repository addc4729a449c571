"""Secrets of private mirrors go to their mirror alone; a proxy takes all requests."""

from __future__ import annotations

import asyncio
from typing import Any

from stook.engine.door import Door, Guard, Lanes, LaneSettings
from stook.engine.door.tokens import Tokens
from stook.engine.words import Request


def test_below_its_base() -> None:
    """A token goes with URLs below its base, the most exact base first, and with no other path, port or host."""
    guard = Guard([])
    tokens = Tokens(guard, {"https://m.example/a": "A", "https://m.example": "M", "http://10.0.0.1": "refused"})
    asked = ["https://m.example/a/x", "https://m.example/ab", "https://m.example:8443/a/x", "https://m.example.org/a"]
    found = [tokens.headers(guard.judge_url(url).url or url).get("Authorization") for url in asked]
    assert found == ["A", "M", None, None]
    assert tokens.headers("http://10.0.0.1/x") == {}


def _door(clock: Any, **more: Any) -> Door:
    return Door(Guard(["127.0.0.0/8"]), Lanes(clock, {}, default=LaneSettings(0.0)), "stook/test", clock, **more)


def test_not_to_another_host(serve: Any, reply: Any, clock: Any) -> None:
    """The mirror gets its token; the host that it redirects to does not."""

    async def run() -> list[str | None]:
        async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
            if path == "/private/a":
                writer.write(reply(302, b"", Location=server.url("/b", host="other.test")))
            else:
                writer.write(reply(200, b"good"))

        async with serve(handler) as server:
            tokens = {server.url("/private"): "Bearer hush"}
            async with _door(clock, tokens=tokens, lookup=lambda host: ["127.0.0.1"]) as door:
                for path in ("/private/x", "/public", "/private/a"):
                    await door.fetch(Request(server.url(path)))
            return [headers.get("authorization") for headers in server.headers]

    assert asyncio.run(run()) == ["Bearer hush", None, "Bearer hush", None]


def test_through_a_proxy(serve: Any, reply: Any, clock: Any) -> None:
    """The proxy is asked for the whole URL."""

    async def run() -> Any:
        async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
            writer.write(reply(200, b"good"))

        async with serve(handler) as server, _door(clock, proxy=server.url("").rstrip("/")) as door:
            got = await door.fetch(Request("http://mirror.example/x"))
            return got.body, server.paths

    assert asyncio.run(run()) == (b"good", ["http://mirror.example/x"])
