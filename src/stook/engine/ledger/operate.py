"""What an operator does to a queue: look at it, bring waiting events forward, revive, ask again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Table

from stook.engine.errors import FailureCode, UserError
from stook.engine.ledger.feeds import FeedStatus, latest_feeds
from stook.engine.ledger.ledger import Ledger
from stook.engine.ledger.queue.codes import AFRESH, ENDED_BADLY, PENDING, URGENT, WAITING, is_urgent
from stook.engine.ledger.queue.lanes import wake_lanes_of
from stook.engine.ledger.queue.lease import is_held
from stook.engine.ledger.queue.model import DueRange, Queue, due_ranges, partition
from stook.engine.ledger.queue.status import earliest_due
from stook.engine.ledger.transaction import Transaction

__all__ = ["COUNT_LIMIT", "QueueStatus", "condition", "queue_status", "resync", "retry", "revive", "shown_count"]

COUNT_LIMIT = 10_000
"""Counting stops here: a status must stay cheap however long the queue is."""

FEEDS_SHOWN = 10

BATCH = 2000
"""Rows that are changed in one transaction: workers wait for few of them at a time."""

_CONDITION = re.compile(r"(?P<field>[a-z]+)(?P<sign>[=~])(?P<value>.+)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,4}")
_HINT = "write name=GLOB, version=GLOB, code=N, status=N, failure=CODE or error~WORDS"


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Counts go up to COUNT_LIMIT + 1, which means "more"; `oldest` is when the first in line became due.

    Held events are counted among the next COUNT_LIMIT + 1 that are not due: a lease is short. `feeds` has the
    FEEDS_SHOWN cursors that moved last, where the queue has any.
    """

    queue: str
    ready: int
    waiting: int
    held: int
    oldest: datetime | None
    feeds: Sequence[FeedStatus] = ()


def queue_status(ledger: Ledger, name: str) -> QueueStatus:
    """How one queue stands, read from its due ranges and its cursors alone."""
    queue = ledger.queues[name]
    now = ledger.clock.now()
    ranges = due_ranges(queue, is_partial=ledger.dialect.has_partial_indexes)
    with ledger.reading() as connection:
        parts = [_count(connection, queue, part, now) for part in ranges]
        ready, waiting, held = (min(sum(column), COUNT_LIMIT + 1) for column in zip(*parts, strict=True))
        oldest = earliest_due(connection, [queue], is_partial=ledger.dialect.has_partial_indexes)
        feeds = latest_feeds(connection, queue.cursor_key(""), FEEDS_SHOWN) if queue.has_cursor else ()
    if oldest and oldest > now:
        oldest = None
    if oldest and is_urgent(oldest, now):
        oldest += URGENT
    return QueueStatus(name, ready, waiting, held, oldest, feeds)


def shown_count(count: int) -> str:
    """A count as people read it."""
    return f"over {COUNT_LIMIT:,}" if count > COUNT_LIMIT else f"{count:,}"


def _count(connection: sa.Connection, queue: Queue, part: DueRange, now: datetime) -> tuple[int, int, int]:
    """How many rows of one range are ready, waiting and held."""
    due = queue.table.c["DUE_AT"]
    ready = _count_first(connection, queue, part, due <= now)
    waiting = _count_first(connection, queue, part, due > now, ~is_held(queue))
    held = is_held(queue).label("held")
    soon = part.of(sa.select(held), queue).where(due > now).order_by(due).limit(COUNT_LIMIT + 1).subquery()
    counted = sa.select(sa.func.count()).where(soon.c["held"])
    return ready, waiting, int(connection.execute(counted).scalar_one())


def _count_first(connection: sa.Connection, queue: Queue, part: DueRange, *where: sa.ColumnElement[bool]) -> int:
    """In order: a planner whose statistics are from a fuller time would rather scan the table."""
    rows = part.of(sa.select(sa.literal(1).label("one")).select_from(queue.table), queue).where(*where)
    first = rows.order_by(queue.table.c["DUE_AT"]).limit(COUNT_LIMIT + 1)
    counted = sa.select(sa.func.count()).select_from(first.subquery())
    return int(connection.execute(counted).scalar_one())


def retry(ledger: Ledger, queue: str, where: Sequence[str], batch: int = BATCH) -> int:
    """Bring events forward that wait for a later try; returns how many."""
    now = ledger.clock.now()
    table = ledger.queues[queue].table
    waits = table.c["PROCESSED"].in_(WAITING) & (table.c["DUE_AT"] > now)
    return _change(ledger, queue, waits, where, {"DUE_AT": now}, batch)


def revive(ledger: Ledger, queue: str, where: Sequence[str], batch: int = BATCH) -> int:
    """Make terminal events pending again: not found, malformed, given up; returns how many."""
    table = ledger.queues[queue].table
    ended = table.c["PROCESSED"].in_(ENDED_BADLY)
    pending = AFRESH | {"DUE_AT": ledger.clock.now()}
    return _change(ledger, queue, ended, where, pending, batch)


def resync(ledger: Ledger, queue: str, where: Sequence[str], batch: int = BATCH) -> int:
    """Ask for events again though they are complete; returns how many.

    What a worker holds is taken from it: it may have read already what is to be read again.
    """
    asked = {"PROCESSED": PENDING, "RESYNC": 1, "DUE_AT": ledger.clock.now()}
    return _change(ledger, queue, sa.true(), where, asked, batch)


def condition(queue: Queue, text: str) -> sa.ColumnElement[bool]:
    """A condition as people type it: name=GLOB, version=GLOB, code=39, status=404, failure=CODE, error~WORDS.

    Globs know `*` and `?`. Raises UserError for anything else.
    """
    match = _CONDITION.fullmatch(text)
    if match is None or not text.isprintable():
        raise UserError(f"not a condition: {text[:80]!r}; {_HINT}")
    field, sign, value = match.group("field", "sign", "value")
    table: Table = queue.table
    if sign == "=" and (named := {"name": queue.name_column, "version": queue.version_column}.get(field)):
        return _matches(table.c[named], value)
    if sign == "=" and field in ("code", "status") and _NUMBER.fullmatch(value):
        return table.c["PROCESSED" if field == "code" else "LAST_STATUS"] == int(value)
    if sign == "=" and field == "failure":
        if value not in set(FailureCode):
            raise UserError(f"no such failure: {value[:80]!r}; there are: {', '.join(FailureCode)}")
        return table.c["LAST_CODE"] == value
    if sign == "~" and field == "error":
        return table.c["LAST_ERROR"].ilike(f"%{_escaped(value)}%", escape="\\")
    raise UserError(f"not a condition for queue {queue.name}: {text[:80]!r}; {_HINT}")


def _matches(column: sa.ColumnElement[Any], glob: str) -> sa.ColumnElement[bool]:
    """A name without wildcards is looked up in an index, which no pattern is."""
    if "*" not in glob and "?" not in glob:
        return column == glob
    return column.like(_escaped(glob).replace("*", "%").replace("?", "_"), escape="\\")


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def _change(
    ledger: Ledger, name: str, rows: sa.ColumnElement[bool], where: Sequence[str], values: dict[str, Any], batch: int
) -> int:
    """Batch by batch, in the order of ids. Stopped anywhere, each row is changed or is not; again, it does the rest."""
    queue = ledger.queues[name]
    chosen = [*partition(queue), rows, *(condition(queue, text) for text in where)]
    count, ids = 0, _next(ledger, queue, chosen, b"", batch)
    while ids:
        count += ledger.write(partial(_change_batch, queue, chosen, values, ids))
        ids = _next(ledger, queue, chosen, ids[-1], batch)
    return count


def _next(
    ledger: Ledger, queue: Queue, chosen: Sequence[sa.ColumnElement[bool]], after: bytes, limit: int
) -> list[bytes]:
    """The next ids that are chosen, found without a lock."""
    identity = queue.table.c["ID"]
    following = sa.select(identity).where(*chosen, identity > after).order_by(identity).limit(limit)
    with ledger.reading() as connection:
        return [bytes(found) for found in connection.execute(following).scalars()]


def _change_batch(
    queue: Queue,
    chosen: Sequence[sa.ColumnElement[bool]],
    values: dict[str, Any],
    ids: Sequence[bytes],
    transaction: Transaction,
) -> int:
    """Those that are still as they were chosen."""
    still = queue.table.c["ID"].in_(ids), *chosen
    changed = int(transaction.execute(sa.update(queue.table).where(*still).values(values)).rowcount)
    wake_lanes_of(transaction, queue, ids)
    return changed
