"""Taking due events: found, held until the lease ends, and handed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
import structlog

from stook.engine.errors import FailureCode
from stook.engine.ledger.feeds import cursor_of
from stook.engine.ledger.queue.claim.lane_walk import LaneWalk
from stook.engine.ledger.queue.claim.packages import due_rows
from stook.engine.ledger.queue.claim.rows import NAME, PLACE, deaths, event_of
from stook.engine.ledger.queue.codes import (
    GIVEN_UP,
    SUSPECT_DELIVERIES,
    TOO_MANY_DELIVERIES,
    URGENT,
    held_column,
    held_value,
)
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.queue.token import new_token
from stook.engine.ledger.schema import STATUS
from stook.engine.ledger.transaction import Transaction, chunks, these
from stook.engine.words import Cursor, Event

__all__ = ["Claim", "ClaimTerms", "claim"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ClaimTerms:
    """What a claim may take: up to `limit` due events, held until `lease_end`.

    `look` is how many rows of a queue without lanes to begin with (see `due_rows`). Of lanes: `each` events from each,
    but only so many as `room` says from those it names. `lanes_first` says which come first, lanes or events without.
    """

    queue: Queue
    now: datetime
    lease_end: datetime
    limit: int
    look: int
    each: int
    room: Mapping[str, int] = field(default_factory=dict)
    lanes_first: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """The events held; how many events a row brought; whether there may be more though too few came."""

    events: Sequence[Event]
    gain: float
    is_cut: bool


def claim(transaction: Transaction, terms: ClaimTerms) -> Claim:
    """Hold due events. A package that two workers died with comes alone; one that three died with is given up."""
    queue = terms.queue
    walk = LaneWalk(transaction, queue, terms.now, terms.each, terms.room)
    found, gain = _found(transaction, terms, walk)
    rows, deadly = separated(found)
    if deadly:
        _give_up(transaction, queue, deadly, terms.now)
    token = new_token()
    for part in chunks(rows, 500):
        here = transaction.dialect.at([row[PLACE] for row in part])
        statement = _holding(queue, transaction.dialect.place)
        transaction.change(statement, {"until": terms.lease_end, "token": token}, here)
    walk.end(rows)
    cursors = _cursors(transaction, queue, [row[NAME] for row in rows]) if queue.has_cursor else None
    urgent = transaction.moment(terms.now - URGENT / 2)
    events = [event_of(queue, row, urgent, token, cursors) for row in rows]
    return Claim(events, gain, is_cut=walk.is_cut or bool(deadly))


def _found(transaction: Transaction, terms: ClaimTerms, walk: LaneWalk) -> tuple[list[Any], float]:
    """Due rows; where some wait on lanes and some do not, half of each as far as there are so many."""
    queue, now, limit = terms.queue, terms.now, terms.limit
    if not queue.has_lanes:
        return due_rows(transaction, queue, now, limit, terms.look)
    most = max(0, min(limit, terms.room.get("", limit)))
    if walk.is_over(limit):
        return due_rows(transaction, queue, now, most, most)
    share = min(most, (limit + (not terms.lanes_first)) // 2)
    others = due_rows(transaction, queue, now, share, share)[0]
    laned = walk.take(limit - len(others))
    if len(others) == share and share < min(most, limit - len(laned)):
        more = min(most, limit - len(laned))
        others = due_rows(transaction, queue, now, more, more)[0]
    return [*laned, *others] if terms.lanes_first else [*others, *laned], 1.0


def separated(rows: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The rows to hold, and those to give up, as too many workers died with them.

    Whatever package may have killed a worker is apart from all others: it is taken alone if it is the first in line,
    and left for a later claim otherwise.
    """
    deadly = [row for row in rows if deaths(row) >= TOO_MANY_DELIVERIES]
    rest = [row for row in rows if deaths(row) < TOO_MANY_DELIVERIES]
    suspects = {row[NAME] for row in rest if deaths(row) >= SUSPECT_DELIVERIES}
    if not suspects:
        return rest, deadly
    first = rest[0][NAME]
    return [row for row in rest if (row[NAME] == first if first in suspects else row[NAME] not in suspects)], deadly


def _give_up(transaction: Transaction, queue: Queue, rows: Sequence[Any], now: datetime) -> None:
    reason = f"{TOO_MANY_DELIVERIES} workers died while they looked at it"
    values = {"code": FailureCode.WORKER_DIED.value, "reason": reason, "now": now}
    for part in chunks(rows, 500):
        here = transaction.dialect.at([row[PLACE] for row in part])
        transaction.change(_giving_up(queue, transaction.dialect.place), values, here)
    for row in rows:
        log.error("event given up", queue=queue.name, record=row[NAME], reason=reason)


def _cursors(transaction: Transaction, queue: Queue, names: Sequence[str]) -> dict[str, Cursor | None]:
    """The cursors kept for events of these names."""
    keys = {queue.cursor_key(name): name for name in names}
    found: dict[str, Cursor | None] = dict.fromkeys(names)
    for key, value, boundary, _ in transaction.execute(sa.select(STATUS).where(STATUS.c["TYPE"].in_(list(keys)))):
        found[keys[key]] = cursor_of(key, value, boundary)
    return found


@cache
def _holding(queue: Queue, place: str) -> sa.Update:
    """In this order: MySQL reads columns that it has already set."""
    table = queue.table
    processed, deliveries = table.c["PROCESSED"], table.c["DELIVERIES"]
    one_more = sa.case((held_column(processed), deliveries + sa.literal_column("1")), else_=deliveries)
    return (
        sa.update(table)
        .where(these(place))
        .ordered_values(
            (deliveries, one_more),
            (table.c["DUE_AT"], sa.bindparam("until", type_=table.c["DUE_AT"].type)),
            (table.c["LEASE"], sa.bindparam("token", type_=table.c["LEASE"].type)),
            (processed, held_value(processed)),
        )
    )


@cache
def _giving_up(queue: Queue, place: str) -> sa.Update:
    values = {"PROCESSED": GIVEN_UP, "DUE_AT": None, "LEASE": None, "DELIVERIES": 0}
    bound: dict[str, Any] = {name: sa.bindparam(key) for name, key in _GIVING_UP.items()}
    return sa.update(queue.table).where(these(place)).values(values | bound)


_GIVING_UP = {"LAST_CODE": "code", "LAST_ERROR": "reason", "LAST_UPDATED": "now"}
