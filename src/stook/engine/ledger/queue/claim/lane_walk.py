"""What is due on the lanes of a queue: the lanes in turn, a short range of one index for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from typing import Any, NamedTuple

from stook.engine.ledger.queue.claim.lane_ranges import due_lanes, due_on_lanes, first_on_lanes
from stook.engine.ledger.queue.claim.rows import LANE
from stook.engine.ledger.queue.codes import URGENT
from stook.engine.ledger.queue.lanes import LANE_COLUMNS, NEVER
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.schema import QUEUE_LANE
from stook.engine.ledger.transaction import Transaction, chunks

__all__ = ["LaneWalk"]

ROUND = 200  # lanes in one look
BARREN = 1000  # lanes that may give nothing before a claim ends, so that its transaction is short
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

    def end(self, held: Sequence[Any], left: Collection[str]) -> None:
        """Move on the lanes that gave the rows held, and those that had nothing due: the others keep their turn.

        So do the lanes `left`, where an event waits to be the first in line.
        """
        if not self._turns:
            return
        served = {row[LANE] for row in held}.difference(left)
        firsts = first_on_lanes(self.transaction, self.queue, [turn.lane for turn in self._turns])
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
        full = [lane for lane, places in self.room.items() if lane and places <= 0]
        passed = [*full, *(turn.lane for turn in self._turns)]
        count = max(1, min(count, ROUND))
        turns = [_Turn(*row) for row in due_lanes(self.transaction, self.queue, self.now, count, passed)]
        self._turns += turns
        return turns

    def _due_of(self, turns: Sequence[_Turn], left: int) -> dict[str, list[Any]]:
        counts = {turn.lane: min(self.room.get(turn.lane, self.each), left) for turn in turns}
        found: dict[str, list[Any]] = defaultdict(list)
        for row in due_on_lanes(self.transaction, self.queue, self.now, counts):
            found[row[LANE]].append(row)
        return found
