"""Keeping pages of the feed: new events become rows, and what is known is hardly touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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
from stook.registries.golang.times import moment
from stook.registries.store import GO_LIST

__all__ = ["keep_feed_pages"]

COLUMNS = (
    "ID PROCESSED DUE_AT LAST_ERROR TIMESTAMP TIMESTAMP_RAW CREATED LAST_UPDATED INDEX_PATH INDEX_VERSION FEED SOURCE"
).split()
ENDED_IN_NOTHING = (5, 39)
LONGEST_RAW = 64
OPEN = "PROCESSED IN (5, 39) OR TIMESTAMP IS NULL"  # what a page may still touch


@dataclass(frozen=True, slots=True)
class _Known:
    """A row of the list, as far as a page may touch it."""

    processed: int
    timestamp: datetime | None


CLOSED = _Known(1, datetime.max)


def keep_feed_pages(transaction: Transaction, pages: Sequence[FeedPage], now: datetime) -> Written:
    """New events become rows; one announced again, later than before, is revived if it had ended in nothing."""
    written: Counter[str] = Counter()
    unchanged: Counter[str] = Counter()
    rejected: list[tuple[str, str]] = []
    for page in pages:
        rows = {event_id(entry.path, entry.version): entry for entry in page.fresh}
        junk = {event_id(entry.path, entry.version): entry for entry in map(_nameable, page.junk)}
        known = _known_events(transaction, [*rows, *junk])
        _insert(transaction, page.feed, {one: entry for one, entry in (rows | junk).items() if one not in known}, now)
        touched = _touch(transaction, page.feed, rows, known, now)
        rejected += [(f"{one.path}@{one.version}", one.problem) for key, one in junk.items() if key not in known]
        rejected += _record_gap(transaction, page, now)
        written["list"] += len(rows) + len(junk) - len(known) + touched
        unchanged["list"] += len(known) - touched
    return Written(written, unchanged, rejected)


def _nameable(entry: Entry) -> Entry:
    """Junk is kept aside under names that every engine can hold."""
    path, version = quote(entry.path, safe="/~@:+!"), quote(entry.version, safe="+~!")
    return Entry(path[:LONGEST_PATH], version[:LONGEST_VERSION], entry.time, entry.raw, entry.problem)


def _known_events(transaction: Transaction, ids: Sequence[bytes]) -> dict[bytes, _Known]:
    """Which events are rows already: looking first makes a second walk cheap everywhere."""
    rows = transaction.with_ids(GO_LIST, (f"CASE WHEN {OPEN} THEN PROCESSED END", "TIMESTAMP"), sorted(ids))
    return {identity: CLOSED if code is None else _Known(code, read_moment(time)) for identity, code, time in rows}


def _insert(transaction: Transaction, feed: str, fresh: Mapping[bytes, Entry], now: datetime) -> None:
    """In the order of their ids, as all announcers do, so that they seldom block each other."""
    at = transaction.moment(now)
    rows: list[tuple[Any, ...]] = []
    for identity, one in sorted(fresh.items()):
        time, raw = transaction.moment(moment(one.time)), one.raw[:LONGEST_RAW]
        if one.problem:
            rows.append((identity, 3, None, one.problem[:500], time, raw, at, at, one.path, one.version, feed, "index"))
        else:
            rows.append((identity, 0, at, None, time, raw, at, at, one.path, one.version, feed, "index"))
    transaction.insert_missing(GO_LIST, COLUMNS, rows)


def _touch(
    transaction: Transaction, feed: str, rows: Mapping[bytes, Entry], known: Mapping[bytes, _Known], now: datetime
) -> int:
    """Revive what ended in nothing and is announced again, and date what others announced; returns how many."""
    revived, dated = [], []
    for identity, entry in sorted(rows.items()):
        row = known.get(identity)
        if row is None or row is CLOSED:
            continue
        time = moment(entry.time)
        told = {"b_id": identity, "b_time": time, "b_raw": entry.raw[:LONGEST_RAW]}
        if row.processed in ENDED_IN_NOTHING and (row.timestamp is None or time > row.timestamp):
            revived.append(told | {"b_now": now})
        elif row.timestamp is None:
            dated.append(told | {"b_feed": feed})
    table = GO_LIST
    values: dict[str, Any] = {"TIMESTAMP": sa.bindparam("b_time"), "TIMESTAMP_RAW": sa.bindparam("b_raw")}
    same = table.c["ID"] == sa.bindparam("b_id")
    # Whatever happened to the row since we looked: what a worker holds stays as it is.
    ended = sa.or_(*(table.c["PROCESSED"] == code for code in ENDED_IN_NOTHING))
    anew: dict[str, Any] = {"PROCESSED": 0, "ATTEMPTS": 0, "LAST_STATUS": None, "DUE_AT": sa.bindparam("b_now")}
    transaction.update(table, values | anew, same & ended, revived)
    transaction.update(table, values | {"FEED": sa.bindparam("b_feed")}, same, dated)
    return len(revived) + len(dated)


def _record_gap(transaction: Transaction, page: FeedPage, now: datetime) -> Iterable[tuple[str, str]]:
    if page.gap is None:
        return ()
    shown = f'{{"shown":{page.gap.shown}}}'
    row = (f"{FEED.name}:{page.feed}:gap:{page.gap.raw}", page.gap.raw, shown, transaction.moment(now))
    transaction.upsert(STATUS, ["TYPE", "CURSOR", "BOUNDARY", "UPDATED"], [row], ["BOUNDARY", "UPDATED"])
    return [(f"{page.feed} feed at {page.gap.raw}", f"more than {page.gap.shown} events share this moment")]
