"""Keeping pages of the feed: new events become rows, and what is known is hardly touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from stook.engine.ledger import Transaction, event_id
from stook.engine.ledger.schema import STATUS
from stook.engine.ledger.types import read_moment
from stook.engine.words import Written
from stook.registries.golang.feed import LONGEST_PATH, LONGEST_VERSION, Entry
from stook.registries.golang.queues import FEED
from stook.registries.golang.records import FeedPage
from stook.registries.golang.tables import GO_LIST
from stook.registries.golang.times import moment

__all__ = ["keep_feed_pages"]

COLUMNS = (
    "ID PROCESSED DUE_AT LAST_ERROR TIMESTAMP TIMESTAMP_RAW CREATED LAST_UPDATED INDEX_PATH INDEX_VERSION FEED SOURCE"
).split()
ENDED_IN_NOTHING = (5, 39)
LONGEST_RAW = 64
SAMPLE = 64  # events that are looked for first
OPEN = "PROCESSED IN (5, 39) OR TIMESTAMP IS NULL"  # what a page may still touch


@dataclass(frozen=True, slots=True)
class _Known:
    """A row of the list, as far as a page may touch it."""

    processed: int
    timestamp: datetime | None


CLOSED = _Known(1, datetime.max)
Announced = Sequence[tuple[bytes, Entry]]  # in the order of the feed; an event may come twice


def keep_feed_pages(transaction: Transaction, pages: Sequence[FeedPage], now: datetime) -> Written:
    """New events become rows; one announced again, later than before, is revived if it had ended in nothing."""
    written: Counter[str] = Counter()
    unchanged: Counter[str] = Counter()
    rejected: list[tuple[str, str]] = []
    for feed in dict.fromkeys(page.feed for page in pages):
        some = [page for page in pages if page.feed == feed]
        entries = chain.from_iterable((*page.fresh, *map(_nameable, page.junk)) for page in some)
        announced = [(event_id(entry.path, entry.version), entry) for entry in entries]
        rows = dict(reversed(announced))  # of an event that comes twice the first counts
        known = _add(transaction, feed, rows, now)
        touched = _touch(transaction, feed, announced, known, now) if known else 0
        rejected += [
            (f"{one.path}@{one.version}", one.problem) for key, one in rows.items() if one.problem and key not in known
        ]
        for page in some:
            rejected += _record_gap(transaction, page, now)
        written["list"] += len(rows) - len(known) + touched
        unchanged["list"] += len(known) - touched
    return Written(written, unchanged, rejected)


def _nameable(entry: Entry) -> Entry:
    """Junk is kept aside under names that every engine can hold."""
    path, version = quote(entry.path, safe="/~@:+!"), quote(entry.version, safe="+~!")
    return Entry(path[:LONGEST_PATH], version[:LONGEST_VERSION], entry.time, entry.raw, entry.problem)


def _add(transaction: Transaction, feed: str, rows: Mapping[bytes, Entry], now: datetime) -> Mapping[bytes, _Known]:
    """Make rows of what is new; returns what was known. A walk meets either nothing known or hardly anything else."""
    ids = sorted(rows)  # the order of all announcers, so that they seldom block each other
    if not _known_events(transaction, ids[:: len(ids) // SAMPLE + 1]):
        fresh = _rows(transaction, feed, ids, rows, now)
        if transaction.insert_fresh(GO_LIST, COLUMNS, fresh):
            return {}
    known = _known_events(transaction, ids)
    missing = [one for one in ids if one not in known]
    transaction.insert_missing(GO_LIST, COLUMNS, list(_rows(transaction, feed, missing, rows, now)))
    return known


def _known_events(transaction: Transaction, ids: Sequence[bytes]) -> dict[bytes, _Known]:
    """Which events are rows already: looking first makes a second walk cheap everywhere."""
    rows = transaction.with_ids(GO_LIST, (f"CASE WHEN {OPEN} THEN PROCESSED END", "TIMESTAMP"), ids)
    return {identity: CLOSED if code is None else _Known(code, read_moment(time)) for identity, code, time in rows}


def _rows(
    transaction: Transaction, feed: str, ids: Sequence[bytes], entries: Mapping[bytes, Entry], now: datetime
) -> Iterator[tuple[Any, ...]]:
    at = transaction.moment(now)
    for identity in ids:
        one = entries[identity]
        time, raw = transaction.moment(moment(one.time)), one.raw[:LONGEST_RAW]
        if one.problem:
            yield identity, 3, None, one.problem[:500], time, raw, at, at, one.path, one.version, feed, "index"
        else:
            yield identity, 0, at, None, time, raw, at, at, one.path, one.version, feed, "index"


def _touch(
    transaction: Transaction, feed: str, announced: Announced, known: Mapping[bytes, _Known], now: datetime
) -> int:
    """Revive what ended in nothing and is announced again, and date what others announced; returns how many."""
    revived: dict[bytes, dict[str, Any]] = {}
    dated: dict[bytes, dict[str, Any]] = {}
    for identity, entry in announced:
        row = known.get(identity, CLOSED)
        if row is CLOSED or entry.problem or identity in revived or identity in dated:
            continue
        time = moment(entry.time)
        told = {"b_id": identity, "b_time": time, "b_raw": entry.raw[:LONGEST_RAW], "b_feed": feed}
        if row.processed in ENDED_IN_NOTHING and (row.timestamp is None or time > row.timestamp):
            revived[identity] = told | {"b_now": now}
        elif row.timestamp is None:
            dated[identity] = told
    table = GO_LIST
    values: dict[str, Any] = {"TIMESTAMP": sa.bindparam("b_time"), "TIMESTAMP_RAW": sa.bindparam("b_raw")}
    values["FEED"] = sa.func.coalesce(table.c["FEED"], sa.bindparam("b_feed"))
    same = table.c["ID"] == sa.bindparam("b_id")
    # Whatever happened to the row since we looked: what a worker holds stays as it is.
    ended = sa.or_(*(table.c["PROCESSED"] == code for code in ENDED_IN_NOTHING))
    anew: dict[str, Any] = {"PROCESSED": 0, "ATTEMPTS": 0, "LAST_STATUS": None, "DUE_AT": sa.bindparam("b_now")}
    transaction.update(table, values | anew, same & ended, [revived[one] for one in sorted(revived)])
    transaction.update(table, values, same, [dated[one] for one in sorted(dated)])
    return len(revived) + len(dated)


def _record_gap(transaction: Transaction, page: FeedPage, now: datetime) -> Iterable[tuple[str, str]]:
    if page.gap is None:
        return ()
    shown = f'{{"shown":{page.gap.shown}}}'
    row = (f"{FEED.name}:{page.feed}:gap:{page.gap.raw}", page.gap.raw, shown, transaction.moment(now))
    transaction.upsert(STATUS, ["TYPE", "CURSOR", "BOUNDARY", "UPDATED"], [row], ["BOUNDARY", "UPDATED"])
    return [(f"{page.feed} feed at {page.gap.raw}", f"more than {page.gap.shown} events share this moment")]
