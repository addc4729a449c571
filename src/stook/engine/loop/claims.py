"""What a worker takes from the queues: as much as its sources have places for, and as their lanes have room for."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from stook.engine.ledger import Ledger
from stook.engine.loop.active_visit import ActiveVisit
from stook.engine.loop.database import DatabaseThread
from stook.engine.words import Event, Source

__all__ = ["SUSPECT", "Claims", "are_suspect"]

EACH = 4  # events in hand that a lane gets at least
LANES = 256  # lanes that a worker serves side by side
LANE_PAUSE = 0.05  # seconds between two claims of a source whose events have lanes
SUSPECT = 2  # workers that died while they held an event, after which it is looked at alone


class Claims:
    """Claims events and makes visits of them. It knows all that this worker holds, also what no visit has yet."""

    def __init__(self, ledger: Ledger, database: DatabaseThread, *, urgent_only: bool = False) -> None:
        self._ledger = ledger
        self._database = database
        self._urgent_only = urgent_only
        self._taken: list[Event] = []  # claimed; their visits are not made yet
        self._returned: list[Event] = []  # of visits that were given up after a stop
        self._visits: dict[ActiveVisit, None] = {}  # under way, or not kept yet
        self._lanes: Counter[str] = Counter()  # visits in hand by lane
        self._next_claim: dict[int, float] = {}  # by source: when lanes may be claimed again
        self._busy: Counter[int] = Counter()  # visits of events without a lane, by source
        self._is_unsure = False  # whether a claim may have been kept though its answer never came

    @property
    def is_empty(self) -> bool:
        """Whether this worker holds no event."""
        return not self._visits and not self._taken

    @property
    def has_no_visits(self) -> bool:
        return not self._visits

    def has_others(self, visits: Sequence[ActiveVisit]) -> bool:
        """Whether visits beside these are under way or not kept."""
        return len(self._visits) > sum(visit in self._visits for visit in visits)

    @property
    def has_lanes(self) -> bool:
        """Whether a lane may want its next events before a visit ends."""
        return bool(self._lanes)

    def events(self) -> list[Event]:
        """All events of visits that are under way or not kept."""
        return [event for visit in list(self._visits) for event in visit.events]

    def wants(self, source: Source) -> bool:
        """Whether a claim for this source makes sense now."""
        if self._busy[id(source)] >= source.tasks and not self._lanes:
            return False
        return not self._lanes or time.monotonic() >= self._next_claim.get(id(source), 0.0)

    async def claim(self, source: Source) -> list[ActiveVisit]:
        """Claim for a source, and make a visit of all due events of each package; the visits are begun."""
        await self._database.call(self._take, source)
        self._next_claim[id(source)] = time.monotonic() + LANE_PAUSE
        events, self._taken = self._taken, []
        packages: dict[tuple[str, str], list[Event]] = defaultdict(list)
        for event in events:
            packages[event.lane, event.name].append(event)
        visits = [ActiveVisit(source, members) for members in packages.values()]
        for visit in visits:
            self._add(visit)
            visit.begin()
        return visits

    def drop(self, visit: ActiveVisit) -> None:
        """The visit's end is kept."""
        self._visits.pop(visit, None)

    def leave_place(self, visit: ActiveVisit) -> None:
        """The visit is over; its place is free, though its end is not kept yet."""
        if not visit.lane:
            self._busy[id(visit.source)] -= 1
            return
        self._lanes[visit.lane] -= 1
        if not self._lanes[visit.lane]:
            del self._lanes[visit.lane]

    def give_back(self, visit: ActiveVisit) -> None:
        """The visit is given up: its events are free again when the run ends."""
        self._returned += visit.events
        self.drop(visit)
        self.leave_place(visit)

    def release(self) -> None:
        """Free all that is held. Runs in the database's thread."""
        left = [*self._taken, *self._returned, *self.events()]
        if left:
            self._ledger.release(left)

    def _add(self, visit: ActiveVisit) -> None:
        self._visits[visit] = None
        if visit.lane:
            self._lanes[visit.lane] += 1
        else:
            self._busy[id(visit.source)] += 1

    def _take(self, source: Source) -> None:
        """Runs in the database's thread: what it claims is known here even if nobody waits for the answer any more.

        When the answer of the last claim was lost, leases that the database kept and we do not know are freed first.
        """
        if self._is_unsure:
            self._ledger.release_abandoned({event.lease for event in [*self.events(), *self._taken]}, source.queues)
        self._is_unsure = True
        each, room = self._room(source)
        for queue in source.queues:
            if len(self._taken) < source.batch:
                left = source.batch - len(self._taken)
                self._taken += self._ledger.claim(queue, left, each=each, room=room, urgent_only=self._urgent_only)
        self._is_unsure = False

    def _room(self, source: Source) -> tuple[int, dict[str, int]]:
        """How many events a lane gets, and how many each of the lanes in hand may still take.

        A few lanes get many events each, so that they last until the next claim; many lanes get few.
        """
        lanes = dict(self._lanes)
        each = max(EACH, source.batch // len(lanes)) if lanes else EACH
        room = {lane: max(each - held, 0) for lane, held in lanes.items()}
        if self._busy[id(source)] >= source.tasks:
            room[""] = 0  # events without a lane have no free place
        return (each if len(lanes) < LANES else 0), room


def are_suspect(visits: Sequence[ActiveVisit]) -> bool:
    """Whether a worker died more than once with one of these events in hand."""
    return any(event.deliveries >= SUSPECT for visit in visits for event in visit.events)
