"""The ledger: events, cursors and validators in one database, and the one transaction that keeps a visit."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import ceil
from threading import Event as Flag
from typing import TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Engine

from stook.engine.clock import Clock
from stook.engine.ledger.dialects import Dialect, is_conflict
from stook.engine.ledger.feeds import read_cursor, read_validators
from stook.engine.ledger.keep import Finished, Kept, LeaseLost, failed, joined, keep, keep_held
from stook.engine.ledger.queue.announce import announce_all
from stook.engine.ledger.queue.claim import claim
from stook.engine.ledger.queue.lease import free_abandoned, hold_until
from stook.engine.ledger.queue.model import Queue, by_queue
from stook.engine.ledger.queue.status import Standing, read_standing, soonest
from stook.engine.ledger.transaction import Transaction
from stook.engine.words import Announcement, Cursor, Event, Validators

__all__ = ["Finished", "Kept", "Ledger", "Standing"]

T = TypeVar("T")
TRIES = 8  # of a write that others are in the way of
PAUSE = 0.05  # seconds until the second, doubling with each
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
        self._gains: dict[str, float] = {}  # events per due row looked at, by queue, as the last claim found it

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A write transaction; rolled back when the block raises."""
        with self.engine.begin() as connection:
            yield Transaction(connection, self.dialect)

    def write(self, action: Callable[[Transaction], T]) -> T:
        """What `action` does, in a transaction; when a deadlock or a lock time-out undoes it, it is called again.

        For commands: the loop tries again by itself, and longer.
        """
        for tried in range(TRIES):
            try:
                with self.transaction() as transaction:
                    return action(transaction)
            except sa.exc.DBAPIError as error:
                if tried + 1 == TRIES or not is_conflict(error):
                    raise
            Flag().wait(PAUSE * 2**tried * random.uniform(0.5, 1.5))  # noqa: S311  spreading, not secrecy
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that only reads, and waits for no writer."""
        with self.engine.connect().execution_options(reads_only=True) as connection:
            yield connection

    def claim(self, queue: str, limit: int, *, each: int = 0, room: Mapping[str, int] | None = None) -> list[Event]:
        """Hold up to `limit` due events of a queue, whole packages together."""
        with self.transaction() as transaction:
            now = self.clock.now()  # after the wait for the database: a lease must not begin in the past
            look = ceil(limit / self._gains.get(queue, 1.0))
            events, self._gains[queue] = claim(transaction, self.queues[queue], now, limit, now + self.lease, look)
            return events

    def announce(self, some: Sequence[Announcement]) -> list[bytes]:
        """Enqueue in one transaction; returns the events' ids in the order given."""
        return self.write(lambda transaction: announce_all(transaction, self.queues, some, self.clock.now()))

    def renew(self, events: Sequence[Event]) -> None:
        """Hold the events for a whole lease from now, as far as they are still ours."""
        self._hold_for(events, self.lease)

    def release(self, events: Sequence[Event]) -> None:
        """Give the events back, as far as they are still ours: anyone may take them at once."""
        self._hold_for(events, timedelta())

    def release_abandoned(self, ours: Collection[int] | None = None) -> int:
        """Free at once what processes of this host held that are gone; others' leases run out by themselves.

        With `ours`, the leases that this process knows of, also what it holds without knowing: the database kept a
        claim, and went away before it could say so.
        """
        with self.transaction() as transaction:
            now = self.clock.now()
            return sum(free_abandoned(transaction, queue, now, self.lease, ours) for queue in self.queues.values())

    def keep(self, batch: Sequence[Finished]) -> Kept:
        """Keep visits in one transaction: records, next events, cursors, validators and each event's end.

        A visit whose lease was lost changes nothing. When the batch as a whole cannot be written, its
        visits are kept one by one, and the one at fault fails with the reason. Trouble of the database itself is
        raised, and nothing is kept; if it came after the commit, a second try finds the leases gone and is harmless.
        """
        try:
            return self._keep_all(batch)
        except Exception as error:
            if self._may_pass(error):
                raise
        with self.transaction() as transaction:
            return joined([self._keep_alone(transaction, visit) for visit in batch])

    def _keep_all(self, batch: Sequence[Finished]) -> Kept:
        try:
            with self.transaction() as transaction:
                return keep(transaction, self.queues, batch, self.clock.now())
        except LeaseLost:
            with self.transaction() as transaction:
                return keep_held(transaction, self.queues, batch, self.clock.now())

    def _keep_alone(self, transaction: Transaction, visit: Finished) -> Kept:
        now = self.clock.now()
        try:
            with transaction.connection.begin_nested():
                return keep_held(transaction, self.queues, [visit], now)
        except Exception as error:
            if self._may_pass(error):
                raise
            log.warning("visit cannot be kept", package=visit.events[0].name, exc_info=_is_ours(error))
            return keep_held(transaction, self.queues, [failed(visit, error)], now)

    def _may_pass(self, error: Exception) -> bool:
        return isinstance(error, sa.exc.DBAPIError) and not self.dialect.is_refusal(error)

    def _hold_for(self, events: Sequence[Event], time: timedelta) -> None:
        with self.transaction() as transaction:
            due = self.clock.now() + time
            for queue, some in by_queue(self.queues, events):
                hold_until(transaction, queue, some, due)

    def validators(self, names: Sequence[str]) -> dict[str, Validators]:
        """The validators remembered under these names."""
        with self.reading() as connection:
            return read_validators(connection, names)

    def cursor(self, feed: str) -> Cursor | None:
        """How far a feed was read; None before the first time."""
        with self.reading() as connection:
            return read_cursor(connection, feed)

    def standing(self, queue: str, ids: Sequence[bytes]) -> list[Standing]:
        """Where the events of these ids stand."""
        with self.reading() as connection:
            return read_standing(connection, self.queues[queue], ids)

    def next_due(self, queues: Sequence[str]) -> datetime | None:
        """When the next event of these queues is due; None when none waits."""
        with self.reading() as connection:
            return soonest(connection, [self.queues[name] for name in queues])


def _is_ours(error: Exception) -> bool:
    """Whether the fault is in code, a source's `keep` mostly, and deserves its traceback."""
    return not isinstance(error, sa.exc.DBAPIError)
