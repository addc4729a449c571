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
from stook.engine.ledger.queue.claim.rows import DELIVERIES, LANE, NAME, PLACE, PROCESSED, deaths, events_of
from stook.engine.ledger.queue.codes import (
    GIVEN_UP,
    SUSPECT_DELIVERIES,
    TOO_MANY_DELIVERIES,
    URGENT,
    held_value,
    is_held,
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
    """What a claim may take: up to `limit` events that are due at `until`, held until `lease_end`.

    `until` is `now`, or a moment before which only urgent events are due.
    `look` is how many rows of a queue without lanes to begin with (see `due_rows`). Of lanes: `each` events from each,
    but only so many as `room` says from those it names. `expects_lanes`: look for them though enough events wait
    without one. `lanes_first` says which come first.
    """

    queue: Queue
    now: datetime
    until: datetime
    lease_end: datetime
    limit: int
    look: int
    each: int
    room: Mapping[str, int] = field(default_factory=dict)
    expects_lanes: bool = True
    lanes_first: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """The events held, and how many each row brought; whether lanes were met; whether more may wait than came."""

    events: Sequence[Event]
    gain: float
    has_met_lanes: bool
    is_cut: bool


def claim(transaction: Transaction, terms: ClaimTerms) -> Claim:
    """Hold due events. A package that two workers died with comes alone; one that three died with is given up."""
    queue = terms.queue
    walk = LaneWalk(transaction, queue, terms.until, terms.each, terms.room)
    found, gain = _found(transaction, terms, walk)
    if not found:
        walk.end((), left=())
        return Claim((), gain, walk.has_met_any, walk.is_cut)
    rows, deadly = separated(found, gives_up=not queue.has_cursor)
    if deadly:
        _give_up(transaction, queue, deadly, terms.now)
    token = _hold(transaction, queue, rows, terms.lease_end)
    walk.end(rows, left=_left(found, rows, deadly))
    cursors = _cursors(transaction, queue, [row[NAME] for row in rows]) if queue.has_cursor else None
    urgent = transaction.moment(terms.now - URGENT / 2)
    events = events_of(queue, rows, urgent, token, cursors)
    return Claim(events, gain, walk.has_met_any, walk.is_cut or bool(deadly))


def _found(transaction: Transaction, terms: ClaimTerms, walk: LaneWalk) -> tuple[list[Any], float]:
    """Due rows; where some wait on lanes and some do not, half of each as far as there are so many."""
    queue, now, limit = terms.queue, terms.until, terms.limit
    if not queue.has_lanes:
        return due_rows(transaction, queue, now, limit, terms.look)
    most = max(0, min(limit, terms.room.get("", limit)))
    if not terms.expects_lanes or walk.is_over(limit):
        others = due_rows(transaction, queue, now, most, most)[0]
        return [*others, *walk.take(limit - len(others))], 1.0
    share = min(most, (limit + (not terms.lanes_first)) // 2)
    others = due_rows(transaction, queue, now, share, share)[0]
    laned = walk.take(limit - len(others))
    if len(others) == share and share < min(most, limit - len(laned)):
        more = min(most, limit - len(laned))
        others = due_rows(transaction, queue, now, more, more)[0]
    return [*laned, *others] if terms.lanes_first else [*others, *laned], 1.0


def _left(found: Sequence[Any], held: Sequence[Any], deadly: Sequence[Any]) -> set[str]:
    """Lanes on which an event was left for a later claim."""
    if len(found) == len(held) + len(deadly):
        return set()
    done = {row[PLACE] for row in (*held, *deadly)}
    return {row[LANE] for row in found if row[PLACE] not in done}


def _hold(transaction: Transaction, queue: Queue, rows: Sequence[Any], lease_end: datetime) -> int:
    """Returns the token under which the rows are held."""
    token = new_token()
    for is_retaken in (False, True):
        alike = [row[PLACE] for row in rows if is_held(row[PROCESSED]) is is_retaken]
        statement = _holding(queue, transaction.dialect.place, is_retaken=is_retaken)
        for places in chunks(alike, 500):
            transaction.change(statement, {"until": lease_end, "token": token}, transaction.dialect.at(places))
    return token


def separated(rows: Sequence[Any], *, gives_up: bool = True) -> tuple[list[Any], list[Any]]:
    """The rows to hold, and those to give up, as too many workers died with them.

    Whatever package may have killed a worker is apart from all others: it is taken alone if it is the first in line,
    and left for a later claim otherwise. A feed is never given up: without it nothing new would be known.
    """
    if not any(row[DELIVERIES] for row in rows):
        return list(rows), []
    deadly = [row for row in rows if gives_up and deaths(row) >= TOO_MANY_DELIVERIES]
    rest = [row for row in rows if not gives_up or deaths(row) < TOO_MANY_DELIVERIES]
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
def _holding(queue: Queue, place: str, *, is_retaken: bool) -> sa.Update:
    """`is_retaken`: the rows were held before, by a worker that died."""
    table = queue.table
    values: dict[str, Any] = {"DUE_AT": sa.bindparam("until"), "LEASE": sa.bindparam("token")}
    if is_retaken:
        values["DELIVERIES"] = table.c["DELIVERIES"] + 1
    else:
        values["PROCESSED"] = held_value(table.c["PROCESSED"])
    return sa.update(table).where(these(place)).values(values)


@cache
def _giving_up(queue: Queue, place: str) -> sa.Update:
    values = {"PROCESSED": GIVEN_UP, "DUE_AT": None, "LEASE": None, "DELIVERIES": 0}
    bound: dict[str, Any] = {name: sa.bindparam(key) for name, key in _GIVING_UP.items()}
    return sa.update(queue.table).where(these(place)).values(values | bound)


_GIVING_UP = {"LAST_CODE": "code", "LAST_ERROR": "reason", "LAST_UPDATED": "now"}
