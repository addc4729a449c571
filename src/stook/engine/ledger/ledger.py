"""The ledger: events, cursors and validators in one database, and the one transaction that keeps a visit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from math import ceil
from typing import TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Engine

from stook.engine.backoff import BackOff
from stook.engine.clock import Clock
from stook.engine.ledger.batch import BatchWriter
from stook.engine.ledger.dialects import Dialect, is_conflict
from stook.engine.ledger.feeds import read_cursor, read_validators
from stook.engine.ledger.queue.announce import announce_all
from stook.engine.ledger.queue.claim import Claim, ClaimTerms, claim
from stook.engine.ledger.queue.codes import URGENT
from stook.engine.ledger.queue.lanes import overlooked_lanes, wake_lanes
from stook.engine.ledger.queue.lease import free_abandoned, hasten, release, renew
from stook.engine.ledger.queue.model import Queue, by_queue
from stook.engine.ledger.queue.status import EventState, earliest_due, read_states
from stook.engine.ledger.transaction import Transaction
from stook.engine.ledger.visits import Receipt, VisitResult
from stook.engine.words import Announcement, Cursor, Event, Validators

__all__ = ["EACH", "Ledger"]

T = TypeVar("T")
TRIES = 8  # of a write that others are in the way of
CONFLICT = BackOff(0.05, 6.4)
EACH = 8
"""Events that a claim takes from one lane, unless it says otherwise."""
LOOK_FOR_LANES = 16  # claims, of which one looks for lanes where none were, though enough events wait without one
MENDING = 10.0  # seconds between two looks for lanes that no claim would look at
log = structlog.get_logger(__name__)


class Ledger:
    """One database. Methods are plain and block; every write is one transaction."""

    def __init__(
        self, engine: Engine, dialect: Dialect, queues: Sequence[Queue], clock: Clock, lease: float = 120.0
    ) -> None:
        self.engine = engine
        self.dialect = dialect
        self.queues = {queue.name: queue for queue in queues}
        self.clock = clock
        self.lease = timedelta(seconds=lease)
        self._writer = BatchWriter(self.transaction, self._answers, dialect, self.queues, clock)
        self._gains: dict[str, float] = {}  # events per due row looked at, by queue, as the last claim found it
        self._claims = count()
        self._with_lanes: set[str] = set()  # queues in which the last claim met lanes
        self._mended_at: dict[str, float] = {}  # by queue, on the monotonic clock

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A write transaction; rolled back when the block raises."""
        with self.engine.begin() as connection:
            transaction = Transaction(connection, self.dialect)
            yield transaction
            if transaction.woken:
                wake_lanes(transaction)

    def write(self, action: Callable[[Transaction], T]) -> T:
        """What `action` does, in a transaction; when a deadlock or a lock time-out undoes it, it is called again.

        For commands: the loop tries again by itself, and longer.
        """
        pauses = CONFLICT.pauses()
        for tried in range(TRIES):
            try:
                with self.transaction() as transaction:
                    return action(transaction)
            except sa.exc.DBAPIError as error:
                if tried + 1 == TRIES or not is_conflict(error):
                    raise
            self.clock.wait(next(pauses))
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that only reads, and waits for no writer."""
        with self.engine.connect().execution_options(reads_only=True) as connection:
            yield connection

    def claim(
        self,
        queue: str,
        limit: int,
        *,
        each: int = EACH,
        room: Mapping[str, int] | None = None,
        urgent_only: bool = False,
    ) -> list[Event]:
        """Hold up to `limit` due events of a queue, whole packages together; only urgent ones if so wished.

        Where events wait on lanes: up to `each` from a lane, the lanes in turn; from a lane that `room` names, so many
        at most (0: none). Events without a lane have the name "" there. A package that killed workers comes alone.
        """
        terms = (self.queues[queue], limit, max(each, 1), room or {}, urgent_only)
        held = self._claim(*terms)
        while not held.events and held.is_cut:
            held = self._claim(*terms)
        if len(held.events) < limit and self.queues[queue].has_lanes:
            self._mend_lanes(self.queues[queue])
        return list(held.events)

    def _claim(self, queue: Queue, limit: int, each: int, room: Mapping[str, int], urgent_only: bool) -> Claim:
        look = ceil(limit / self._gains.get(queue.name, 1.0))
        with self.transaction() as transaction:
            now = self.clock.now()  # after the wait for the database: a lease must not begin in the past
            turn = next(self._claims)
            expects_lanes = queue.name in self._with_lanes or turn % LOOK_FOR_LANES == 0
            until = now - URGENT / 2 if urgent_only else now
            terms = ClaimTerms(
                queue, now, until, now + self.lease, limit, look, each, room, expects_lanes, lanes_first=turn % 2 == 1
            )
            held = claim(transaction, terms)
        self._gains[queue.name] = held.gain
        if held.has_met_lanes:
            self._with_lanes.add(queue.name)
        elif expects_lanes:
            self._with_lanes.discard(queue.name)
        return held

    def _mend_lanes(self, queue: Queue) -> None:
        """Wake lanes in which an event is due though they sleep. Only SQL by hand, or a clock set back, makes any."""
        moment = self.clock.monotonic()
        if moment - self._mended_at.get(queue.name, moment - MENDING) < MENDING:
            return
        self._mended_at[queue.name] = moment
        with self.reading() as connection:
            is_partial = self.dialect.has_partial_indexes
            lanes = overlooked_lanes(connection, queue, self.clock.now(), is_partial=is_partial)
        if lanes:
            log.warning("lanes were asleep though events are due", queue=queue.name, lanes=len(lanes))
            with self.transaction() as transaction:
                for lane, due_at in lanes.items():
                    transaction.wake_lane(queue.name, lane, due_at)

    def announce(self, announcements: Sequence[Announcement]) -> list[bytes]:
        """Enqueue in one transaction; returns the events' ids in the order given.

        What a person asks for now begins afresh, also where dead workers held it: their events are freed first.
        """
        if any(announcement.urgent for announcement in announcements):
            self.release_abandoned(queues={announcement.queue for announcement in announcements})
        return self.write(lambda transaction: announce_all(transaction, self.queues, announcements, self.clock.now()))

    def renew(self, events: Sequence[Event]) -> None:
        """Hold the events for a whole lease from now, as far as they are still ours."""
        with self.transaction() as transaction:
            until = self.clock.now() + self.lease
            for queue, held in by_queue(self.queues, events):
                renew(transaction, queue, held, until)

    def release(self, events: Sequence[Event]) -> None:
        """Give the events back, as far as they are still ours: anyone may take them at once."""
        with self.transaction() as transaction:
            now = self.clock.now()
            for queue, held in by_queue(self.queues, events):
                release(transaction, queue, held, now)

    def release_abandoned(self, ours: Collection[int] | None = None, queues: Collection[str] | None = None) -> int:
        """Free at once what processes of this host held that are gone; others' leases run out by themselves.

        Looks at these queues, by default at all. With `ours`, the leases that this process knows of, also what it holds
        without knowing: the database kept a claim, and went away before it could say so.
        """
        chosen = [queue for name, queue in self.queues.items() if queues is None or name in queues]
        with self.transaction() as transaction:
            now = self.clock.now()
            return sum(free_abandoned(transaction, queue, now, self.lease, ours) for queue in chosen)

    def hasten(self, queue: str, ids: Sequence[bytes]) -> int:
        """Put those of these events in front that are due; returns how many were not there yet.

        An event loses its place when its holder dies: the command that announced it asks for it again.
        """
        return self.write(lambda transaction: hasten(transaction, self.queues[queue], ids, self.clock.now()))

    def keep(self, batch: Sequence[VisitResult]) -> Receipt:
        """Keep visits in one transaction: records, next events, cursors, validators and each event's end.

        A visit whose lease was lost changes nothing. When the batch as a whole cannot be written, its visits are kept
        one by one, and the one at fault fails with the reason; so they are when the same batch loses the connection
        twice, though the database is there. Other trouble of the database is raised, and nothing is kept; if it came
        after the commit, a second try finds the leases gone and is harmless.
        """
        return self._writer.keep(batch)

    def validators(self, names: Sequence[str]) -> dict[str, Validators]:
        """The validators remembered under these names."""
        with self.reading() as connection:
            return read_validators(connection, names)

    def cursor(self, feed: str) -> Cursor | None:
        """How far a feed was read; None before the first time."""
        with self.reading() as connection:
            return read_cursor(connection, feed)

    def states(self, queue: str, ids: Sequence[bytes]) -> list[EventState]:
        """The states of the events of these ids."""
        with self.reading() as connection:
            return read_states(connection, self.queues[queue], ids)

    def next_due(self, queues: Sequence[str]) -> datetime | None:
        """When the next event of these queues is due; None when none waits."""
        with self.reading() as connection:
            chosen = [self.queues[name] for name in queues]
            return earliest_due(connection, chosen, is_partial=self.dialect.has_partial_indexes)

    def _answers(self) -> bool:
        """Whether the database is there."""
        try:
            with self.reading() as connection:
                connection.execute(sa.select(sa.literal(1)))
        except sa.exc.DBAPIError:
            return False
        return True
