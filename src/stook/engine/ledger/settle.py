"""Ending events: the codes and delays of the tables contract."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger.queue import Queue
from stook.engine.ledger.transaction import Transaction
from stook.engine.words import Code, Event, Outcome

__all__ = ["LADDER", "back_off", "next_state", "settle"]

HOUR = 3600.0
DAY = 24 * HOUR
LADDER = (6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY)
"""Seconds to wait on the rungs 30 to 38."""
GIVEN_UP = 39
MAX_REASON = 500


def back_off(attempts: int) -> float:
    """Seconds until the next try after trouble of the infrastructure: a minute, doubling to an hour."""
    return min(60.0 * 2.0 ** min(attempts, 10), HOUR)


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


def settle(transaction: Transaction, queue: Queue, ends: Iterable[tuple[Event, Outcome]], now: datetime) -> None:
    """Write how events ended; outcomes with facts set those columns too."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for event, outcome in ends:
        groups[tuple(sorted(outcome.facts))].append(_parameters(event, outcome, now))
    for extra, rows in groups.items():
        rows.sort(key=lambda row: row["b_id"])
        table = queue.table
        where = (table.c["ID"] == sa.bindparam("b_id")) & (table.c["LEASE"] == sa.bindparam("b_lease"))
        transaction.update(table, _changes(extra), where, rows)


def _changes(extra: Sequence[str]) -> Mapping[str, Any]:
    """Columns from parameters of the same meaning, prefixed so as not to clash with column names."""
    named = ("PROCESSED", "DUE_AT", "RESYNC", "ATTEMPTS", "LAST_STATUS", "LAST_ERROR", "LAST_UPDATED", *extra)
    return {"LEASE": None} | {name: sa.bindparam(f"b_{name.lower()}") for name in named}


def _parameters(event: Event, outcome: Outcome, now: datetime) -> dict[str, Any]:
    processed, due_at = next_state(event, outcome, now, random.uniform(-1, 1))  # noqa: S311  spreading, not secrecy
    complete = outcome.code is Code.COMPLETE
    row = {
        "b_id": event.id,
        "b_lease": event.lease,
        "b_processed": processed,
        "b_due_at": due_at,
        "b_resync": int(event.resync and not complete),
        "b_attempts": 0 if complete else min(event.attempts + (not outcome.is_deferred), 32000),
        "b_last_status": outcome.status,
        "b_last_error": _plain(outcome.reason)[:MAX_REASON] or None,
        "b_last_updated": now,
    }
    return row | {f"b_{name.lower()}": value for name, value in outcome.facts.items()}


def _plain(reason: str) -> str:
    """A reason may quote what came from outside; every engine must be able to keep it."""
    return reason.replace("\0", "\ufffd").encode(errors="replace").decode()
