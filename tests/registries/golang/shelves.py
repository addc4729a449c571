"""A shelf for Go: the tables on any engine, filled by keeping records, or by working on scripted replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from stook.engine.ledger import Ledger, VisitResult, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.words import Announcement, Event, Source, Written
from stook.registries.golang.feed import Entry
from stook.registries.golang.gomod.gomod import Retraction
from stook.registries.golang.latest import Latest
from stook.registries.golang.product import PRODUCT
from stook.registries.golang.queues import QUEUES
from stook.registries.golang.records import FeedPage, GoModule, GoPage, GoRelease
from stook.registries.golang.sources import GoFeed, GoModules, GoPages
from stook.registries.golang.tables import GO_LIST, GO_PRODUCT, GO_VERSION
from stook.registries.golang.times import nanoseconds
from stook.registries.store import HISTORY
from stook.testing import ManualClock, run_visit

from ..tables import Tables  # noqa: TID252

TABLES = {"list": GO_LIST, "version": GO_VERSION, "product": GO_PRODUCT, "history": HISTORY}
NOW = datetime(2026, 11, 1)


class GoShelf(Tables):
    """Keeps records as the loop does, one transaction each, an hour apart."""

    tables = TABLES
    order = ("PRODUCT_KEY", "INDEX_PATH", "INDEX_VERSION", "VERSION", "SEEN_AT", "KIND")

    def __init__(self, ledger: Ledger, clock: ManualClock) -> None:
        super().__init__(ledger, clock)
        self.feed = GoFeed("http://index.test")
        self.modules = GoModules("http://proxy.test", False, 4, 300)
        self.pages = GoPages("http://pages.test")

    def keep(self, *records: Any) -> Written:
        """Keep records of one source."""
        self.clock.advance(3600)
        source = {FeedPage: self.feed, GoPage: self.pages}.get(type(records[0]), self.modules)
        with self.ledger.transaction() as transaction:
            return source.keep(transaction, records, self.clock.now())

    def visit(self, source: Source, replies: Any) -> list[Event]:
        """Claim what is due for this source, visit it with these replies, and keep what was found."""
        events = [event for queue in source.queues for event in self.ledger.claim(queue, 300)]
        for name in dict.fromkeys(event.name for event in events):
            some = [event for event in events if event.name == name]
            found, _ = run_visit(source.visit(some), replies)
            self.ledger.keep([VisitResult(source, some, found)])
        return events

    def announce(self, *some: Announcement) -> None:
        self.ledger.announce(some)

    def history(self) -> list[tuple[str, str, str | None, str | None]]:
        """Kind, version, old and new of each entry, oldest first."""
        return [(row["KIND"], row["VERSION"], row["OLD"], row["NEW"]) for row in self.entries()]


@contextmanager
def open_go_shelf(url: str, *, is_new: bool = True) -> Iterator[GoShelf]:
    """A shelf on an empty database, or one more on the same."""
    clock = ManualClock(NOW - timedelta(hours=1), jumps=False)
    engine, dialect = connect(url)
    if is_new:
        migrate(engine, [ENGINE_MIGRATIONS, *PRODUCT.migrations])
    try:
        yield GoShelf(Ledger(engine, dialect, QUEUES, clock), clock)
    finally:
        engine.dispose()


def release(version: str = "v1.0.0", path: str = "example.com/m", **more: Any) -> GoRelease:
    """A version as the proxy has it."""
    origin = f'{{"VCS":"git","URL":"https://{path}"}}'
    scm = f'{{"type":"git","url":"https://{path}"}}'
    one = GoRelease(path, version, datetime(2024, 1, 2, 3, 4, 5), "1.22", True, f"h1:{version}", "[]", origin, scm)
    return replace(one, **more)


def module(version: str = "v1.0.0", path: str = "example.com/m", **more: Any) -> GoModule:
    """What holds for the module; `retract` is a list of (low, high, reason)."""
    retractions = tuple(Retraction(*one) for one in more.pop("retract", ()))
    raw = more.pop("raw", version)
    listed, moved_to = more.pop("listed", None), more.pop("moved_to", None)
    latest = Latest(version, raw, retractions=retractions, is_read=more.pop("is_read", True), **more)
    return GoModule(path, latest, listed, moved_to)


def entry(path: str, version: str, raw: str = "2024-01-01T00:00:00Z", problem: str = "") -> Entry:
    """A line of the index."""
    return Entry(path, version, nanoseconds(raw), raw, problem)


def feed_page(*entries: Entry, feed: str = "all", gap: Any = None) -> FeedPage:
    """A page, its junk apart."""
    fresh: Sequence[Entry] = [one for one in entries if not one.problem]
    return FeedPage(feed, fresh, [one for one in entries if one.problem], gap)
