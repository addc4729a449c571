"""Ending events: the codes and delays of the tables contract."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from stook.engine.errors import LaneClosed, Unavailable
from stook.engine.ledger.queue.lease import is_held
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.transaction import Transaction, chunks, these
from stook.engine.words import Code, Event, Outcome

__all__ = ["LADDER", "back_off", "next_state", "postponement", "settle"]

HOUR = 3600.0
DAY = 24 * HOUR
LADDER = (6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY)
"""Seconds to wait on the rungs 30 to 38."""
CLOSED = 900.0
"""Seconds until events of a closed lane are looked at again. It stays closed for this run: with a minute, a backlog
that takes longer than that to put off would be put off round and round, and 'work --once' never end."""
GIVEN_UP = 39
MAX_REASON = 500
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
    if outcome.code is Code.PENDING:
        back = 0 if event.processed == 20 else event.processed + 9
        return back, now + timedelta(seconds=outcome.delay or 0)
    if outcome.code is not Code.FAILED:
        return int(outcome.code), None
    if event.processed == 29:
        return GIVEN_UP, None
    rung = event.processed - 20
    return 30 + rung, now + timedelta(seconds=LADDER[rung] * (1 + 0.1 * jitter))


def settle(transaction: Transaction, queue: Queue, ends: Iterable[tuple[Event, Outcome]], now: datetime) -> int:
    """Write how events ended, as far as they are still ours; returns how many that were.

    Outcomes with facts set those columns too. Events that end alike go together.
    """
    alike: dict[tuple[Any, ...], list[Event]] = defaultdict(list)
    known: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for event, outcome in ends:
        # Of most visits all events end by one outcome; only a rung's delay is another for each.
        same = (id(outcome), event.processed, event.attempts, event.resync)
        columns = known.get(same)
        if columns is None or outcome.code is Code.FAILED:
            columns = known[same] = tuple(_columns(event, outcome, now).items())
        alike[columns].append(event)
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
    told = {f"b_{name.lower()}": value for name, value in columns.items()}
    leases = sorted({event.lease for event in events})
    for lease, some in ((one, [event.id for event in events if event.lease == one]) for one in leases):
        for ids in chunks(sorted(some), 500):
            settled += transaction.change(statement, told | {"b_lease": lease}, transaction.dialect.among(ids))
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
    """What the row will say."""
    processed, due_at = next_state(event, outcome, now, random.uniform(-1, 1))  # noqa: S311  spreading, not secrecy
    complete = outcome.code is Code.COMPLETE
    row = {
        "PROCESSED": processed,
        "DUE_AT": due_at,
        "RESYNC": int(event.resync and outcome.code not in (Code.COMPLETE, Code.ALIAS)),
        "ATTEMPTS": 0 if complete else min(event.attempts + (not outcome.is_deferred), 32000),
        "LAST_STATUS": outcome.status,
        "LAST_ERROR": _plain(outcome.reason)[:MAX_REASON] or None,
        "LAST_UPDATED": now,
    }
    return row | dict(sorted(outcome.facts.items()))


def _plain(reason: str) -> str:
    """A reason may quote what came from outside; every engine must be able to keep it."""
    return reason.replace("\0", "\ufffd").encode(errors="replace").decode()
