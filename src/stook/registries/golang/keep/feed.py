"""Keeping pages of the feed: new events become rows, and what is known is hardly touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from urllib.parse import quote

from stook.engine.ledger import Transaction, event_id
from stook.engine.ledger.feeds import GAP
from stook.engine.ledger.queue.bulk import FeedEvent, announce_in_bulk
from stook.engine.ledger.schema import STATUS
from stook.engine.words import Written
from stook.registries.golang.feed import LONGEST_PATH, LONGEST_VERSION, Entry
from stook.registries.golang.queues import FEED, VERSIONS
from stook.registries.golang.records import FeedPage
from stook.registries.golang.times import moment

__all__ = ["keep_feed_pages"]

LONGEST_RAW = 64


def keep_feed_pages(transaction: Transaction, pages: Sequence[FeedPage], now: datetime) -> Written:
    """New events become rows; one announced again, later than before, is revived if it had ended in nothing."""
    written: Counter[str] = Counter()
    unchanged: Counter[str] = Counter()
    rejected: list[tuple[str, str]] = []
    for feed in dict.fromkeys(page.feed for page in pages):
        same = [page for page in pages if page.feed == feed]
        entries = list(_entries(same))
        constants = {"FEED": feed, "SOURCE": "index"}
        receipt = announce_in_bulk(transaction, VERSIONS, entries, _event, constants, now)
        junk = {identity: entry for identity, entry in entries if entry.problem and identity not in receipt.known}
        rejected += [(f"{entry.path}@{entry.version}", entry.problem) for entry in junk.values()]
        for page in same:
            rejected += _record_gap(transaction, page, now)
        written["list"] += receipt.events - len(receipt.known) + receipt.changed
        unchanged["list"] += len(receipt.known) - receipt.changed
    return Written(written, unchanged, rejected)


def _entries(pages: Iterable[FeedPage]) -> Iterator[tuple[bytes, Entry]]:
    """The entries of the pages, in order, with the ids of their events."""
    for page in pages:
        for entry in (*page.fresh, *map(_nameable, page.junk)):
            yield event_id(entry.path, entry.version), entry


def _event(entry: Entry) -> FeedEvent:
    return FeedEvent(entry.path, entry.version, moment(entry.time), entry.raw[:LONGEST_RAW], entry.problem)


def _nameable(entry: Entry) -> Entry:
    """Junk is kept aside under names that every engine can hold."""
    path, version = quote(entry.path, safe="/~@:+!"), quote(entry.version, safe="+~!")
    return Entry(path[:LONGEST_PATH], version[:LONGEST_VERSION], entry.time, entry.raw, entry.problem)


def _record_gap(transaction: Transaction, page: FeedPage, now: datetime) -> Iterable[tuple[str, str]]:
    if page.gap is None:
        return ()
    shown = f'{{"shown":{page.gap.shown}}}'
    row = (f"{FEED.name}:{page.feed}{GAP}{page.gap.raw}", page.gap.raw, shown, transaction.moment(now))
    transaction.upsert(STATUS, ["TYPE", "CURSOR", "BOUNDARY", "UPDATED"], [row], ["BOUNDARY", "UPDATED"])
    return [(f"{page.feed} feed at {page.gap.raw}", f"more than {page.gap.shown} events share this moment")]
