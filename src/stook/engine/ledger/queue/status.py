"""Where events stand: one by one, and when the next is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from stook.engine.ledger.queue.model import Queue, by_due
from stook.engine.ledger.transaction import chunks

__all__ = ["Standing", "read_standing", "soonest"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an event stands now."""

    id: bytes
    name: str
    processed: int
    due_at: datetime | None
    last_error: str | None

    @property
    def is_held(self) -> bool:
        return 20 <= self.processed <= 29


def read_standing(connection: sa.Connection, queue: Queue, ids: Sequence[bytes]) -> list[Standing]:
    """Where the events of these ids stand; unknown ones are left out."""
    columns = [queue.table.c[name] for name in ("ID", queue.name_column, "PROCESSED", "DUE_AT", "LAST_ERROR")]
    found = []
    for part in chunks(list(ids), 500):
        for row in connection.execute(sa.select(*columns).where(queue.table.c["ID"].in_(part))):
            found.append(Standing(bytes(row[0]), *row[1:]))
    return found


def soonest(connection: sa.Connection, queues: Sequence[Queue]) -> datetime | None:
    """When the next event of these queues is due, held ones at the end of their lease; None when none waits.

    What an operator has put off for ever (`infinity`) waits for nothing.
    """
    moments: list[datetime] = []
    for queue in queues:
        due = queue.table.c["DUE_AT"]
        first = by_due(sa.select(due), queue).where(due <= datetime.max).order_by(due).limit(1)
        moments += connection.execute(first).scalars().all()
    return min(moments, default=None)
