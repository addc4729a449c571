"""A queue: some rows of a table that has the queue columns, and how events are read from them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy import Table

from stook.engine.ledger.schema import DUE_INDEX, ID_LENGTH, POLL, TIME_INDEX
from stook.engine.words import Event

__all__ = [
    "Queue",
    "by_due",
    "by_lane",
    "by_queue",
    "due_ranges",
    "event_id",
    "partition",
    "poll_queue",
    "read_facts",
    "without_lane",
]

PACKAGE_BYTES = 8
NO_LANE: sa.ColumnElement[str] = sa.literal_column("''")  # partial indexes want the literal
log = structlog.get_logger(__name__)

Identify = Callable[[str, str, datetime | None], bytes]


def event_id(name: str, version: str, timestamp: datetime | None = None) -> bytes:
    """The id of `name@version`: its package's digest first, so that a package's events lie side by side."""
    digest = hashlib.sha256(name.encode())
    package = digest.digest()[:PACKAGE_BYTES]
    digest.update(f"@{version}".encode())
    return package + digest.digest()[:16]


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue's table has the queue columns and the due index (see `schema`).

    `partition` is the value of QUEUE where several queues share a table. `has_lanes`: the table has a column LANE, and
    a claim takes so many lanes, so many events each; such a queue has no versions.

    `fact_columns` are handed to the visit and set at announcement; FACTS holds all that have no column, and is merged
    when an event is announced again.
    """

    name: str
    kind: str
    table: Table
    name_column: str
    version_column: str | None = None
    partition: str | None = None
    fact_columns: tuple[str, ...] = ()
    identify: Identify = event_id
    has_cursor: bool = False
    has_lanes: bool = False

    def __post_init__(self) -> None:
        if self.has_lanes and self.version_column is not None:
            raise ValueError("a queue with lanes cannot have versions: a package would have to stay whole")

    def cursor_key(self, name: str) -> str:
        """Under which key the cursor of an event of this queue is kept."""
        return f"{self.name}:{name}"

    def id_range(self, name: str) -> tuple[bytes, bytes]:
        """Between these lie the ids of a package's events: they begin with the package's digest."""
        prefix = self.id_of(name, "")[:PACKAGE_BYTES]
        return prefix + bytes(ID_LENGTH - PACKAGE_BYTES), prefix + b"\xff" * (ID_LENGTH - PACKAGE_BYTES)

    def id_of(self, name: str, version: str, timestamp: datetime | None = None) -> bytes:
        return self.identify(f"{self.partition}:{name}" if self.partition else name, version, timestamp)


def poll_queue(name: str, kind: str, *, has_cursor: bool = False) -> Queue:
    """A queue of things to ask again: a package's index file, its enrichment, a page, a feed.

    With `has_cursor`, a claimed event brings the cursor kept for it, as the fact `cursor` (None at first).
    """
    facts = ("SOURCE", "FACTS")
    return Queue(name, kind, POLL, "NAME", None, name, facts, has_cursor=has_cursor, has_lanes=True)


def partition(queue: Queue) -> list[sa.ColumnElement[bool]]:
    """The condition that tells a queue's rows in a shared table."""
    return [queue.table.c["QUEUE"] == queue.partition] if queue.partition else []


def without_lane(queue: Queue) -> list[sa.ColumnElement[bool]]:
    """The condition that tells the queue's rows that wait on no lane: literal, for planners to see."""
    return [queue.table.c["LANE"] == NO_LANE] if queue.has_lanes else []


def by_due(chosen: sa.Select[Any], queue: Queue) -> sa.Select[Any]:
    """Such rows of a queue that wait on no lane, by a range of DUE_AT that the caller adds: one range of the due index.

    Where most of a table is due, MariaDB would walk all of the queue's part of the index: what is finished comes first.
    """
    return by_lane(chosen, queue).where(*without_lane(queue))


def by_lane(chosen: sa.Select[Any], queue: Queue) -> sa.Select[Any]:
    """Such rows of one lane, by a range of DUE_AT; the caller adds both."""
    return chosen.with_hint(queue.table, _forced(DUE_INDEX.format(queue.table.name)), "mysql").where(*partition(queue))


def due_ranges(queue: Queue, *, is_partial: bool) -> list[DueRange]:
    """Where all rows of a queue lie in the order of DUE_AT, whatever their lane: one index range, or two.

    `is_partial`: the engine keeps out of the second index what waits on no lane (`Dialect.has_partial_indexes`).
    """
    plain = DueRange((*partition(queue), *without_lane(queue)), _forced(DUE_INDEX.format(queue.table.name)))
    if not queue.has_lanes:
        return [plain]
    by_time = _forced(TIME_INDEX.format(queue.table.name))
    if not is_partial:
        return [DueRange(tuple(partition(queue)), by_time)]
    return [plain, DueRange((*partition(queue), queue.table.c["LANE"] != NO_LANE), by_time)]


@dataclass(frozen=True, slots=True)
class DueRange:
    """The conditions of one range of an index that is in the order of DUE_AT, and MySQL's hint to use it."""

    where: tuple[sa.ColumnElement[bool], ...]
    hint: str

    def of(self, chosen: sa.Select[Any], queue: Queue) -> sa.Select[Any]:
        """Such rows of this range."""
        return chosen.with_hint(queue.table, self.hint, "mysql").where(*self.where)


def _forced(index: str) -> str:
    """The others keep what is finished out of that index, and choose it by themselves."""
    return f"FORCE INDEX (`{index}`)"


def by_queue(queues: Mapping[str, Queue], events: Sequence[Event]) -> list[tuple[Queue, list[Event]]]:
    """Events of several queues, in an order that all workers share."""
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        groups[event.queue].append(event)
    return [(queues[name], groups[name]) for name in sorted(groups)]


def read_facts(name: str, packed: str | None) -> dict[str, Any]:
    """The facts stored for an event of this name; what others wrote there that is no JSON object stops nobody."""
    try:
        return msgspec.json.decode(packed, type=dict[str, Any]) if packed else {}
    except (msgspec.DecodeError, TypeError) as error:
        log.warning("facts cannot be read", record=name, reason=str(error)[:200])
        return {}
