"""Every way in which a request can fail, with the class and the code that tell it."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stook.engine.door import Door, Guard
from stook.engine.door.network_errors import _CERTIFICATE
from stook.engine.errors import FailureCode, LaneClosed, Malformed, Refused, StookError, Unavailable
from stook.engine.words import Request

Handler = Callable[[str, dict[str, str], asyncio.StreamWriter], Any]


@dataclass(frozen=True)
class Way:
    """A request to a server that sends `raw` and closes, or does what `handler` does; and how that must fail."""

    name: str
    error: type[StookError]
    code: FailureCode
    raw: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
    url: str = ""
    status: int | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    door: dict[str, Any] = field(default_factory=dict)
    handler: Handler | None = None


def head(text: str, body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {text}\r\n\r\n".replace("\n", "\r\n").replace("\r\r", "\r").encode("latin-1") + body


def sized(status: str, body: bytes, *headers: str) -> bytes:
    return head("\n".join([status, f"Content-Length: {len(body)}", *headers]), body)


def led(location: str) -> bytes:
    return sized("302 X", b"", f"Location: {location}")


async def silent(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
    await asyncio.get_running_loop().create_future()


async def dripping(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
    writer.write(head("200 OK\nContent-Length: 100000"))
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=0.01)


async def reset(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


async def reset_in_body(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
    writer.write(head("200 OK\nContent-Length: 100", b"half"))
    await writer.drain()
    return await reset(path, headers, writer)


def no_name(host: str) -> list[str]:
    raise socket.gaierror(socket.EAI_NONAME, "no such name")


def turned_inward(host: str) -> list[str]:
    return ["10.0.0.1"]


GZIP, PLAIN = gzip.compress(b"x" * 999), "Content-Encoding: gzip"
CHUNKED = head("200 X\nTransfer-Encoding: chunked", b"4\r\nbody\r\n0\r\n\r\n")
OTHER_ORIGIN = sized("307 X", b"", "Location: http://127.0.0.1:1/")
CLOSES = {"closes_on": frozenset({403})}
NAMED = "http://name.test:{port}/"
C = FailureCode
WAYS = [
    Way("scheme", Refused, C.SCHEME, url="ftp://127.0.0.1/"),
    Way("no URL", Refused, C.ADDRESS_REFUSED, url="http://["),
    Way("user information", Refused, C.ADDRESS_REFUSED, url="http://u:p@127.0.0.1/"),
    Way("blank", Refused, C.ADDRESS_REFUSED, url="http://127.0.0.1/a b"),
    Way("metadata", Refused, C.ADDRESS_REFUSED, url="http://169.254.169.254/"),
    Way("port", Refused, C.ADDRESS_REFUSED, url="http://8.8.8.8:81/"),
    Way("name that is refused", Refused, C.ADDRESS_REFUSED, url="http://metadata.google.internal/"),
    Way("name that leads inside", Refused, C.ADDRESS_REFUSED, url=NAMED, door={"lookup": turned_inward}),
    Way("name without addresses", Refused, C.ADDRESS_REFUSED, url=NAMED, door={"lookup": lambda host: []}),
    Way("name that does not resolve", Unavailable, C.DNS, url=NAMED, door={"lookup": no_name}),
    Way("nobody listens", Unavailable, C.CONNECT, url="http://127.0.0.1:{free}/"),
    Way("closed before the answer", Unavailable, C.CONNECT, raw=b""),
    Way("reset before the answer", Unavailable, C.CONNECT, handler=reset),
    Way("silence", Unavailable, C.TIMEOUT, handler=silent, fields={"silence": 0.05}),
    Way("whole time", Unavailable, C.TIMEOUT, handler=dripping, fields={"timeout": 0.1}),
    Way("no time", Unavailable, C.TIMEOUT, fields={"timeout": 0.0}),
    Way("too large", Refused, C.TOO_LARGE, status=200, fields={"max_bytes": 3}),
    Way("too large, chunked", Refused, C.TOO_LARGE, CHUNKED, status=200, fields={"max_bytes": 3}),
    Way("too large, decoded", Refused, C.TOO_LARGE, sized("200 X", GZIP, PLAIN), status=200, fields={"max_bytes": 998}),
    Way("inflates", Refused, C.TOO_LARGE, sized("200 X", gzip.compress(bytes(9_000_000)), PLAIN), status=200),
    Way("long header line", Unavailable, C.TOO_LARGE, head("200 X\nX: " + "y" * 20_000)),
    Way("many header lines", Unavailable, C.BROKEN_BODY, head("200 X\n" + "\n".join(f"X{i}: y" for i in range(9999)))),
    Way("long status line", Unavailable, C.TOO_LARGE, head("200 " + "y" * 20_000)),
    Way("content type", Malformed, C.CONTENT_TYPE, status=200, fields={"content_types": ("text/html",)}),
    Way("content encoding", Refused, C.CONTENT_TYPE, sized("200 X", b"x", "Content-Encoding: br"), status=200),
    Way("redirect loop", Refused, C.REDIRECT, led("/a"), url="http://127.0.0.1:{port}/a", status=302),
    Way("redirect to no URL", Refused, C.REDIRECT, led("http://["), status=302),
    Way("redirect with a backslash", Refused, C.REDIRECT, led("/a\\b"), status=302),
    Way("redirect inside", Refused, C.ADDRESS_REFUSED, led("http://10.0.0.1/"), status=302),
    Way("redirect to a scheme", Refused, C.SCHEME, led("file:///etc/passwd"), status=302),
    Way("redirect of a POST", Refused, C.REDIRECT, OTHER_ORIGIN, status=307, fields={"method": "POST"}),
    Way("500", Unavailable, C.HTTP_STATUS, sized("500 X", b"x"), status=500),
    Way("503", Unavailable, C.HTTP_STATUS, sized("503 X", b"x"), status=503),
    Way("cut", Unavailable, C.BROKEN_BODY, head("200 X\nContent-Length: 100", b"half")),
    Way("cut, chunked", Unavailable, C.BROKEN_BODY, head("200 X\nTransfer-Encoding: chunked", b"64\r\nhalf")),
    Way("reset in the body", Unavailable, C.BROKEN_BODY, handler=reset_in_body),
    Way("chunk size", Unavailable, C.BROKEN_BODY, head("200 X\nTransfer-Encoding: chunked", b"zz\r\nhalf")),
    Way("cut gzip", Unavailable, C.BROKEN_BODY, sized("200 X", GZIP[:-4], PLAIN), status=200),
    Way("no gzip", Malformed, C.BROKEN_BODY, sized("200 X", b"plain", PLAIN), status=200),
    Way("not HTTP", Unavailable, C.BROKEN_BODY, b"SSH-2.0-x\r\n\r\n"),
    Way("no status", Unavailable, C.BROKEN_BODY, b"HTTP/1.1 OK\r\n\r\n"),
    Way("header without a colon", Unavailable, C.BROKEN_BODY, head("200 X\njunk")),
    Way("header with NUL", Unavailable, C.BROKEN_BODY, head("200 X\nX: a\0b")),
    Way("two lengths", Unavailable, C.BROKEN_BODY, head("200 X\nContent-Length: 1\nContent-Length: 2", b"xx")),
    Way("length that is none", Unavailable, C.BROKEN_BODY, head("200 X\nContent-Length: -1")),
    Way("closing status", LaneClosed, C.LANE_CLOSED, sized("403 X", b""), status=403, fields=CLOSES),
    Way("throttled for good", LaneClosed, C.LANE_CLOSED, sized("429 X", b"")),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_code(play: Any, way: Way) -> None:
    """Each failure has its class, its code and its status, and is counted by its code."""

    async def send(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        writer.write(way.raw)
        await writer.drain()
        return False

    async def scene(door: Door, server: Any) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = way.url.replace("{port}", str(server.port)).replace("{free}", str(free.getsockname()[1]))
            with pytest.raises(way.error) as caught:
                await door.fetch(Request(url or server.url(), **way.fields))
        assert (caught.value.code, caught.value.status) == (way.code, way.status)
        assert len(caught.value.reason) < 200
        if way.error is not LaneClosed and server.paths and not way.raw.startswith(b"HTTP/1.1 30"):
            assert set(door.failures) == {way.code}

    play(way.handler or send, scene, **way.door)


def test_all_codes_of_the_door() -> None:
    """The table knows every code that the door gives; TLS and files have tests of their own."""
    assert {way.code for way in WAYS} == {
        C.ADDRESS_REFUSED,
        C.SCHEME,
        C.DNS,
        C.CONNECT,
        C.TIMEOUT,
        C.TOO_LARGE,
        C.CONTENT_TYPE,
        C.REDIRECT,
        C.HTTP_STATUS,
        C.BROKEN_BODY,
        C.LANE_CLOSED,
    }


CERTIFICATES = [
    ("trusted", "registry.test", "cert.pem", None),
    ("trusted", "other.test", "cert.pem", "the TLS certificate is for another name"),
    ("trusted", "127.0.0.1", "cert.pem", "the TLS certificate is for another address"),
    ("trusted", "registry.test", "expired.pem", "the TLS certificate has expired"),
    ("trusted", "registry.test", "future.pem", "the TLS certificate is not valid yet"),
    ("system", "registry.test", "cert.pem", "the TLS certificate is from an authority that is not trusted"),
    ("system", "registry.test", "ca.pem", "the TLS certificate is self-signed"),
    (
        "system",
        "registry.test",
        "chain.pem",
        "the TLS certificate leads to a self-signed authority that is not trusted",
    ),
]


@pytest.mark.parametrize(("trust", "host", "certificate", "reason"), CERTIFICATES)
def test_certificates(
    serve: Any, reply: Any, door_to: Any, authority: Path, trust: str, host: str, certificate: str, reason: str | None
) -> None:
    """Each fault of a certificate has a true sentence, and all have one code."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(authority / certificate, authority / ("ca.key" if certificate == "ca.pem" else "key.pem"))
    ours = ssl.create_default_context(cafile=str(authority / "ca.pem")) if trust == "trusted" else None

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(reply(200, b"secret"))

    async def main() -> None:
        async with serve(handler, tls) as server, door_to(["127.0.0.1"], tls=ours) as door:
            request = Request(server.url("/", host=host, scheme="https"))
            if reason is None:
                assert (await door.fetch(request)).body == b"secret"
                return
            with pytest.raises(Unavailable) as caught:
                await door.fetch(request)
            assert (caught.value.reason, caught.value.code) == (reason, FailureCode.TLS)

    asyncio.run(main())


def test_no_tls(door_to: Any) -> None:
    """A server that answers a handshake with anything else has no TLS."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n")
        await reader.read()
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        async with server, door_to(["127.0.0.1"]) as door:
            with pytest.raises(Unavailable, match="handshake") as caught:
                await door.fetch(Request(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
        assert caught.value.code is FailureCode.TLS

    asyncio.run(main())


def test_no_connection_in_time(play: Any) -> None:
    """A server that does not go on with the handshake is none that was reached."""

    async def scene(door: Door, server: Any) -> None:
        with pytest.raises(Unavailable, match="in time") as caught:
            await door.fetch(Request(server.url(scheme="https")))
        assert caught.value.code is FailureCode.CONNECT

    play(silent, scene, connect_seconds=0.05)


def test_numbers_of_certificate_faults() -> None:
    """The numbers are those of OpenSSL, where this Python names them."""
    assert set(_CERTIFICATE) == {9, 10, 18, 19, 20, 21, 23, 62, 64}


def test_guard_codes() -> None:
    """A refusal of the guard is an address, but for the scheme."""
    assert Guard().judge_url("ftp://a.example/").code is FailureCode.SCHEME
    assert Guard().judge_url("http://10.0.0.1/").code is FailureCode.ADDRESS_REFUSED
