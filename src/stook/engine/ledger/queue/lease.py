"""Holding what was claimed: proof that it is ours, renewal, giving back, and freeing what the dead held."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger.queue.codes import URGENT, held_column, released_value
from stook.engine.ledger.queue.lanes import wake_lanes_of
from stook.engine.ledger.queue.model import DueRange, Queue, due_ranges
from stook.engine.ledger.queue.token import is_abandoned, is_own
from stook.engine.ledger.transaction import Transaction, chunks, these
from stook.engine.words import Event

__all__ = ["free_abandoned", "hasten", "held", "is_held", "release", "renew"]


def is_held(queue: Queue) -> sa.ColumnElement[bool]:
    """In SQL: whether a worker holds the row, or held it when its lease ran out."""
    return held_column(queue.table.c["PROCESSED"])


def held(transaction: Transaction, queue: Queue, events: Sequence[Event]) -> set[bytes]:
    """The ids that we still hold; the rows stay locked until the transaction ends."""
    ours: set[bytes] = set()
    for part in chunks(sorted(events, key=lambda event: event.id), 500):
        tokens = {event.id: event.lease for event in part}
        for identity, lease in transaction.rows(_leases(queue), {}, transaction.dialect.among(list(tokens))):
            if lease == tokens[bytes(identity)]:
                ours.add(bytes(identity))
    return ours


@cache
def _leases(queue: Queue) -> sa.Select[Any]:
    table = queue.table
    held = sa.select(table.c["ID"], table.c["LEASE"]).where(these(), is_held(queue))
    return held.order_by(table.c["ID"]).with_for_update()


def renew(transaction: Transaction, queue: Queue, events: Sequence[Event], until: datetime) -> None:
    """Move the end of the lease, as far as the events are still ours. Their lanes are looked at sooner, for nothing."""
    _change_held(transaction, queue, events, {"DUE_AT": until})


def release(transaction: Transaction, queue: Queue, events: Sequence[Event], now: datetime) -> None:
    """Put the events back where they stood, as far as they are still ours: anyone may take them at once."""
    state: dict[str, Any] = {"PROCESSED": released_value(queue.table.c["PROCESSED"]), "LEASE": None}
    for is_urgent in (False, True):
        due = now - URGENT if is_urgent else now
        given = [event for event in events if event.urgent is is_urgent]
        _change_held(transaction, queue, given, state | {"DUE_AT": due})
        for event in given:
            transaction.wake_lane(queue.name, event.lane, due)


def _change_held(transaction: Transaction, queue: Queue, events: Sequence[Event], values: dict[str, Any]) -> None:
    table = queue.table
    for part in chunks(sorted(events, key=lambda event: event.id), 500):
        tokens = sorted({event.lease for event in part})
        ours = table.c["ID"].in_([event.id for event in part]) & table.c["LEASE"].in_(tokens) & is_held(queue)
        transaction.execute(sa.update(table).where(ours).values(values))


def hasten(transaction: Transaction, queue: Queue, ids: Sequence[bytes], now: datetime) -> int:
    """Put those of these events in front that are due, and that nobody holds; returns how many."""
    due = queue.table.c["DUE_AT"]
    hastened = 0
    for part in chunks(sorted(ids), 500):
        waiting = queue.table.c["ID"].in_(part) & (due <= now) & (due > now - URGENT / 2)
        hastened += transaction.execute(sa.update(queue.table).where(waiting).values(DUE_AT=now - URGENT)).rowcount
    wake_lanes_of(transaction, queue, ids)
    return hastened


def free_abandoned(
    transaction: Transaction, queue: Queue, now: datetime, lease: timedelta, ours: Collection[int] | None = None
) -> int:
    """Free what processes of this host held that are gone; looks no further ahead than a lease lasts.

    Each such event counts one delivery more. With `ours`, also what this process holds under any other lease, which
    killed nobody.
    """
    freed = 0
    for part, tokens in _lease_ranges(queue, transaction.dialect.has_partial_indexes):
        held = transaction.rows(tokens, {"now": now, "until": now + lease})
        abandoned = [token for (token,) in held if token is not None and is_abandoned(token, ours)]
        for is_ours in (False, True):
            if chosen := [token for token in abandoned if is_own(token) is is_ours]:
                freed += _free_leases(transaction, queue, part, chosen, now, lease, deaths=int(not is_ours))
    return freed


@cache
def _lease_ranges(queue: Queue, is_partial: bool) -> list[tuple[DueRange, sa.Select[Any]]]:
    """Where the held rows of a queue lie, and the statement that reads the leases there."""
    lease = queue.table.c["LEASE"]
    return [
        (part, part.of(sa.select(lease), queue).where(*_holding(queue)).distinct())
        for part in due_ranges(queue, is_partial=is_partial)
    ]


def _holding(queue: Queue) -> list[sa.ColumnElement[bool]]:
    """Held until a moment between `now` and `until`."""
    due = queue.table.c["DUE_AT"]
    now, until = (sa.bindparam(name, type_=due.type) for name in ("now", "until"))
    return [due > now, due <= until, is_held(queue)]


def _free_leases(
    transaction: Transaction,
    queue: Queue,
    part: DueRange,
    leases: Sequence[int],
    now: datetime,
    lease: timedelta,
    *,
    deaths: int,
) -> int:
    table = queue.table
    chosen = part.of(sa.select(table.c["ID"]), queue).where(*_holding(queue), table.c["LEASE"].in_(leases))
    ids = list(transaction.execute(chosen.with_for_update(), {"now": now, "until": now + lease}).scalars())
    state = {"DUE_AT": now, "LEASE": None, "DELIVERIES": table.c["DELIVERIES"] + deaths}
    return _free(transaction, queue, ids, state | {"PROCESSED": released_value(table.c["PROCESSED"])})


def _free(transaction: Transaction, queue: Queue, ids: Sequence[bytes], values: dict[str, Any]) -> int:
    for part in chunks(sorted(ids), 500):
        transaction.execute(sa.update(queue.table).where(queue.table.c["ID"].in_(part)).values(values))
    wake_lanes_of(transaction, queue, ids)
    return len(ids)
