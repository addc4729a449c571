"""The door over loopback: limits, redirects, throttles, closing, conditions, and what it counts."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from stook.engine.door import Door, Guard, Lanes, Validators, validators_of
from stook.engine.errors import LaneClosed, Malformed, Refused, StookError, Unavailable
from stook.engine.words import Hop, Reply, Request

LOOPBACK = ["127.0.0.0/8"]
Play = Callable[[Door, Any], Awaitable[Any]]


def scripted(*responses: bytes) -> Any:
    """A handler that gives these in turn, the last one for ever."""
    left = list(responses)

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return handler


def get(path: str = "/", **fields: Any) -> Play:
    async def scene(door: Door, server: Any) -> Reply:
        return await door.fetch(Request(server.url(path), **fields))

    return scene


def caught_by(play: Any, handler: Any, scene: Play, error: type[StookError], **more: Any) -> tuple[StookError, Any]:
    """The error a scene ends in, and what was counted for the server."""

    async def whole(door: Door, server: Any) -> tuple[StookError, Any]:
        with pytest.raises(error) as caught:
            await scene(door, server)
        return caught.value, door.traffic.get("127.0.0.1")

    return play(handler, whole, **more)


def test_nobody_waits_behind_the_lane(play: Any, reply: Any) -> None:
    """Whoever has its turn starts at once, however many are under way."""
    count, everybody, arrived = 101, asyncio.Event(), list[str]()

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        arrived.append(path)
        if len(arrived) == count:
            everybody.set()
        await everybody.wait()
        writer.write(reply())

    async def scene(door: Door, server: Any) -> None:
        await asyncio.gather(*(door.fetch(Request(server.url())) for _ in range(count)))

    play(handler, scene)
    assert len(arrived) == count


def test_reply(play: Any, reply: Any) -> None:
    """A reply has its status, body, lower-case headers and rebuilt URL; the request says who asks, and takes gzip."""

    async def scene(door: Door, server: Any) -> None:
        request = Request(server.url("/a/../b?c#d"), accept="text/plain", headers=(("Cargo-Protocol", "version=1"),))
        got = await door.fetch(request)
        headers = {"content-length": "5", "x-many": "1, 2"}
        hops = (Hop(server.url("/b?c"), 200),)
        assert got == Reply(server.url("/b?c"), 200, b"hello", headers, hops=hops, received_at=got.received_at)
        assert got.received_at
        sent = server.headers[0]
        assert sent["user-agent"] == "stook/test (+a@example.org)"
        assert (sent["accept"], sent["cargo-protocol"]) == ("text/plain", "version=1")
        assert sent["accept-encoding"] == "identity, gzip"
        assert "cookie" not in sent
        assert door.traffic == {
            "127.0.0.1": {"count": 1, "not_modified": 0, "throttled": 0, "failed": 0, "bytes": 5},
        }

    play(scripted(b"HTTP/1.1 200 OK\r\nX-Many: 1\r\nX-many: 2\r\nContent-Length: 5\r\n\r\nhello"), scene)


def test_no_cookies(play: Any, reply: Any) -> None:
    """A cookie is never sent back."""

    async def scene(door: Door, server: Any) -> None:
        await door.fetch(Request(server.url()))
        await door.fetch(Request(server.url()))
        assert "cookie" not in server.headers[1]

    play(scripted(reply(200, b"", Set_Cookie="a=b; Path=/")), scene)


def test_keep_alive(play: Any, reply: Any) -> None:
    """Requests one after the other share a connection, error statuses included."""

    async def scene(door: Door, server: Any) -> None:
        statuses = [(await door.fetch(Request(server.url()))).status for _ in range(5)]
        assert (statuses, server.connections) == ([200, 404, 304, 410, 410], 1)

    answers = [reply(200, b"x"), reply(404, b"no"), b"HTTP/1.1 304 X\r\n\r\n", reply(410, b"gone")]
    play(scripted(*answers), scene)


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "http://8.8.8.8:81/", "ftp://127.0.0.1/", "http://u@127.0.0.1/"]
)
def test_guard_stops_the_request(play: Any, reply: Any, url: str) -> None:
    """What the guard refuses takes no turn and is not counted as a request."""

    async def scene(door: Door, server: Any) -> None:
        with pytest.raises(Refused):
            await door.fetch(Request(url))
        assert door.traffic == {}

    play(scripted(reply()), scene)


def test_gzip_is_decoded(play: Any, reply: Any) -> None:
    """A gzip body arrives decoded, and its wire size is what is counted."""
    packed = gzip.compress(b"x" * 10_000)

    async def scene(door: Door, server: Any) -> None:
        assert (await door.fetch(Request(server.url()))).body == b"x" * 10_000
        assert door.traffic["127.0.0.1"]["bytes"] == len(packed)

    play(scripted(reply(200, packed, Content_Encoding="gzip")), scene)


def test_gzip_bomb(play: Any, reply: Any) -> None:
    """A body that inflates past the limit is refused."""
    bomb = reply(200, gzip.compress(bytes(5_000_000)), Content_Encoding="gzip")
    error, counts = caught_by(play, scripted(bomb), get(max_bytes=1_000_000), Refused)
    assert (error.reason, error.status, counts["failed"]) == ("body larger than 1000000 bytes", 200, 1)


@pytest.mark.parametrize(("size", "is_refused"), [(1000, False), (1001, True)])
def test_max_bytes(play: Any, reply: Any, size: int, is_refused: bool) -> None:
    """A body of exactly the limit passes, one byte more does not."""
    if is_refused:
        caught_by(play, scripted(reply(200, b"x" * size)), get(max_bytes=1000), Refused)
    else:
        assert len(play(scripted(reply(200, b"x" * size)), get(max_bytes=1000)).body) == size


def test_large_error_page_is_still_a_404(play: Any, reply: Any) -> None:
    """An error page too large to keep is dropped, and its status still counts."""
    got = play(scripted(reply(404, b"x" * 200_000)), get())
    assert (got.status, got.body) == (404, b"")


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, br"])
def test_unknown_encoding(play: Any, reply: Any, encoding: str) -> None:
    """An encoding we did not ask for is refused."""
    error, _ = caught_by(play, scripted(reply(200, b"x", Content_Encoding=encoding)), get(), Refused)
    assert error.reason == f"content encoding {encoding!r}"


def test_broken_gzip(play: Any, reply: Any) -> None:
    """Bytes that are no gzip are malformed; a gzip stream that ends early is a truncation."""
    caught_by(play, scripted(reply(200, b"plain", Content_Encoding="gzip")), get(), Malformed)
    short = gzip.compress(b"x" * 100)[:-4]
    caught_by(play, scripted(reply(200, short, Content_Encoding="gzip")), get(), Unavailable)


TRUNCATED = [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "truncated body"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf", "truncated body"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "truncated body"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf", "the answer is not valid HTTP"),
]


@pytest.mark.parametrize(("raw", "reason"), TRUNCATED)
def test_truncated(play: Any, raw: bytes, reason: str) -> None:
    """A body that stops short of what was promised is unavailable, never half a reply."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        writer.write(raw)
        await writer.drain()
        return False

    error, counts = caught_by(play, handler, get(), Unavailable)
    assert (error.reason, counts["failed"]) == (reason, 1)


async def reset(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


def test_reset_is_tried_once_more_in_its_own_turn(play: Any, clock: Any) -> None:
    """A connection lost before an answer is tried once more, a gap later, and then given up."""
    error, counts = caught_by(play, reset, get(), Unavailable, gap=5.0)
    assert (error.reason, counts["count"]) == ("connection lost before an answer", 2)
    assert clock.time == 1005.0


def test_idle_connection_closed_by_the_server(play: Any, reply: Any) -> None:
    """A kept connection that the server has given up costs no failure."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        if path == "/drop":
            return False
        writer.write(reply(200, b"x"))
        return path != "/last"

    async def scene(door: Door, server: Any) -> None:
        await door.fetch(Request(server.url("/")))
        with pytest.raises(Unavailable):
            await door.fetch(Request(server.url("/drop")))
        assert (await door.fetch(Request(server.url("/")))).status == 200

    play(handler, scene)


def test_nothing_listens(play: Any, reply: Any) -> None:
    """A refused connection is unavailable."""

    async def scene(door: Door, server: Any) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{probe.getsockname()[1]}/"
            with pytest.raises(Unavailable, match="connection failed"):
                await door.fetch(Request(url))

    play(scripted(reply()), scene)


def test_drip_meets_the_whole_timeout(play: Any) -> None:
    """A server that keeps sending a byte now and then is cut off at the request's own limit."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=0.01)

    error, _ = caught_by(play, handler, get(timeout=0.15), Unavailable)
    assert error.reason == "timed out"


def test_silence_meets_the_read_timeout(play: Any) -> None:
    """A server that says nothing is given up after the read limit."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        await asyncio.get_running_loop().create_future()

    error, _ = caught_by(play, handler, get(), Unavailable, read_seconds=0.05)
    assert error.reason == "timed out"


def test_a_request_may_wait_longer(play: Any, reply: Any) -> None:
    """Where a host is known to think long, the request says how long its silence is borne."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=0.2)
        writer.write(reply(200, b"at last"))
        await writer.drain()

    assert play(handler, get(silence=5.0), read_seconds=0.05).body == b"at last"


@pytest.mark.parametrize("raw", [b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 20_000 + b"\r\n\r\n", b"SSH-2.0-x\r\n\r\n"])
def test_not_http(play: Any, raw: bytes) -> None:
    """What is not HTTP, or has a header line of unreasonable size, is unavailable; its words stay out of the reason."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> bool:
        writer.write(raw)
        await writer.drain()
        return False

    error, _ = caught_by(play, handler, get(), Unavailable)
    assert "SSH" not in error.reason
    assert "yyy" not in error.reason


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
def test_server_errors(play: Any, reply: Any, status: int) -> None:
    """A 5xx is unavailable with its status, and is no throttle unless it says when to come back."""
    error, counts = caught_by(play, scripted(reply(status, b"x")), get(), Unavailable)
    assert (error.status, counts["failed"], counts["throttled"]) == (status, 1, 0)


@pytest.mark.parametrize(
    ("status", "after", "waits"), [(429, "5", 60), (429, None, 60), (429, "300", 300), (503, "70", 70)]
)
def test_throttled_then_good(play: Any, reply: Any, clock: Any, status: int, after: str | None, waits: float) -> None:
    """A throttled request waits out the lane's cooldown, is sent again, and answers like any other."""
    headers = {"Retry_After": after} if after else {}

    async def scene(door: Door, server: Any) -> None:
        assert (await door.fetch(Request(server.url()))).body == b"good"
        assert clock.time == 1000.0 + waits
        assert door.traffic["127.0.0.1"]["throttled"] == 1
        assert door.traffic["127.0.0.1"]["count"] == 2

    play(scripted(reply(status, b"slow down", **headers), reply(200, b"good")), scene)


def test_retry_after_date(play: Any, reply: Any, clock: Any) -> None:
    """Retry-After may be a date, read against the clock."""
    play(scripted(reply(429, Retry_After="Sat, 01 Aug 2026 00:10:00 GMT"), reply()), get())
    assert clock.time == 1600.0


def test_throttled_for_good(play: Any, reply: Any, clock: Any) -> None:
    """A lane that is only ever throttled is closed after five rounds, and the request ends as LaneClosed."""
    error, counts = caught_by(play, scripted(reply(429)), get(), LaneClosed)
    assert (counts["count"], counts["throttled"], clock.time) == (5, 5, 1900.0)
    assert "throttled in 5 rounds" in error.reason


def test_success_calms_the_lane(play: Any, reply: Any, clock: Any) -> None:
    """A good reply after a cooldown starts the ladder anew."""

    async def scene(door: Door, server: Any) -> None:
        for _ in range(2):
            await door.fetch(Request(server.url()))
        assert clock.time == 1120.0

    play(scripted(reply(429), reply(), reply(429), reply()), scene)


def test_closing_status(play: Any, reply: Any) -> None:
    """A status the request calls final closes its lane: nothing more is sent on it, and other lanes go on."""

    async def scene(door: Door, server: Any) -> None:
        with pytest.raises(LaneClosed) as caught:
            await door.fetch(Request(server.url(), lane="api", closes_on=frozenset({403})))
        assert caught.value.status == 403
        with pytest.raises(LaneClosed, match="HTTP 403"):
            await door.fetch(Request(server.url(), lane="api"))
        assert (await door.fetch(Request(server.url(), lane="index"))).status == 403
        assert (len(server.paths), door.lanes.closed) == (2, {"api": "HTTP 403"})

    play(scripted(reply(403, b"go away")), scene)


@pytest.mark.parametrize(
    ("status", "found", "is_fine"),
    [
        (200, "application/json", True),
        (200, "Application/JSON; charset=utf-8", True),
        (200, "text/html", False),
        (200, "", False),
        (404, "text/html", True),
    ],
)
def test_content_type(play: Any, reply: Any, status: int, found: str, is_fine: bool) -> None:
    """A 200 of another type than wanted is malformed; other statuses may come in any."""
    handler = scripted(reply(status, b"{}", **({"Content_Type": found} if found else {})))
    scene = get(content_types=("application/json", "text/plain"))
    if is_fine:
        assert play(handler, scene).status == status
    else:
        error, _ = caught_by(play, handler, scene, Malformed)
        assert error.reason == f"content type {found!r}, wanted application/json or text/plain"


def test_no_content_type(play: Any, reply: Any) -> None:
    """A body without a type, as servers send files without an ending, is one of bytes."""
    scene = get(content_types=("text/plain", "application/octet-stream"))
    assert play(scripted(reply(200, b"{}")), scene).body == b"{}"


def test_conditional(play: Any) -> None:
    """With the validators of the last reply a 304 comes back as not modified."""

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        is_known = headers.get("if-none-match") == '"v1"'
        status, body = ("304 X", b"") if is_known else ("200 OK", b"body")
        length = "" if is_known else "Content-Length: 4\r\n"
        writer.write(f'HTTP/1.1 {status}\r\nETag: "v1"\r\n{length}\r\n'.encode() + body)

    async def scene(door: Door, server: Any) -> None:
        request = Request(server.url(), conditional=True)
        first = await door.fetch(request)
        assert not first.not_modified
        again = await door.fetch(request, validators_of(first))
        assert (again.status, again.not_modified, again.body) == (304, True, b"")
        assert door.traffic["127.0.0.1"]["not_modified"] == 1

    play(handler, scene)


@pytest.mark.parametrize("validators", [None, Validators(digest=b"x")])
def test_not_modified_unasked(play: Any, validators: Validators | None) -> None:
    """A 304 that nobody asked for does not say that what we have is what there is."""

    async def scene(door: Door, server: Any) -> None:
        got = await door.fetch(Request(server.url()), validators)
        assert (got.status, got.not_modified) == (304, False)

    play(scripted(b"HTTP/1.1 304 X\r\n\r\n"), scene)


def test_same_bytes_are_not_modified(play: Any, reply: Any) -> None:
    """A 200 with the bytes seen last time is not modified, whatever its ETag says; other bytes are."""
    same, other = (Validators('"old"', digest=hashlib.sha256(body).digest()) for body in (b"body", b"older"))

    async def scene(door: Door, server: Any) -> None:
        request = Request(server.url())
        got = await door.fetch(request, same)
        assert (got.status, got.not_modified, got.body) == (200, True, b"body")
        assert not (await door.fetch(request, other)).not_modified
        assert not (await door.fetch(request, Validators('"old"'))).not_modified

    play(scripted(reply(200, b"body", ETag='"new"')), scene)


def redirecting(targets: dict[str, str], good: bytes, status: int = 302) -> Any:
    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        if path in targets:
            location = targets[path]
            writer.write(f"HTTP/1.1 {status} X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode("latin-1"))
        else:
            writer.write(good)

    return handler


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect(play: Any, reply: Any, clock: Any, status: int) -> None:
    """A redirect is followed in its own turn, and the reply tells where it came from."""

    async def scene(door: Door, server: Any) -> None:
        got = await door.fetch(Request(server.url("/a"), headers=(("X-Mine", "1"),)))
        assert (got.url, got.body) == (server.url("/c?d"), b"good")
        assert (server.paths, clock.time) == (["/a", "/b", "/c?d"], 1004.0)
        assert server.headers[2]["x-mine"] == "1"

    play(redirecting({"/a": "b", "/b": "/x/../c?d#e"}, reply(200, b"good"), status), scene, gap=2.0)


def test_redirect_to_another_host(play: Any, reply: Any, clock: Any) -> None:
    """Another host is asked on its own lane, and gets none of the headers meant for the first."""

    async def scene(door: Door, server: Any) -> None:
        targets["/a"] = server.url("/b", host="127.0.0.2")
        await door.lanes["127.0.0.2"].close("busy")
        request = Request(server.url("/a"), lane="mine", headers=(("X-Mine", "1"),))
        with pytest.raises(LaneClosed, match=r"lane 127\.0\.0\.2"):
            await door.fetch(request)
        targets["/a"] = server.url("/b", host="localhost")
        await door.lanes["localhost"].close("busy")
        with pytest.raises(LaneClosed, match="lane localhost"):
            await door.fetch(request)

    targets: dict[str, str] = {}
    play(redirecting(targets, reply(200, b"good")), scene)


def test_headers_stay_with_their_host(play: Any, reply: Any) -> None:
    """Headers of the request, and validators, do not follow a redirect to another name."""

    async def scene(door: Door, server: Any) -> None:
        targets["/a"] = server.url("/b", host="other.test")
        request = Request(server.url("/a", host="registry.test"), accept="x/y", headers=(("Authorization", "secret"),))
        assert (await door.fetch(request, Validators('"e"'))).body == b"good"
        first, second = server.headers
        assert (first["authorization"], first["if-none-match"]) == ("secret", '"e"')
        assert not {"authorization", "if-none-match"} & set(second)
        assert (second["accept"], second["host"]) == ("x/y", f"other.test:{server.port}")
        assert sorted(door.traffic) == ["other.test", "registry.test"]

    targets: dict[str, str] = {}
    play(redirecting(targets, reply(200, b"good")), scene, lookup=lambda host: ["127.0.0.1"])


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/a", "redirect loop"),
        ("/b", "redirect loop"),
        ("http://169.254.169.254/latest/", "metadata"),
        ("http://10.0.0.1/", "private"),
        ("http://[::1]/", "not global unicast"),
        ("//2130706433@10.0.0.1/", "user information in the URL"),
        ("file:///etc/passwd", "scheme is not http or https"),
        ("/a b", "redirect target: blank or control character"),
        ("http://127.0.0.1\\@example.com/", "redirect target: backslash"),
        ("http://[x/", "redirect target is not a valid URL"),
    ],
)
def test_bad_redirects(play: Any, reply: Any, target: str, reason: str) -> None:
    """Every hop is judged anew: a loop or a refused target ends the fetch."""
    error, _ = caught_by(play, redirecting({"/a": "/b", "/b": target}, reply()), get("/a"), Refused)
    assert error.reason.startswith(reason)


@pytest.mark.parametrize(("hops", "is_fine"), [(5, True), (6, False)])
def test_redirect_count(play: Any, reply: Any, hops: int, is_fine: bool) -> None:
    """Five redirects are followed, the sixth is not."""
    handler = redirecting({f"/{index}": f"/{index + 1}" for index in range(hops)}, reply(200, b"good"))
    if is_fine:
        assert play(handler, get("/0")).body == b"good"
    else:
        error, counts = caught_by(play, handler, get("/0"), Refused)
        assert (error.reason, counts["count"]) == ("more than 5 redirects", 6)


def test_redirects_share_the_time_limit(play: Any, reply: Any, clock: Any) -> None:
    """Hops do not each get the whole time, and waiting for a turn costs none of it."""
    slow = redirecting({"/a": "/b", "/b": "/c"}, reply(200, b"good"))

    async def handler(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        clock.time += 25.0
        await slow(path, headers, writer)

    assert play(handler, get("/a", timeout=60.0), gap=500.0).status == 200
    error, _ = caught_by(play, handler, get("/a", timeout=40.0), Unavailable)
    assert error.reason == "timed out"


def test_redirect_without_target(play: Any, reply: Any) -> None:
    """A redirect status without a Location is a reply like any other."""
    assert play(scripted(reply(302, b"x")), get()).status == 302


def test_waiting_is_visible(play: Any, reply: Any, clock: Any) -> None:
    """Whoever draws a progress line sees which lane waits, and how long."""
    seen: list[Any] = []

    async def scene(door: Door, server: Any) -> None:
        async def look() -> None:
            while not door.waiting or not door.waiting[0].is_cooling:  # noqa: ASYNC110 - the clock jumps by turns of the loop
                await asyncio.sleep(0)
            seen.extend(door.waiting)

        await asyncio.gather(door.fetch(Request(server.url(), lane="api")), look())
        assert door.waiting == ()

    play(scripted(reply(429, Retry_After="100"), reply()), scene)
    assert [(one.lane, one.queued, one.is_cooling) for one in seen] == [("api", 1, True)]
    assert 0 < seen[0].seconds <= 100


def test_one_log_line_an_exchange(play: Any, reply: Any) -> None:
    """Every exchange leaves one line with where, how and how much, and never a body."""
    structlog.reset_defaults()

    async def scene(door: Door, server: Any) -> list[Any]:
        with capture_logs() as lines:
            await door.fetch(Request(server.url("/secret"), lane="api"))
        return lines

    lines = play(scripted(reply(429), reply(200, b"body")), scene)
    assert [line["event"] for line in lines] == ["request", "request"]
    assert [(line["status"], line["verdict"], line["bytes"]) for line in lines] == [
        (429, "throttled", 0),
        (200, "ok", 4),
    ]
    assert set(lines[0]) == {"event", "lane", "host", "status", "bytes", "ms", "verdict", "log_level"}
    assert "body" not in str(lines)


def test_not_open(clock: Any) -> None:
    """A door that was not entered says so."""
    door = Door(Guard(LOOPBACK), Lanes(clock), "stook/test", clock)
    with pytest.raises(RuntimeError, match="not open"):
        asyncio.run(door.fetch(Request("http://127.0.0.1/")))
