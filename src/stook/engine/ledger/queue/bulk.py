"""Announcing a feed: many events at a time, most of them new, each with the moment at which it happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from stook.engine.errors import FailureCode
from stook.engine.ledger.queue.codes import AFRESH, PENDING, REVIVED, is_revived
from stook.engine.ledger.queue.lanes import wake_lanes_of
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.transaction import Transaction
from stook.engine.ledger.types import read_moment
from stook.engine.words import Code

__all__ = ["BulkReceipt", "FeedEvent", "announce_in_bulk"]

SAMPLE = 64  # events that are looked for first
MAX_REASON = 500


class FeedEvent(msgspec.Struct, frozen=True):  # made by the million
    """An event as a feed tells it. One with a `problem` is kept aside as malformed, and never looked at."""

    name: str
    version: str
    timestamp: datetime
    timestamp_raw: str
    problem: str = ""
    lane: str = ""


@dataclass(frozen=True, slots=True)
class BulkReceipt:
    """The ids that were rows already, and how many of these rows were changed."""

    known: frozenset[bytes]
    changed: int


class _Known(msgspec.Struct, frozen=True):
    """A row of the list, as far as a feed may touch it: the code of one that may be revived, and its moment."""

    processed: int | None
    timestamp: datetime | None


_CLOSED = _Known(None, datetime.max)
Events = Sequence[tuple[bytes, FeedEvent]]  # in the order of the feed; an event may come twice


def announce_in_bulk(
    transaction: Transaction, queue: Queue, events: Events, constants: Mapping[str, Any], now: datetime
) -> BulkReceipt:
    """Enqueue what is new. What ended in nothing begins anew if it happened again since (see `codes.is_revived`).

    `constants` are columns of the product's own that all new rows get; they fill rows that others announced, and the
    feed dates, only where these have nothing. Of an event that comes twice the first counts. The caller has made sure
    that names and versions fit their columns.
    """
    rows = dict(reversed(events))
    known = _add(transaction, queue, rows, constants, now)
    changed = _touch(transaction, queue, events, known, constants, now) if known else 0
    return BulkReceipt(frozenset(known), changed)


def _add(
    transaction: Transaction,
    queue: Queue,
    events: Mapping[bytes, FeedEvent],
    constants: Mapping[str, Any],
    now: datetime,
) -> Mapping[bytes, _Known]:
    """Make rows of what is new; returns what was known. A walk meets either nothing known or hardly anything else."""
    ids = sorted(events)  # the order of all announcers, so that they seldom block each other
    columns = _columns(queue, constants)
    if not _known_events(transaction, queue, ids[:: len(ids) // SAMPLE + 1]):
        fresh = _rows(transaction, queue, ids, events, constants, now)
        if transaction.insert_fresh(queue.table, columns, fresh):
            _wake(transaction, queue, events.values(), now)
            return {}
    known = _known_events(transaction, queue, ids)
    missing = [identity for identity in ids if identity not in known]
    transaction.insert_missing(queue.table, columns, list(_rows(transaction, queue, missing, events, constants, now)))
    _wake(transaction, queue, [events[identity] for identity in missing], now)
    return known


def _wake(transaction: Transaction, queue: Queue, events: Any, now: datetime) -> None:
    if queue.has_lanes:
        for lane in {event.lane for event in events if not event.problem}:
            transaction.wake_lane(queue.name, lane, now)


def _known_events(transaction: Transaction, queue: Queue, ids: Sequence[bytes]) -> dict[bytes, _Known]:
    """Which events are rows already: looking first makes a second walk cheap everywhere."""
    revived = ", ".join(map(str, REVIVED))
    is_open = f"CASE WHEN PROCESSED IN ({revived}) OR TIMESTAMP IS NULL THEN PROCESSED END"
    rows = transaction.with_ids(queue.table, (is_open, "TIMESTAMP"), ids)
    return {identity: _CLOSED if code is None else _Known(code, read_moment(time)) for identity, code, time in rows}


def _columns(queue: Queue, constants: Mapping[str, Any]) -> list[str]:
    fixed = "ID PROCESSED DUE_AT LAST_CODE LAST_ERROR TIMESTAMP TIMESTAMP_RAW CREATED LAST_UPDATED".split()
    version = [queue.version_column] if queue.version_column else []
    partition = ["QUEUE"] if queue.partition else []
    lane = ["LANE"] if queue.has_lanes else []
    return [*fixed, queue.name_column, *version, *lane, *partition, *constants]


def _rows(
    transaction: Transaction,
    queue: Queue,
    ids: Sequence[bytes],
    events: Mapping[bytes, FeedEvent],
    constants: Mapping[str, Any],
    now: datetime,
) -> Iterator[tuple[Any, ...]]:
    at, moment = transaction.moment(now), transaction.moment
    rest = (*((queue.partition,) if queue.partition else ()), *constants.values())
    has_version, has_lanes = queue.version_column is not None, queue.has_lanes
    malformed, code = int(Code.MALFORMED), FailureCode.MALFORMED.value
    for identity in ids:
        one = events[identity]
        time, raw = moment(one.timestamp), one.timestamp_raw
        version = (one.version,) if has_version else ()
        lane = (one.lane,) if has_lanes else ()
        state = (malformed, None, code, one.problem[:MAX_REASON]) if one.problem else (PENDING, at, None, None)
        yield identity, *state, time, raw, at, at, one.name, *version, *lane, *rest


def _touch(
    transaction: Transaction,
    queue: Queue,
    events: Events,
    known: Mapping[bytes, _Known],
    constants: Mapping[str, Any],
    now: datetime,
) -> int:
    """Revive what ended in nothing and is announced again, and date what others announced; returns how many."""
    revived: dict[bytes, dict[str, Any]] = {}
    dated: dict[bytes, dict[str, Any]] = {}
    for identity, event in events:
        row = known.get(identity, _CLOSED)
        if row.processed is None or event.problem or identity in revived or identity in dated:
            continue
        values = {"b_id": identity, "b_time": event.timestamp, "b_raw": event.timestamp_raw}
        values |= {f"b_{name.lower()}": value for name, value in constants.items()}
        if is_revived(row.processed, row.timestamp, event.timestamp):
            revived[identity] = values | {"b_now": now}
        elif row.timestamp is None:
            dated[identity] = values
    table = queue.table
    date: dict[str, Any] = {"TIMESTAMP": sa.bindparam("b_time"), "TIMESTAMP_RAW": sa.bindparam("b_raw")}
    date |= {name: sa.func.coalesce(table.c[name], sa.bindparam(f"b_{name.lower()}")) for name in constants}
    same = table.c["ID"] == sa.bindparam("b_id")
    # Whatever happened to the row since we looked: what a worker holds stays as it is.
    ended = sa.or_(*(table.c["PROCESSED"] == code for code in REVIVED))
    anew: dict[str, Any] = AFRESH | {"LAST_STATUS": None, "LAST_CODE": None, "DUE_AT": sa.bindparam("b_now")}
    transaction.update(table, date | anew, same & ended, [revived[identity] for identity in sorted(revived)])
    transaction.update(table, date, same, [dated[identity] for identity in sorted(dated)])
    wake_lanes_of(transaction, queue, list(revived))
    return len(revived) + len(dated)
