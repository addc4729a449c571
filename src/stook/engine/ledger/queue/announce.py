"""Enqueueing: a no-op on what exists, but for the revival of terminal events and what the user asks for now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from stook.engine.errors import FailureCode, Refused
from stook.engine.ledger.queue.codes import AFRESH, DONE, REVIVED, URGENT, WAITING
from stook.engine.ledger.queue.lanes import lane_of, wake_lanes_of
from stook.engine.ledger.queue.lease import is_held
from stook.engine.ledger.queue.model import Queue, read_facts
from stook.engine.ledger.schema import QUEUE_COLUMNS
from stook.engine.ledger.transaction import Transaction, chunks
from stook.engine.words import Announcement

__all__ = ["announce", "announce_all", "check_length", "merged"]

BASE = ("ID", "DUE_AT", "RESYNC", "TIMESTAMP", "TIMESTAMP_RAW", "CREATED", "LAST_UPDATED")


@dataclass(frozen=True, slots=True)
class _Wake:
    """How announcements of one kind touch events that exist.

    `takes` also what a worker holds, as that worker does not know what is asked for, or may have read too early.
    """

    fresh_for: float | None
    urgent: bool
    resync: bool
    takes: bool
    timestamp: datetime | None


def announce_all(
    transaction: Transaction, queues: Mapping[str, Queue], announcements: Sequence[Announcement], now: datetime
) -> list[bytes]:
    """Enqueue in several queues; returns the events' ids in the order given."""
    ids: dict[int, bytes] = {}
    for name in sorted({announcement.queue for announcement in announcements}):
        places = [place for place, announcement in enumerate(announcements) if announcement.queue == name]
        found = announce(transaction, queues[name], [announcements[place] for place in places], now)
        ids.update(zip(places, found, strict=True))
    return [ids[place] for place in range(len(announcements))]


def announce(
    transaction: Transaction, queue: Queue, announcements: Sequence[Announcement], now: datetime
) -> list[bytes]:
    """Enqueue; returns the events' ids in the order given. Columns that a worker owns are not touched.

    An event keeps the lane of its first announcement. Refused (`too_large`) for a name or version that the queue
    cannot hold.
    """
    ids = [
        queue.id_of(announcement.name, announcement.version, announcement.timestamp) for announcement in announcements
    ]
    rows = _rows(transaction, queue, announcements, ids, now)
    # All announcers lock rows in the order of their ids, so that they seldom block each other.
    transaction.insert_missing(queue.table, _columns(queue), sorted(rows, key=lambda row: row[0]))
    news = _merge_facts(transaction, queue, announcements, ids) if "FACTS" in queue.fact_columns else set()
    groups: dict[_Wake, list[bytes]] = defaultdict(list)
    for identity, announcement in zip(ids, announcements, strict=True):
        takes = announcement.resync or (announcement.urgent and identity in news)
        groups[
            _Wake(announcement.fresh_for, announcement.urgent, announcement.resync, takes, announcement.timestamp)
        ].append(identity)
    woken = sum(_wake(transaction, queue, members, wake, now) for wake, members in groups.items())
    if queue.has_lanes and (woken or any(map(lane_of, announcements))):
        wake_lanes_of(transaction, queue, ids)
    return ids


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of two announcements of one event: the newer wins, dictionaries are joined."""
    joined = dict(old)
    for key, value in new.items():
        before = joined.get(key)
        joined[key] = merged(before, value) if isinstance(before, Mapping) and isinstance(value, Mapping) else value
    return joined


def check_length(queue: Queue, name: str, version: str) -> None:
    """Refuse what the queue's columns cannot hold, on every engine alike; some would take it, and others never."""
    for column, text in ((queue.name_column, name), (queue.version_column, version)):
        if column is not None and len(text) > (most := queue.table.c[column].type.length):  # type: ignore[attr-defined]
            raise Refused(f"{column} {text[:80]!r}… is longer than the {most} characters kept", FailureCode.TOO_LARGE)


def _columns(queue: Queue) -> list[str]:
    version = [queue.version_column] if queue.version_column else []
    partition = ["QUEUE"] if queue.partition else []
    lane = ["LANE"] if queue.has_lanes else []
    return [*BASE, queue.name_column, *version, *partition, *lane, *_source(queue), *_announced(queue)]


def _source(queue: Queue) -> list[str]:
    """Not every list has a column for the announcer."""
    return ["SOURCE"] if "SOURCE" in queue.table.c else []


def _announced(queue: Queue) -> list[str]:
    """The fact columns that an announcement fills."""
    return [name for name in queue.fact_columns if name != "SOURCE" and name not in QUEUE_COLUMNS]


def _rows(
    transaction: Transaction,
    queue: Queue,
    announcements: Sequence[Announcement],
    ids: Sequence[bytes],
    now: datetime,
) -> list[tuple[Any, ...]]:
    ready, urgent = transaction.moment(now), transaction.moment(now - URGENT)
    has_source = bool(_source(queue))
    rows = []
    for announcement, identity in zip(announcements, ids, strict=True):
        check_length(queue, announcement.name, announcement.version)
        version = (announcement.version,) if queue.version_column else ()
        partition = (queue.partition,) if queue.partition else ()
        lane = (lane_of(announcement),) if queue.has_lanes else ()
        facts = [
            _pack(announcement.facts) if name == "FACTS" else announcement.facts.get(name) for name in _announced(queue)
        ]
        head = (
            identity,
            urgent if announcement.urgent else ready,
            int(announcement.resync),
            transaction.moment(announcement.timestamp),
        )
        source = (announcement.source or None,) if has_source else ()
        rows.append(
            (
                *head,
                announcement.timestamp_raw,
                ready,
                ready,
                announcement.name,
                *version,
                *partition,
                *lane,
                *source,
                *facts,
            )
        )
    return rows


def _pack(facts: Mapping[str, Any]) -> str | None:
    return msgspec.json.encode(facts, order="sorted").decode() if facts else None


def _merge_facts(
    transaction: Transaction, queue: Queue, announcements: Sequence[Announcement], ids: Sequence[bytes]
) -> set[bytes]:
    """Returns the events of which some fact was new."""
    table = queue.table
    announced: dict[bytes, dict[str, Any]] = {}
    for identity, announcement in zip(ids, announcements, strict=True):
        if announcement.facts:
            announced[identity] = merged(announced.get(identity, {}), announcement.facts)
    changed = []
    news: set[bytes] = set()
    for part in chunks(sorted(announced), 500):
        columns = (table.c[name] for name in ("ID", queue.name_column, "FACTS"))
        stored = sa.select(*columns).where(table.c["ID"].in_(part)).order_by(table.c["ID"])
        for identity, name, packed in transaction.execute(stored.with_for_update()):
            before = read_facts(name, packed)
            after = merged(before, announced[bytes(identity)])
            if after != before:
                news.add(bytes(identity))
                changed.append({"b_id": bytes(identity), "b_facts": _pack(after)})
    transaction.update(table, {"FACTS": sa.bindparam("b_facts")}, table.c["ID"] == sa.bindparam("b_id"), changed)
    return news


def _wake(transaction: Transaction, queue: Queue, ids: Sequence[bytes], wake: _Wake, now: datetime) -> int:
    """Returns how many rows were woken."""
    table = queue.table
    processed = table.c["PROCESSED"]
    asleep: sa.ColumnElement[bool] = processed.in_(REVIVED)
    if wake.timestamp is not None:  # see `codes.is_revived`
        asleep &= table.c["TIMESTAMP"].is_(None) | (table.c["TIMESTAMP"] < wake.timestamp)
    if wake.fresh_for is not None:
        stale = table.c["LAST_UPDATED"] <= now - timedelta(seconds=wake.fresh_for)
        asleep |= processed.in_(DONE) & stale if wake.fresh_for else processed.in_(DONE)
    if wake.urgent:
        asleep |= processed.in_(WAITING) | (is_held(queue) & (table.c["DUE_AT"] <= now))  # the latter's lease ran out
    values: dict[str, Any] = AFRESH | {"DUE_AT": now - URGENT if wake.urgent else now}
    if wake.resync:
        values["RESYNC"] = 1
        asleep |= processed.in_((*DONE, *WAITING))
    if wake.takes:
        asleep |= is_held(queue)
    woken = 0
    for part in chunks(sorted(ids), 500):
        woken += transaction.execute(sa.update(table).where(table.c["ID"].in_(part), asleep).values(values)).rowcount
    return woken
