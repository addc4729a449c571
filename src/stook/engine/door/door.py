"""The one way out: guard, lane, transport, reply."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

import structlog
from ada_url import join_url

from stook.engine.clock import Clock
from stook.engine.door.guard.guard import Guard, Verdict, text_fault
from stook.engine.door.guard.resolver import Lookup, lookup_system
from stook.engine.door.lane.governor import retry_after
from stook.engine.door.lane.lane import Lane, Waiting
from stook.engine.door.lane.lanes import Lanes
from stook.engine.door.lane.state import Ticket
from stook.engine.door.traffic import Ending, Traffic
from stook.engine.door.transport import CONNECT_SECONDS, READ_SECONDS, Answer, Disconnected, Transport
from stook.engine.door.validators import Validators, conditional_headers, digest_of
from stook.engine.errors import FailureCode, LaneClosed, Malformed, Refused, StookError, Unavailable
from stook.engine.words import Reply, Request

__all__ = ["Door"]

MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(slots=True)
class _Hop:
    """Where a fetch stands: the judged target, its lane, and what is left of the time limit in seconds."""

    verdict: Verdict
    lane: Lane
    headers: dict[str, str]
    seconds: float
    seen: set[str] = field(default_factory=set)


class Door:
    """Fetches for everybody; use as an async context manager.

    `tls` replaces the system's trust (tests, inside mirrors); `lookup` replaces its resolver.
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
    ) -> None:
        self._guard = guard
        self.lanes = lanes
        self._user_agent = user_agent
        self._clock = clock
        self._lookup = lookup
        self._tls = tls
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._traffic = Traffic()
        self._log = structlog.get_logger("stook.door").bind()
        self._transport: Transport | None = None

    async def __aenter__(self) -> Self:
        self._transport = Transport(
            self._guard,
            self._user_agent,
            lookup=self._lookup,
            tls=self._tls,
            connect_seconds=self._connect_seconds,
            read_seconds=self._read_seconds,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    @property
    def traffic(self) -> dict[str, dict[str, int]]:
        """Requests by host: count, not_modified, throttled, failed, bytes."""
        return self._traffic.by_host()

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Lanes that requests wait on at this moment, for a progress line."""
        return self.lanes.waiting

    async def fetch(self, request: Request, validators: Validators | None = None) -> Reply:
        """Get one URL; a throttled request is sent again in its next turn until the lane gives up.

        Raises Refused (guard, redirect, size, encoding), LaneClosed, Unavailable (5xx, timeout, connection,
        truncated) or Malformed (content type, broken gzip).
        """
        hop = self._first_hop(request, validators)
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._answer(hop, request)
            location = answer.headers.get("location", "") if answer.status in _REDIRECTS else ""
            if not location:
                return replace(_reply(hop.verdict.url, answer, validators), received_at=self._clock.now())
            hop = self._next_hop(hop, request, location)
        raise Refused(f"more than {MAX_REDIRECTS} redirects", FailureCode.REDIRECT)

    def _first_hop(self, request: Request, validators: Validators | None) -> _Hop:
        verdict = self._admit(request.url)
        headers = {"Accept": request.accept, **dict(request.headers)}
        if validators is not None:
            headers |= conditional_headers(validators)
        lane = self.lanes[request.lane or verdict.host]
        return _Hop(verdict, lane, headers, request.timeout, {verdict.url})

    def _next_hop(self, hop: _Hop, request: Request, location: str) -> _Hop:
        """Judge where a redirect points; another host gets its own lane, and none of the headers meant for this one."""
        verdict = self._admit(_joined(hop.verdict.url, location))
        if hop.verdict.url.startswith("https:") and not verdict.url.startswith("https:"):
            raise Refused("redirect from https to http", FailureCode.REDIRECT)
        if verdict.url in hop.seen:
            raise Refused("redirect loop", FailureCode.REDIRECT)
        seen = hop.seen | {verdict.url}
        if verdict.host == hop.verdict.host:
            return _Hop(verdict, hop.lane, hop.headers, hop.seconds, seen)
        return _Hop(verdict, self.lanes[verdict.host], {"Accept": request.accept}, hop.seconds, seen)

    def _admit(self, url: str) -> Verdict:
        verdict = self._guard.judge_url(url)
        if not verdict.allowed:
            raise Refused(f"{verdict.reason}: {url[:120]!r}", verdict.code)
        return verdict

    async def _answer(self, hop: _Hop, request: Request) -> Answer:
        """Exchange until the answer is neither a throttle nor a connection that died while idle."""
        may_reconnect = True
        while True:
            ticket = await hop.lane.turn()
            try:
                answer = await self._exchange(hop, request)
            except Disconnected:
                if not may_reconnect:
                    raise
                may_reconnect = False
                continue
            if await self._settle(hop.lane, ticket, request, answer):
                return answer
            hop.seconds = request.timeout

    async def _settle(self, lane: Lane, ticket: Ticket, request: Request, answer: Answer) -> bool:
        """Tell the lane how it went; false asks for another try."""
        status = answer.status
        if status in request.closes_on:
            await lane.close(f"HTTP {status}")
            raise LaneClosed(lane.name, f"HTTP {status}", status=status)
        if _is_throttle(answer):
            await lane.throttled(ticket, retry_after(answer.headers.get("retry-after", ""), self._clock.now()))
            return False
        if status >= 500:
            raise Unavailable(f"HTTP {status}", status=status)
        await lane.succeeded(ticket)
        return True

    async def _exchange(self, hop: _Hop, request: Request) -> Answer:
        """One exchange, timed, counted and logged however it ends."""
        if self._transport is None:
            raise RuntimeError("the door is not open: use it as an async context manager")
        started = self._clock.monotonic()
        answer: Answer | None = None
        ending: Ending = "cancelled"
        status: int | None = None
        try:
            answer = await self._transport.exchange(hop.verdict, request, hop.headers, hop.seconds)
            ending, status = _ending(answer, request), answer.status
            return answer
        except StookError as error:
            ending, status = _failure(error), error.status
            raise
        finally:
            elapsed = self._clock.monotonic() - started
            hop.seconds = max(hop.seconds - elapsed, 0.0)
            received = answer.received if answer is not None else 0
            host = hop.verdict.host
            self._traffic.add(host, ending, received)
            ms = round(elapsed * 1000, 1)
            self._log.debug(
                "request", lane=hop.lane.name, host=host, status=status, bytes=received, ms=ms, verdict=ending
            )


def _joined(base: str, location: str) -> str:
    """A redirect's target; the raw text is judged first, as joining would wash a trick away."""
    if fault := text_fault(location):
        raise Refused(f"redirect target: {fault}", FailureCode.REDIRECT)
    try:
        return join_url(base, location)
    except ValueError:
        raise Refused("redirect target is not a valid URL", FailureCode.REDIRECT) from None


def _is_throttle(answer: Answer) -> bool:
    return answer.status == 429 or (answer.status == 503 and "retry-after" in answer.headers)


def _ending(answer: Answer, request: Request) -> Ending:
    if answer.status in request.closes_on:
        return "closed"
    if _is_throttle(answer):
        return "throttled"
    if answer.status >= 500:
        return "unavailable"
    if answer.status == 304:
        return "not modified"
    return "redirect" if answer.status in _REDIRECTS else "ok"


def _failure(error: StookError) -> Ending:
    if isinstance(error, Refused):
        return "refused"
    return "malformed" if isinstance(error, Malformed) else "unavailable"


def _reply(url: str, answer: Answer, validators: Validators | None) -> Reply:
    # A cache that answers 304 to a request without conditions says nothing about what we have.
    is_same = answer.status == 304 and validators is not None and bool(conditional_headers(validators))
    if answer.status == 200 and validators is not None and validators.digest:
        is_same = digest_of(answer.body) == validators.digest
    return Reply(url, answer.status, answer.body, answer.headers, is_same)
