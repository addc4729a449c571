"""Announcing a feed: many events at a time, most of them new, each with the moment at which it happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec
import sqlalchemy as sa

from stook.engine.errors import FailureCode
from stook.engine.ledger.queue.codes import AFRESH, REVIVED, is_revived
from stook.engine.ledger.queue.lanes import wake_lanes_of
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.transaction import Transaction
from stook.engine.ledger.types import read_moment
from stook.engine.words import Code

__all__ = ["BulkReceipt", "FeedEvent", "announce_in_bulk"]

T = TypeVar("T")
GOOD = ("ID", "DUE_AT", "CREATED", "LAST_UPDATED", "TIMESTAMP", "TIMESTAMP_RAW")
BAD = ("PROCESSED", "LAST_CODE", "LAST_ERROR")
SAMPLE = 64  # events that are looked for first
MAX_REASON = 500


class FeedEvent(msgspec.Struct, frozen=True, gc=False):  # made by the million
    """An event as a feed tells it. One with a `problem` is kept aside as malformed, and never looked at."""

    name: str
    version: str
    timestamp: datetime
    timestamp_raw: str
    problem: str = ""
    lane: str = ""


@dataclass(frozen=True, slots=True)
class BulkReceipt:
    """How many events there were, the ids of those that were rows already, and how many of these were changed."""

    events: int
    known: frozenset[bytes]
    changed: int


class _ProblemMet(Exception):
    """Not all events of a batch are good, so that they cannot go the fastest way."""


class _Known(msgspec.Struct, frozen=True):
    """A row of the list, as far as a feed may touch it: the code of one that may be revived, and its moment."""

    processed: int | None
    timestamp: datetime | None


_CLOSED = _Known(None, datetime.max)


def announce_in_bulk(
    transaction: Transaction,
    queue: Queue,
    entries: Sequence[tuple[bytes, T]],
    event_of: Callable[[T], FeedEvent],
    constants: Mapping[str, Any],
    now: datetime,
) -> BulkReceipt:
    """Enqueue what is new. What ended in nothing begins anew if it happened again since (see `codes.is_revived`).

    `entries` are ids and what the feed says, in its order, of which `event_of` makes an event where one is needed: of
    most that are known it is not. Of an id that comes twice the first counts. `constants` are columns of the product's
    own: new rows get them, and rows that others announced where they have nothing. The caller has made sure that names
    and versions fit their columns.
    """
    bulk = _Bulk(transaction, queue, event_of, constants, now)
    rows = dict(reversed(entries))
    known = bulk.add(rows)
    changed = bulk.touch(entries, known) if known else 0
    return BulkReceipt(len(rows), frozenset(known), changed)


@dataclass(frozen=True, slots=True)
class _Bulk(Generic[T]):
    """One bulk announcement."""

    transaction: Transaction
    queue: Queue
    event_of: Callable[[T], FeedEvent]
    constants: Mapping[str, Any]
    now: datetime

    def add(self, entries: Mapping[bytes, T]) -> Mapping[bytes, _Known]:
        """Make rows of what is new; returns what was known. A walk meets nothing known, or hardly anything else."""
        ids = sorted(entries)  # the order of all announcers, so that they seldom block each other
        if not _known_events(self.transaction, self.queue, ids[:: len(ids) // SAMPLE + 1]):
            try:
                rows = self._rows((identity, self.event_of(entries[identity])) for identity in ids)
                if self.transaction.insert_fresh(self.queue.table, self._columns(GOOD), rows):
                    return {}
            except _ProblemMet:
                pass  # nothing was inserted
        known = _known_events(self.transaction, self.queue, ids)
        self._insert([(identity, self.event_of(entries[identity])) for identity in ids if identity not in known])
        return known

    def _insert(self, events: Sequence[tuple[bytes, FeedEvent]]) -> None:
        insert, table = self.transaction.insert_missing, self.queue.table
        good = [pair for pair in events if not pair[1].problem]
        bad = [pair for pair in events if pair[1].problem]
        insert(table, self._columns(GOOD), list(self._rows(good)))
        code, end = FailureCode.MALFORMED.value, int(Code.MALFORMED)
        ends = [(end, code, event.problem[:MAX_REASON]) for _, event in bad]
        rows = [(*row, *last) for row, last in zip(self._rows(bad, are_good=False), ends, strict=True)]
        insert(table, [*self._columns(GOOD), *BAD], rows)

    def _columns(self, state: Sequence[str]) -> list[str]:
        queue = self.queue
        version = [queue.version_column] if queue.version_column else []
        lane = ["LANE"] if queue.has_lanes else []
        partition = ["QUEUE"] if queue.partition else []
        return [*state, queue.name_column, *version, *lane, *partition, *self.constants]

    def _rows(self, events: Iterable[tuple[bytes, FeedEvent]], *, are_good: bool = True) -> Iterator[tuple[Any, ...]]:
        """One at a time: to hold them all costs the garbage collector as much again. Good ones wake their lanes."""
        queue, moment = self.queue, self.transaction.moment
        at = moment(self.now)
        due_at = at if are_good else None
        lanes = set()
        version, lane = (["version"] if queue.version_column else []), (["lane"] if queue.has_lanes else [])
        names = attrgetter("timestamp_raw", "name", *version, *lane)
        rest = (*((queue.partition,) if queue.partition else ()), *self.constants.values())
        for identity, event in events:
            if event.problem and are_good:
                raise _ProblemMet
            if event.lane:
                lanes.add(event.lane)
            yield identity, due_at, at, at, moment(event.timestamp), *names(event), *rest
        for name in lanes if queue.has_lanes and are_good else ():
            self.transaction.wake_lane(queue.name, name, self.now)

    def touch(self, entries: Sequence[tuple[bytes, T]], known: Mapping[bytes, _Known]) -> int:
        """Revive what ended in nothing and is announced again, and date what others announced; returns how many."""
        revived: dict[bytes, dict[str, Any]] = {}
        dated: dict[bytes, dict[str, Any]] = {}
        for identity, entry in entries:
            row = known.get(identity, _CLOSED)
            if row.processed is None or identity in revived or identity in dated:
                continue
            event = self.event_of(entry)
            values = {"b_id": identity, "b_time": event.timestamp, "b_raw": event.timestamp_raw}
            values |= {f"b_{name.lower()}": value for name, value in self.constants.items()}
            if event.problem:
                continue
            if is_revived(row.processed, row.timestamp, event.timestamp):
                revived[identity] = values | {"b_now": self.now}
            elif row.timestamp is None:
                dated[identity] = values
        self._update(revived, dated)
        return len(revived) + len(dated)

    def _update(self, revived: Mapping[bytes, dict[str, Any]], dated: Mapping[bytes, dict[str, Any]]) -> None:
        table, update = self.queue.table, self.transaction.update
        date: dict[str, Any] = {"TIMESTAMP": sa.bindparam("b_time"), "TIMESTAMP_RAW": sa.bindparam("b_raw")}
        for name in self.constants:
            date[name] = sa.func.coalesce(table.c[name], sa.bindparam(f"b_{name.lower()}"))
        same = table.c["ID"] == sa.bindparam("b_id")
        # Whatever happened to the row since we looked: what a worker holds stays as it is.
        ended = sa.or_(*(table.c["PROCESSED"] == code for code in REVIVED))
        anew: dict[str, Any] = AFRESH | {"LAST_STATUS": None, "LAST_CODE": None, "DUE_AT": sa.bindparam("b_now")}
        update(table, date | anew, same & ended, [revived[identity] for identity in sorted(revived)])
        update(table, date, same, [dated[identity] for identity in sorted(dated)])
        wake_lanes_of(self.transaction, self.queue, list(revived))


def _known_events(transaction: Transaction, queue: Queue, ids: Sequence[bytes]) -> dict[bytes, _Known]:
    """Which events are rows already: looking first makes a second walk cheap everywhere."""
    revived = ", ".join(map(str, REVIVED))
    is_open = f"CASE WHEN PROCESSED IN ({revived}) OR TIMESTAMP IS NULL THEN PROCESSED END"
    rows = transaction.with_ids(queue.table, (is_open, "TIMESTAMP"), ids)
    return {identity: _CLOSED if code is None else _Known(code, read_moment(time)) for identity, code, time in rows}
