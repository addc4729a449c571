"""The table, the queue and the source of lighthouses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stook.api import (
    Code,
    Event,
    Found,
    Identity,
    LongText,
    Moment,
    Outcome,
    Request,
    Transaction,
    Visit,
    Written,
    column,
    poll_queue,
    table,
)

__all__ = ["LIGHT", "QUEUE", "Light", "Lights", "keep_lights"]

LIGHT = table(
    "TB_LIGHT",
    column("NAME", Identity(64), key=True),
    column("COLOUR", LongText(), null=False),
    column("SEEN", Moment(), null=False),
)
QUEUE = poll_queue("lights", "file")


@dataclass(frozen=True, slots=True)
class Light:
    """A record."""

    name: str
    colour: str


def keep_lights(transaction: Transaction, records: Sequence[Light], now: datetime) -> Written:
    """Write the lights; one that is there gets its new colour."""
    rows = [(light.name, light.colour, transaction.moment(now)) for light in records]
    transaction.upsert(LIGHT, ["NAME", "COLOUR", "SEEN"], rows, ["COLOUR"])
    return Written({"light": len(rows)})


@dataclass(frozen=True, slots=True)
class Lights:
    """A text file a light, which holds its colour."""

    url: str
    colour: str
    tasks: int
    batch: int
    name: str = "lights"
    queues: tuple[str, ...] = (QUEUE.name,)

    def visit(self, events: Sequence[Event]) -> Visit:
        name = events[0].name
        reply = yield Request(f"{self.url}/{name}.txt", lane="lights.list", content_types=("text/plain",))
        if reply.status == 404:
            return Found(Outcome(Code.NOT_FOUND, "there is no such light", 404))
        colour = reply.body.decode().strip()
        if colour != self.colour:
            return Found(Outcome(Code.EXCLUDED, f"it is {colour}"))
        return Found(records=[Light(name, colour)])

    def keep(self, transaction: Transaction, records: Sequence[Light], now: datetime) -> Written:
        return keep_lights(transaction, records, now)
