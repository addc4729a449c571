"""Holding what was claimed: proof that it is ours, renewal, giving back, and freeing what the dead held."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger.queue.model import Queue, by_due, due_hint, partition
from stook.engine.ledger.queue.token import is_abandoned
from stook.engine.ledger.transaction import Transaction, chunks, these
from stook.engine.words import Event

__all__ = ["free_abandoned", "held", "hold_until", "is_held"]


def is_held(queue: Queue) -> sa.ColumnElement[bool]:
    """The codes of held events. A row with a lease but another code was taken back by an operator's SQL."""
    return queue.table.c["PROCESSED"].between(20, 29)


def held(transaction: Transaction, queue: Queue, events: Sequence[Event]) -> set[bytes]:
    """The ids that we still hold; the rows stay locked until the transaction ends."""
    ours: set[bytes] = set()
    for some in chunks(sorted(events, key=lambda event: event.id), 500):
        tokens = {event.id: event.lease for event in some}
        for identity, lease in transaction.rows(_leases(queue), {}, transaction.dialect.among(list(tokens))):
            if lease == tokens[bytes(identity)]:
                ours.add(bytes(identity))
    return ours


@cache
def _leases(queue: Queue) -> sa.Select[Any]:
    table = queue.table
    held = sa.select(table.c["ID"], table.c["LEASE"]).where(these(), is_held(queue))
    return held.order_by(table.c["ID"]).with_for_update()


def hold_until(transaction: Transaction, queue: Queue, events: Sequence[Event], due: datetime) -> None:
    """Move the end of the lease, as far as the events are still ours."""
    table = queue.table
    for some in chunks(sorted(events, key=lambda event: event.id), 500):
        tokens = sorted({event.lease for event in some})
        ours = table.c["ID"].in_([event.id for event in some]) & table.c["LEASE"].in_(tokens) & is_held(queue)
        transaction.execute(sa.update(table).where(ours).values(DUE_AT=due))


def free_abandoned(
    transaction: Transaction, queue: Queue, now: datetime, lease: timedelta, ours: Collection[int] | None = None
) -> int:
    """Free what processes of this host held that are gone; looks no further ahead than a lease lasts.

    With `ours`, also what this process holds under any other lease.
    """
    table = queue.table
    due = table.c["DUE_AT"]
    holding = [due > now, due <= now + lease, is_held(queue)]
    tokens = transaction.execute(by_due(sa.select(table.c["LEASE"]), queue).where(*holding).distinct()).scalars().all()
    dead = [token for token in tokens if token is not None and is_abandoned(token, ours)]
    if not dead:
        return 0
    free = sa.update(table).with_hint(due_hint(queue), dialect_name="mysql").values(DUE_AT=now)
    return int(transaction.execute(free.where(*partition(queue), *holding, table.c["LEASE"].in_(dead))).rowcount)
