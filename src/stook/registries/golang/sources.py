"""The Go registry's three sources: the index tells what was published, the proxy what exists, pkg.go.dev enriches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import sqlalchemy as sa

from stook.engine.decoding import DECODE_ERRORS, storable
from stook.engine.errors import FailureCode, Malformed, Refused, StookError, Unavailable
from stook.engine.ledger import Transaction
from stook.engine.offload import off_loop
from stook.engine.words import Code, Cursor, Event, Found, Look, Outcome, Part, Reply, Request, Visit, Written
from stook.registries.golang.feed import PAGE_BYTES, PAGE_LIMIT, Boundary, Entry, Step, advance, parse_page
from stook.registries.golang.keep import keep_feed_pages, keep_modules, keep_pages
from stook.registries.golang.keep.rows import other_module, stored_alive
from stook.registries.golang.proxy.proxy import Asking, Proxy
from stook.registries.golang.queues import FEED, FEED_LANE, MODULE, PAGE, PAGE_LANE, VERSIONS
from stook.registries.golang.records import FeedPage, GoPage
from stook.registries.golang.times import datetime_nanoseconds, moment, nanoseconds, rfc3339
from stook.registries.golang.visit import STORED, ModuleVisit
from stook.registries.vanishing import Vanishing

__all__ = ["GoFeed", "GoModules", "GoPages", "read_page"]

POLL_EVERY = 60.0  # seconds between two looks at a feed that was read to its end
OVERLAP = 600 * 10**9  # nanoseconds before its end that are read again at each look
OVERLAP_PAGES = 5
SKEW = 300 * 10**9  # nanoseconds that the index's clock may be ahead of ours
ANSWER_BYTES = 8 << 20  # of the site's answer, which has the texts of the licences
MOST_LICENCES, LONGEST_LICENCE = 200, 200  # types, and characters of each
TRIES = 3  # of a page with a line that cannot be read; then the line is kept aside, and the feed goes on


@dataclass(frozen=True, slots=True)
class GoFeed:
    """The module index. An event is a range of a feed: its name says which feed, its facts where the range ends.

    A visit reads up to `pages` pages. The first is kept at once with the cursor, then twice as many together each
    time, up to `step`: so a worker that does not live long gets on, too. A range goes on from where the last of those
    ended. `limit` is the size of a page, as asked for.
    """

    index_url: str
    limit: int = PAGE_LIMIT
    pages: int = 60
    step: int = 20
    tasks: int = 2
    batch: int = 2
    name: str = "Go index"
    queues: tuple[str, ...] = (FEED.name,)

    def visit(self, events: Sequence[Event]) -> Visit:
        event = events[0]
        feed, boundary, until = event.name.partition("/")[0], _boundary(event), event.facts.get("until")
        cursor = event.facts.get("cursor")
        is_begun = bool(cursor and cursor.value)
        is_last = is_over = False
        records: list[FeedPage] = []
        read, together = 0, 1  # pages, and how many are kept next
        while not is_last and not is_over and read < self.pages:
            if len(records) >= together:
                yield Part(records, cursor=_cursor(event, boundary, is_over=False))
                records, together = [], min(2 * together, self.step)
            try:
                page, horizon = yield from self._page(feed, boundary.raw, is_tolerant=event.attempts >= TRIES)
                step = advance(boundary, page, self.limit, horizon)
                late: list[Entry] = []
                if step.is_last and until is None and is_begun:
                    late = yield from self._late(feed, boundary)
            except StookError:
                if not read:
                    raise
                break  # what was read before it counts; the next visit meets the trouble itself
            read += 1
            records.append(FeedPage(feed, step.fresh, step.junk, step.gap))
            if late:
                good, junk = ([one for one in late if bool(one.problem) is bad] for bad in (False, True))
                records.append(FeedPage(feed, good, junk))
            boundary, is_begun, is_last = step.boundary, True, step.is_last
            is_over = until is not None and (is_last or _reached(page, step) > nanoseconds(until))
        found = _outcome(is_last=is_last, is_over=is_over)
        return Found(found, records=records, cursor=_cursor(event, boundary, is_over=is_over))

    def keep(self, transaction: Transaction, records: Sequence[FeedPage], now: datetime) -> Written:
        return keep_feed_pages(transaction, records, now)

    def _page(self, feed: str, since: str, *, is_tolerant: bool = False) -> Asking[tuple[list[Entry], int | None]]:
        """One page of entries, and the moment behind which an entry lies in the future.

        No rung of the ladder for a feed: it must not be given up for a line or a page that is mended tomorrow.
        """
        query: dict[str, str] = {"since": since} if since else {}
        query |= {"include": "all"} if feed == "all" else {}
        query |= {"limit": str(self.limit)}
        url = f"{self.index_url}/index?{urlencode(query, quote_via=quote)}"
        try:
            reply = yield Request(url, lane=FEED_LANE, accept="application/json", max_bytes=PAGE_BYTES)
        except Refused as error:
            if error.code is FailureCode.ADDRESS_REFUSED:
                raise
            raise Unavailable(error.reason, error.code, status=error.status) from None
        if reply.status != 200:
            raise Unavailable(f"the index answered HTTP {reply.status}", status=reply.status)
        try:
            return parse_page(reply.body, is_tolerant=is_tolerant), _horizon(reply)
        except Malformed as error:
            raise Unavailable(error.reason, error.code, status=200) from None

    def _late(self, feed: str, boundary: Boundary) -> Asking[list[Entry]]:
        """Events of the last minutes before the boundary once more: nothing promises that none is shown late."""
        late: list[Entry] = []
        since = max(boundary.time - OVERLAP, 0)
        for _ in range(OVERLAP_PAGES):
            page, _ = yield from self._page(feed, rfc3339(since))
            late += [one for one in page if one.time < boundary.time]
            if not page or not since < page[-1].time < boundary.time:
                break
            since = page[-1].time
        return late


def _boundary(event: Event) -> Boundary:
    """Where the range was left; its first page begins at `since`, or at the beginning of time."""
    cursor = event.facts.get("cursor")
    if cursor is None or not cursor.value:
        return Boundary.unpacked(event.facts.get("since") or "")
    return Boundary.unpacked(cursor.value, cursor.boundary or ())


def _horizon(reply: Reply) -> int | None:
    return datetime_nanoseconds(reply.received_at) + SKEW if reply.received_at else None


def _reached(page: list[Entry], step: Step) -> int:
    return max(page[-1].time, step.boundary.time) if page else 0


def _outcome(*, is_last: bool, is_over: bool) -> Outcome:
    """A range that goes on is pending; a page that was kept ends whatever was asked or went wrong before it."""
    if is_over:
        return Outcome(Code.COMPLETE, status=200)
    delay = POLL_EVERY if is_last else 0.0
    return Outcome(Code.PENDING, delay=delay, status=200, is_deferred=True, is_afresh=True)


def _cursor(event: Event, boundary: Boundary, *, is_over: bool) -> Cursor:
    """A window that was walked to its end is walked from its beginning the next time."""
    key = FEED.cursor_key(event.name)
    if is_over and "/window/" in event.name:
        return Cursor(key, "", [])
    return Cursor(key, boundary.raw, boundary.packed())


@dataclass(frozen=True, slots=True)
class GoModules:
    """The module proxy: all due events of one module in one visit, so that its versions never fight."""

    proxy_url: str
    cached_only: bool
    tasks: int
    batch: int
    name: str = "Go proxy"
    queues: tuple[str, ...] = (MODULE.name, VERSIONS.name)
    vanishing: Vanishing = field(default_factory=Vanishing, compare=False)

    def visit(self, events: Sequence[Event]) -> Visit:
        self.vanishing.looked += 1
        proxy = Proxy(self.proxy_url, self.cached_only)
        return ModuleVisit(proxy, events[0].name, events, vanishing=self.vanishing).run()

    def look(self, connection: sa.Connection | None, look: Look) -> Any:
        """The versions of a module that are stored and alive, or the path of another module that has some."""
        if connection is None:
            return None
        return stored_alive(connection, look.key) if look.subject == STORED else other_module(connection, look.key)

    def keep(self, transaction: Transaction, records: Sequence[Any], now: datetime) -> Written:
        return keep_modules(transaction, records, now)


class _License(msgspec.Struct):
    types: list[str] = []


class _Page(msgspec.Struct, rename="camel"):
    path: str = ""
    version: str = ""
    commit_time: str | None = None
    repo_url: str | None = None
    licenses: list[_License] | None = None


@dataclass(frozen=True, slots=True)
class GoPages:
    """pkg.go.dev's API: licences as types, repository, commit time. Its 404 says nothing about existence."""

    pkgsite_url: str
    tasks: int = 4
    batch: int = 100
    name: str = "pkg.go.dev"
    queues: tuple[str, ...] = (PAGE.name,)

    def visit(self, events: Sequence[Event]) -> Visit:
        path, _, version = events[0].name.partition("@")
        query = urlencode({"version": version, "licenses": "true"})
        url = f"{self.pkgsite_url}/v1/module/{quote(path)}?{query}"
        reply = yield Request(
            url, lane=PAGE_LANE, accept="application/json", closes_on=frozenset({403}), max_bytes=ANSWER_BYTES
        )
        if reply.status in (400, 404, 410):
            # The site lags by minutes to days (golang/go#46527): asked again after hours, then days.
            reason, failure = "pkg.go.dev does not show this version yet", FailureCode.NOT_FOUND
            return Found(Outcome(Code.FAILED, reason, reply.status, is_deferred=True, failure=failure))
        if reply.status != 200:
            raise Unavailable(f"pkg.go.dev answered HTTP {reply.status}", status=reply.status)
        page = yield from off_loop(read_page, path, version, reply.body, size=len(reply.body))
        return Found(Outcome(Code.COMPLETE, status=200), records=[page] if page else ())

    def keep(self, transaction: Transaction, records: Sequence[GoPage], now: datetime) -> Written:
        return keep_pages(transaction, records, now)


def read_page(path: str, version: str, body: bytes) -> GoPage | None:
    """The facts, where the answer is about the version asked for."""
    try:
        page = msgspec.json.decode(storable(body), type=_Page)
    except DECODE_ERRORS as error:
        raise Malformed(f"unreadable answer of pkg.go.dev: {str(error)[:200]}") from None
    if (page.path, page.version) != (path, version):
        return None
    types = sorted({kind for one in page.licenses or () for kind in one.types})
    if len(types) > MOST_LICENCES or any(len(kind) > LONGEST_LICENCE for kind in types):
        raise Malformed("pkg.go.dev tells more licences, or longer names of them, than are kept", FailureCode.TOO_LARGE)
    scm = msgspec.json.encode({"type": "git", "url": page.repo_url}).decode() if page.repo_url else None
    committed = moment(nanoseconds(page.commit_time)) if page.commit_time else None
    return GoPage(path, version, types, scm, committed)
