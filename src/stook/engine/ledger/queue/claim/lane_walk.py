"""What is due on the lanes of a queue: the lanes in turn, a short range of one index for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from math import ceil
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from stook.engine.ledger.queue.claim.rows import LANE, columns
from stook.engine.ledger.queue.codes import URGENT
from stook.engine.ledger.queue.lanes import LANE_COLUMNS, NEVER
from stook.engine.ledger.queue.model import Queue, by_lane, partition
from stook.engine.ledger.schema import QUEUE_LANE
from stook.engine.ledger.transaction import Transaction, chunks

__all__ = ["LaneWalk"]

ROUND = 200  # lanes in one look
BARREN = 1000  # lanes that may give nothing before a claim ends, so that its transaction is short
TOGETHER = 16  # lanes in one statement, where the engine cannot join laterally
WRITTEN = 40  # lanes written at a time: PostgreSQL makes a table for more


class _Turn(NamedTuple):
    """A lane whose row is locked, as it was found."""

    lane: str
    next_at: Any  # as the driver gives times
    turn: int


@dataclass(slots=True)
class LaneWalk:
    """One claim's way along the lanes that are due, longest first.

    Of a lane named in `room` it takes so many events at most, of any other `each`. Lanes are locked as the walk meets
    them, and those that another claim has locked are passed over. `end` must be called when the events are held.
    """

    transaction: Transaction
    queue: Queue
    now: datetime
    each: int
    room: Mapping[str, int]
    is_cut: bool = False  # ended though further lanes may have events
    _ahead: list[_Turn] = field(default_factory=list)
    _turns: list[_Turn] = field(default_factory=list)
    _barren: int = 0

    def is_over(self, limit: int) -> bool:
        """Whether no lane is due; looks ahead for `limit` events."""
        if not self._ahead:
            self._ahead = self._look(ceil(limit / self.each))
        return not self._ahead

    @property
    def has_met_any(self) -> bool:
        """Whether any lane was due."""
        return bool(self._turns)

    def take(self, limit: int) -> list[Any]:
        """Due rows, locked: up to `limit`."""
        rows: list[Any] = []
        while len(rows) < limit and not self.is_over(limit):
            lanes, self._ahead = self._ahead, []
            found = self._due_of(lanes, limit - len(rows))
            for turn in lanes:
                rows += found.get(turn.lane, [])[: limit - len(rows)]
            self._barren += sum(turn.lane not in found for turn in lanes)
            if len(rows) < limit and self._barren > BARREN:
                self.is_cut = True
                break
            if len(rows) < limit:
                self._ahead = self._look(ceil((limit - len(rows)) * len(self._turns) / max(len(rows), 1)))
                if not self._ahead:
                    break
        return rows

    def end(self, held: Sequence[Any]) -> None:
        """Move on the lanes that gave the rows held, and those that had nothing due: the others keep their turn."""
        if not self._turns:
            return
        served = {row[LANE] for row in held}
        firsts: dict[str, Any] = dict(self._rows(_firsts, [(turn.lane, 1) for turn in self._turns]))
        moved = []
        now, urgent, never = map(self.transaction.moment, (self.now, self.now - URGENT / 2, NEVER))
        for turn in self._turns:
            first = firsts.get(turn.lane, never)
            if turn.lane in served and urgent <= first < now:
                first = now  # to the end of the line
            if turn.lane in served or first > now:
                moved.append((self.queue.name, turn.lane, first, turn.turn + (turn.lane in served)))
        for part in chunks(moved, WRITTEN):
            self.transaction.upsert(QUEUE_LANE, LANE_COLUMNS, part, ["NEXT_AT", "TURN"])

    def _look(self, count: int) -> list[_Turn]:
        """The next lanes in line, locked."""
        passed = [lane for lane, places in self.room.items() if lane and places <= 0]
        passed += [turn.lane for turn in self._turns]
        size = 1 << len(passed).bit_length()
        values: dict[str, Any] = {f"p{number}": lane for number, lane in enumerate(passed)}
        values |= {f"p{number}": "" for number in range(len(passed), size)}
        values |= {"queue": self.queue.name, "now": self.now, "count": max(1, min(count, ROUND))}
        turns = [_Turn(*row) for row in self.transaction.rows(_line(size), values)]
        self._turns += turns
        return turns

    def _due_of(self, turns: Sequence[_Turn], left: int) -> dict[str, list[Any]]:
        places = [(turn.lane, min(self.room.get(turn.lane, self.each), left)) for turn in turns]
        found: dict[str, list[Any]] = defaultdict(list)
        for row in self._rows(_due, places):
            found[row[LANE]].append(row)
        return found

    def _rows(self, statement: Any, places: Sequence[tuple[str, int]]) -> Iterable[Any]:
        """The rows of a statement about so many rows of each lane."""
        if not places:
            return []
        dialect = self.transaction.dialect
        values: dict[str, Any] = {"now": self.now, "last": datetime.max}
        if dialect.joins_laterally:
            lanes, counts = (list(column) for column in zip(*places, strict=True))
            return self.transaction.rows(
                statement(self.queue, dialect.place, 0), values | {"lanes": lanes, "counts": counts}
            )
        rows: list[Any] = []
        for part in chunks(places, TOGETHER):
            filled = [*part, *[("", 0)] * (TOGETHER - len(part))]
            named = {f"lane{number}": lane for number, (lane, _) in enumerate(filled)}
            named |= {f"count{number}": count for number, (_, count) in enumerate(filled)}  # type: ignore[misc]
            rows += self.transaction.rows(statement(self.queue, dialect.place, TOGETHER), values | named)
        return rows


@cache
def _line(passed: int) -> sa.Select[Any]:
    """The lanes that are due, in line, without those passed over."""
    lane, next_at, turn = (QUEUE_LANE.c[name] for name in ("LANE", "NEXT_AT", "TURN"))
    others = lane.not_in([sa.bindparam(f"p{number}", type_=lane.type) for number in range(passed)])
    queue = QUEUE_LANE.c["QUEUE"] == sa.bindparam("queue", type_=QUEUE_LANE.c["QUEUE"].type)
    due = sa.select(lane, next_at, turn).where(queue, next_at <= sa.bindparam("now", type_=next_at.type), others)
    due = due.with_hint(QUEUE_LANE, "FORCE INDEX (`IX_TB_CRAWLER_LANE_NEXT`)", "mysql")
    first = due.order_by(next_at, turn, lane).limit(sa.bindparam("count", type_=sa.Integer))
    return first.with_for_update(skip_locked=True)


@cache
def _due(queue: Queue, place: str, lanes: int) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """Due rows of each lane, oldest first, locked."""
    due = queue.table.c["DUE_AT"]
    return _of_each(queue, columns(queue, place), due <= sa.bindparam("now", type_=due.type), lanes, locked=True)


@cache
def _firsts(queue: Queue, place: str, lanes: int) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """When the first event of each lane is due, whoever holds it: read without a lock, so that none is passed over."""
    lane, due = queue.table.c["LANE"], queue.table.c["DUE_AT"]
    return _of_each(queue, [lane, due], due <= sa.bindparam("last", type_=due.type), lanes, locked=False)


def _of_each(
    queue: Queue, wanted: Sequence[sa.ColumnElement[Any]], where: sa.ColumnElement[bool], lanes: int, *, locked: bool
) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """The first rows of each lane: joined laterally to any number of them, or a union of the ranges of so many."""

    def first(lane: sa.ColumnElement[Any], count: Any) -> sa.Select[Any]:
        table = queue.table
        rows = by_lane(sa.select(*wanted), queue).where(*partition(queue), table.c["LANE"] == lane, where)
        rows = rows.order_by(table.c["DUE_AT"], table.c["ID"]).limit(count)
        return rows.with_for_update(skip_locked=True) if locked else rows

    if lanes:
        kind = queue.table.c["LANE"].type
        ranges = (
            first(sa.bindparam(f"lane{number}", type_=kind), sa.bindparam(f"count{number}", type_=sa.Integer))
            for number in range(lanes)
        )
        return sa.union_all(*(sa.select(rows.subquery(f"r{number}")) for number, rows in enumerate(ranges)))
    arrays = (sa.cast(sa.bindparam(name), ARRAY(kind)) for name, kind in (("lanes", sa.Text), ("counts", sa.Integer)))
    asked = sa.func.unnest(*arrays).table_valued("lane", "count").render_derived("asked")
    rows = first(asked.c.lane, asked.c.count).lateral("found")
    return sa.select(rows).select_from(asked.join(rows, sa.true()))
