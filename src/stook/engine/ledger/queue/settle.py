"""Ending events: the codes and delays of the tables contract."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from stook.engine.errors import FailureCode, LaneClosed, Unavailable
from stook.engine.ledger.queue.codes import PENDING, URGENT, failed_code, released_code, rung_delay
from stook.engine.ledger.queue.lease import is_held
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.schema import QUEUE_COLUMNS
from stook.engine.ledger.transaction import Transaction, chunks, these
from stook.engine.words import Code, Event, Outcome

__all__ = ["back_off", "next_state", "postponement", "settle"]

HOUR = 3600.0  # seconds
CLOSED = 900.0
"""Seconds until events of a closed lane are looked at again. It stays closed for this run: with a minute, a backlog
that takes longer than that to put off would be put off round and round, and 'work --once' never end."""
MAX_REASON = 500  # characters
MOST_ATTEMPTS = 32000  # what the column holds
DUE_AT = 1  # place among the columns
UNNAMED = {
    Code.MALFORMED: FailureCode.MALFORMED,
    Code.NOT_FOUND: FailureCode.NOT_FOUND,
    Code.FAILED: FailureCode.MALFORMED,
}
ALIKE = 4  # events from which one statement for all is worth its length


def back_off(attempts: int) -> float:
    """Seconds until the next try after trouble of the infrastructure: a minute, doubling to an hour."""
    return min(60.0 * 2.0 ** min(attempts, 10), HOUR)


def postponement(error: Unavailable, attempts: int) -> float:
    """Seconds until the next try after this trouble."""
    if isinstance(error, LaneClosed):
        return CLOSED
    return error.retry_after or back_off(attempts)


def next_state(event: Event, outcome: Outcome, now: datetime, jitter: float) -> tuple[int, datetime | None]:
    """The row's new PROCESSED and DUE_AT; `jitter` from -1 to 1 spreads the ladder by 10 %."""
    match outcome.code:
        case Code.PENDING:
            code = PENDING if outcome.is_afresh else released_code(event.processed)
            return code, now + _delay(event, outcome)
        case Code.FAILED:
            code = failed_code(event.processed)
            wait = rung_delay(code, jitter)
            return code, None if wait is None else now + wait
        case _:
            return int(outcome.code), None


def _delay(event: Event, outcome: Outcome) -> timedelta:
    """An urgent event that was not even tried stays in front of the others."""
    if event.urgent and outcome.is_deferred and not outcome.delay and not outcome.is_afresh:
        return -URGENT
    return timedelta(seconds=outcome.delay or 0)


def settle(transaction: Transaction, queue: Queue, ends: Iterable[tuple[Event, Outcome]], now: datetime) -> int:
    """Write how events ended, as far as they are still ours; returns how many that were.

    Outcomes with facts set those columns too; ValueError where one is the ledger's own. Events that end alike go
    together.
    """
    alike: dict[tuple[Any, ...], list[Event]] = defaultdict(list)
    known: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for event, outcome in ends:
        # Of most visits all events end by one outcome; only a rung's delay is another for each.
        same = (id(outcome), event.processed, event.attempts, event.resync, event.urgent)
        columns = known.get(same)
        if columns is None or outcome.code is Code.FAILED:
            columns = known[same] = tuple(_columns(event, outcome, now).items())
        alike[columns].append(event)
        if event.lane and (due_at := columns[DUE_AT][1]):
            transaction.wake_lane(queue.name, event.lane, due_at)
    single: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    settled = 0
    for columns, events in alike.items():
        if len(events) >= ALIKE:
            settled += _settle_alike(transaction, queue, events, dict(columns))
        else:
            single[tuple(name for name, _ in columns)] += [_parameters(event, columns) for event in events]
    for names, rows in single.items():
        rows.sort(key=lambda row: bytes(row["b_id"]))
        settled += transaction.change_each(_ending(queue, names, are_alike=False), rows)
    return settled


def _settle_alike(transaction: Transaction, queue: Queue, events: Sequence[Event], columns: dict[str, Any]) -> int:
    settled = 0
    statement = _ending(queue, tuple(columns), are_alike=True)
    values = {f"b_{name.lower()}": value for name, value in columns.items()}
    for lease in sorted({event.lease for event in events}):
        for ids in chunks(sorted(event.id for event in events if event.lease == lease), 500):
            settled += transaction.change(statement, values | {"b_lease": lease}, transaction.dialect.among(ids))
    return settled


@cache
def _ending(queue: Queue, names: Sequence[str], *, are_alike: bool) -> sa.Update:
    """For one event, or for all that end alike. Parameters are prefixed, so as not to clash with column names."""
    table = queue.table
    which = these() if are_alike else table.c["ID"] == sa.bindparam("b_id")
    ours = (table.c["LEASE"] == sa.bindparam("b_lease")) & is_held(queue)
    changes: dict[str, Any] = {"LEASE": None} | {name: sa.bindparam(f"b_{name.lower()}") for name in names}
    return sa.update(table).where(which, ours).values(changes)


def _parameters(event: Event, columns: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    return {"b_id": event.id, "b_lease": event.lease} | {f"b_{name.lower()}": value for name, value in columns}


def _columns(event: Event, outcome: Outcome, now: datetime) -> dict[str, Any]:
    """The columns that the row gets; DUE_AT stands second."""
    if not QUEUE_COLUMNS.isdisjoint(outcome.facts):
        columns = ", ".join(sorted(QUEUE_COLUMNS & outcome.facts.keys()))
        raise ValueError(f"an outcome may not set {columns}: these columns are the ledger's own")
    processed, due_at = next_state(event, outcome, now, random.uniform(-1, 1))  # noqa: S311  spreading, not secrecy
    begins_anew = outcome.code is Code.COMPLETE or outcome.is_afresh
    row = {
        "PROCESSED": processed,
        "DUE_AT": due_at,
        "RESYNC": int(event.resync and not begins_anew and outcome.code is not Code.ALIAS),
        "ATTEMPTS": 0 if begins_anew else min(event.attempts + (not outcome.is_deferred), MOST_ATTEMPTS),
        "LAST_STATUS": outcome.status,
        "LAST_CODE": _failure(outcome),
        "LAST_ERROR": _plain(outcome.reason)[:MAX_REASON] or None,
        "DELIVERIES": 0,
        "LAST_UPDATED": now,
    }
    return row | dict(sorted(outcome.facts.items()))


def _failure(outcome: Outcome) -> str | None:
    """The code of what went wrong; of an outcome that names none what its end says."""
    failure = outcome.failure or UNNAMED.get(outcome.code)
    return failure and failure.value


def _plain(reason: str) -> str:
    """A reason may quote what came from outside; every engine must be able to keep it."""
    return reason.replace("\0", "\ufffd").encode(errors="replace").decode()
