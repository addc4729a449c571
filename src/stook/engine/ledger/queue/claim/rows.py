"""The rows that a claim reads, and the events that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from stook.engine.ledger.queue.codes import held_code, next_deliveries
from stook.engine.ledger.queue.model import Queue, read_facts
from stook.engine.words import Cursor, Event

__all__ = ["DELIVERIES", "DUE_AT", "ID", "LANE", "NAME", "PLACE", "PROCESSED", "columns", "deaths", "events_of"]

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


def events_of(
    queue: Queue, rows: Sequence[Any], urgent_before: Any, token: int, cursors: Mapping[str, Cursor | None] | None
) -> list[Event]:
    """The events; `urgent_before` is a moment as the driver gives it. All in one loop: it runs a million times."""
    events = []
    fact_columns = queue.fact_columns
    for identity, name, version, code, attempts, resync, due_at, deliveries, lane, *values, _ in rows:
        facts = dict(zip(fact_columns, values))  # noqa: B905  the statement has as many
        if packed := facts.pop("FACTS", None):
            facts |= read_facts(name, packed)
        if cursors is not None:
            facts["cursor"] = cursors[name]
        held = held_code(code)
        deaths = deliveries + 1 if held == code else deliveries  # it was held before, by a worker that died
        state = (held, attempts, resync != 0, due_at < urgent_before, token, lane, deaths)
        events.append(Event(queue.name, bytes(identity), name, version, queue.kind, *state, facts))
    return events
