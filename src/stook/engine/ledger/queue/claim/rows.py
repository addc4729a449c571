"""The rows that a claim reads, and the events that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from stook.engine.ledger.queue.codes import held_code, next_deliveries
from stook.engine.ledger.queue.model import Queue, read_facts
from stook.engine.words import Cursor, Event

__all__ = ["DUE_AT", "ID", "LANE", "NAME", "PLACE", "columns", "deaths", "event_of"]

ID: Final = 0
NAME: Final = 1
PROCESSED: Final = 3
DUE_AT: Final = 6
DELIVERIES: Final = 7
LANE: Final = 8
PLACE: Final = -1
"""Where a row, as the driver gives it, has these columns."""


def columns(queue: Queue, place: str) -> list[sa.ColumnElement[Any]]:
    """The columns of a claim's rows, in order; those of facts stand before the last."""
    table = queue.table
    version: sa.ColumnElement[Any] = table.c[queue.version_column] if queue.version_column else sa.literal_column("''")
    lane: sa.ColumnElement[Any] = table.c["LANE"] if queue.has_lanes else sa.literal_column("''")
    states = ("PROCESSED", "ATTEMPTS", "RESYNC", "DUE_AT", "DELIVERIES")
    return [
        table.c["ID"],
        table.c[queue.name_column],
        version.label("V"),
        *(table.c[name] for name in states),
        lane.label("L"),
        *(table.c[name] for name in queue.fact_columns),
        sa.literal_column(place).label("PLACE"),
    ]


def deaths(row: Sequence[Any]) -> int:
    """How many workers died while they held it, the last of them perhaps just now."""
    return next_deliveries(row[DELIVERIES], row[PROCESSED])


def event_of(
    queue: Queue, row: Sequence[Any], urgent_before: Any, token: int, cursors: Mapping[str, Cursor | None] | None
) -> Event:
    """The event; `urgent_before` is a moment as the driver gives it."""
    identity, name, version, processed, attempts, resync, due_at, _, lane, *rest, _ = row
    facts = dict(zip(queue.fact_columns, rest, strict=True))
    facts |= read_facts(name, facts.pop("FACTS", None))
    if cursors is not None:
        facts["cursor"] = cursors[name]
    return Event(
        queue=queue.name,
        id=bytes(identity),
        name=name,
        version=version,
        kind=queue.kind,
        processed=held_code(processed),
        attempts=attempts,
        resync=bool(resync),
        urgent=due_at < urgent_before,
        lease=token,
        lane=lane,
        deliveries=deaths(row),
        facts=facts,
    )
