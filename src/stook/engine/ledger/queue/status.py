"""The state of events one by one, and when the next is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from stook.engine.ledger.queue import codes
from stook.engine.ledger.queue.model import Queue, due_ranges
from stook.engine.ledger.transaction import chunks

__all__ = ["EventState", "earliest_due", "read_states"]


@dataclass(frozen=True, slots=True)
class EventState:
    """What the row of an event says now."""

    id: bytes
    name: str
    processed: int
    due_at: datetime | None
    last_error: str | None
    last_code: str | None = None

    @property
    def is_held(self) -> bool:
        return codes.is_held(self.processed)


def read_states(connection: sa.Connection, queue: Queue, ids: Sequence[bytes]) -> list[EventState]:
    """The states of the events of these ids; unknown ones are left out."""
    names = ("ID", queue.name_column, "PROCESSED", "DUE_AT", "LAST_ERROR", "LAST_CODE")
    columns = [queue.table.c[name] for name in names]
    found = []
    for part in chunks(list(ids), 500):
        for row in connection.execute(sa.select(*columns).where(queue.table.c["ID"].in_(part))):
            found.append(EventState(bytes(row[0]), *row[1:]))
    return found


def earliest_due(connection: sa.Connection, queues: Sequence[Queue], *, is_partial: bool) -> datetime | None:
    """When the next event of these queues is due, held ones at the end of their lease; None when none waits.

    What an operator has put off for ever (`infinity`) waits for nothing. `is_partial`: see `due_ranges`.
    """
    moments: list[datetime] = []
    for queue in queues:
        due = queue.table.c["DUE_AT"]
        for part in due_ranges(queue, is_partial=is_partial):
            first = part.of(sa.select(due), queue).where(due <= datetime.max).order_by(due).limit(1)
            moments += connection.execute(first).scalars().all()
    return min(moments, default=None)
