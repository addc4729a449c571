"""The one way out: guard, lane, transport, reply."""

from __future__ import annotations

import ssl
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import structlog

from stook.engine.clock import Clock
from stook.engine.door.ending import Ending, ending_of, failure_of, is_throttle
from stook.engine.door.guard.guard import Guard, Verdict
from stook.engine.door.guard.resolver import Lookup, lookup_system
from stook.engine.door.lane import Lane, Lanes, Ticket, Waiting, retry_after
from stook.engine.door.network_errors import Disconnected
from stook.engine.door.redirects import REDIRECTS, Message, joined, redirected
from stook.engine.door.response import Answer
from stook.engine.door.tokens import Tokens
from stook.engine.door.traffic import Traffic
from stook.engine.door.transport import CONNECT_SECONDS, READ_SECONDS, Transport
from stook.engine.door.validators import Validators, conditional_headers, digest_of
from stook.engine.errors import FailureCode, LaneClosed, Refused, StookError, Unavailable
from stook.engine.words import Hop, Reply, Request

__all__ = ["Door"]

MAX_REDIRECTS = 5


@dataclass(slots=True)
class _Leg:
    """One URL on the way of a fetch: the judged target, its lane, what is sent, and the seconds left to do it."""

    verdict: Verdict
    lane: str
    message: Message
    seconds: float

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.verdict.url.partition(":")[0], self.verdict.host, self.verdict.port


class Door:
    """Fetches for everybody; use as an async context manager.

    `tls` replaces the system's trust (tests, inside mirrors); `lookup` replaces its resolver. `tokens` are values of
    the header Authorization by base URL: each goes with requests below its URL, and to no other origin by a redirect.
    Through an HTTP `proxy` the guard judges names and literal addresses; what a name resolves to is the proxy's affair.
    """

    def __init__(
        self,
        guard: Guard,
        lanes: Lanes,
        user_agent: str,
        clock: Clock,
        *,
        lookup: Lookup = lookup_system,
        tls: ssl.SSLContext | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
        tokens: Mapping[str, str] | None = None,
        proxy: str = "",
    ) -> None:
        self._guard = guard
        self._tokens = Tokens(guard, tokens or {})
        self._proxy = proxy
        self.lanes = lanes
        self._user_agent = user_agent
        self._clock = clock
        self._lookup = lookup
        self._tls = tls
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._traffic = Traffic()
        self._log = structlog.get_logger("stook.door").bind()
        self._open_transport: Transport | None = None

    async def __aenter__(self) -> Self:
        self._open_transport = Transport(
            self._guard,
            self._user_agent,
            lookup=self._lookup,
            tls=self._tls,
            connect_seconds=self._connect_seconds,
            read_seconds=self._read_seconds,
            proxy=self._proxy,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        transport, self._open_transport = self._open_transport, None
        if transport is not None:
            await transport.close()
        await self.lanes.close()

    @property
    def traffic(self) -> dict[str, dict[str, int]]:
        """Requests by host: count, not_modified, throttled, failed, bytes."""
        return self._traffic.by_host()

    @property
    def failures(self) -> Counter[FailureCode]:
        """How many exchanges failed, by code."""
        return self._traffic.failures

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Lanes that requests wait on at this moment, for a progress line."""
        return self.lanes.waiting

    async def fetch(self, request: Request, validators: Validators | None = None) -> Reply:
        """Send one request; a throttled one is sent again in its next turn until the lane gives up.

        Raises Refused (guard, redirect, size, encoding), LaneClosed, Unavailable (5xx, timeout, connection,
        truncated) or Malformed (content type, broken gzip), each with its FailureCode.
        """
        leg = await self._first_leg(request, validators)
        hops: list[Hop] = []
        seen = {(leg.message.method, leg.verdict.url)}
        while True:
            answer = await self._answer(leg, request)
            location = answer.headers.get("location", "") if answer.status in REDIRECTS else ""
            hops.append(Hop(leg.verdict.url, answer.status, _target(leg.verdict.url, location)))
            if not location or request.redirects == "return":
                return replace(_reply(answer, validators, tuple(hops)), received_at=self._clock.now())
            if len(hops) > MAX_REDIRECTS:
                raise Refused(f"more than {MAX_REDIRECTS} redirects", FailureCode.REDIRECT, status=answer.status)
            leg = self._next_leg(leg, answer.status, location)
            if (leg.message.method, leg.verdict.url) in seen:
                raise Refused("redirect loop", FailureCode.REDIRECT, status=answer.status)
            seen.add((leg.message.method, leg.verdict.url))

    @property
    def _transport(self) -> Transport:
        if self._open_transport is None:
            raise RuntimeError("the door is not open: use it as an async context manager")
        return self._open_transport

    async def _first_leg(self, request: Request, validators: Validators | None) -> _Leg:
        verdict = self._admit(request.url)
        headers = self._tokens.headers(verdict.url) | dict(request.headers)
        message = Message(request.method, request.accept, headers, request.body)
        if offset := await self._transport.resumable(request):
            etag = validators.etag if validators else ""
            # A weak ETag must not stand in If-Range: it does not promise equal bytes (RFC 9110, 13.1.5).
            message = replace(message, offset=offset, if_range="" if etag.startswith("W/") else etag)
        elif validators is not None:
            message = replace(message, headers={**message.headers, **conditional_headers(validators)})
        return _Leg(verdict, request.lane or verdict.host, message, request.timeout)

    def _next_leg(self, leg: _Leg, status: int, location: str) -> _Leg:
        """Judge where a redirect points; another host has its own lane."""
        verdict = self._admit(joined(leg.verdict.url, location, status), status)
        if leg.verdict.url.startswith("https:") and not verdict.url.startswith("https:"):
            raise Refused("redirect from https to http", FailureCode.REDIRECT, status=status)
        following = _Leg(verdict, leg.lane, leg.message, leg.seconds)
        following.message = redirected(leg.message, status, is_same_origin=following.origin == leg.origin)
        if verdict.host != leg.verdict.host:
            following.lane = verdict.host
        return following

    def _admit(self, url: str, status: int | None = None) -> Verdict:
        verdict = self._guard.judge_url(url)
        if not verdict.allowed:
            raise Refused(f"{verdict.reason}: {url[:120]!r}", verdict.code, status=status)
        return verdict

    async def _answer(self, leg: _Leg, request: Request) -> Answer:
        """Exchange until the answer is neither a throttle nor a connection that died while idle.

        A throttled message is sent again whatever its method: with 429 and with 503 and Retry-After the server says
        that it has not processed it (RFC 6585, 4; RFC 9110, 15.6.4). After a lost connection nobody knows that, so
        only a message that does no harm is sent again, once.
        """
        may_send_again = leg.message.is_repeatable
        while True:
            lane = self.lanes[leg.lane]
            ticket = await lane.turn()
            try:
                answer = await self._exchange(leg, request)
                if await self._settle(lane, ticket, request, answer):
                    return answer
                leg.seconds = request.timeout
            except Disconnected:
                if not may_send_again:
                    raise
                may_send_again = False
            finally:
                lane.leave()

    async def _settle(self, lane: Lane, ticket: Ticket, request: Request, answer: Answer) -> bool:
        """Report to the lane how it went; false asks for another try."""
        status = answer.status
        if status in request.closes_on:
            await lane.close(f"HTTP {status}")
            raise LaneClosed(lane.name, f"HTTP {status}", status=status)
        if is_throttle(answer):
            await lane.throttled(ticket, retry_after(answer.headers.get("retry-after", ""), self._clock.now()))
            return False
        if status >= 500:
            raise Unavailable(f"HTTP {status}", FailureCode.HTTP_STATUS, status=status)
        await lane.succeeded(ticket)
        return True

    async def _exchange(self, leg: _Leg, request: Request) -> Answer:
        """One exchange, timed, counted and logged however it ends; no header value and no body is logged."""
        transport = self._transport
        started = self._clock.monotonic()
        received, status, code = 0, None, None
        ending: Ending = "cancelled"
        try:
            answer = await transport.exchange(leg.verdict, leg.message, request, leg.seconds)
            received, ending, status = answer.received, ending_of(answer, request), answer.status
            code = FailureCode.HTTP_STATUS if ending == "unavailable" else None
            return answer
        except StookError as error:
            ending, status, code = failure_of(error), error.status, error.code
            raise
        finally:
            elapsed = self._clock.monotonic() - started
            leg.seconds = max(leg.seconds - elapsed, 0.0)
            host = leg.verdict.host
            self._traffic.add(host, ending, received, code)
            ms = round(elapsed * 1000, 1)
            self._log.debug("request", lane=leg.lane, host=host, status=status, bytes=received, ms=ms, verdict=ending)


def _target(url: str, location: str) -> str:
    """Where a redirect leads: a whole URL, or the text as sent where that is none."""
    try:
        return joined(url, location) if location else ""
    except Refused:
        return location


def _reply(answer: Answer, validators: Validators | None, hops: tuple[Hop, ...]) -> Reply:
    # A cache that answers 304 to a request without conditions says nothing about what we have.
    is_same = answer.status == 304 and validators is not None and bool(conditional_headers(validators))
    if answer.status == 200 and validators is not None and validators.digest:
        is_same = (answer.digest or digest_of(answer.body)) == validators.digest
    return Reply(
        hops[-1].url,
        answer.status,
        answer.body,
        answer.headers,
        is_same,
        hops,
        answer.path,
        answer.size,
        answer.digest,
    )
