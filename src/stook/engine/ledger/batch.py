"""Keeping a batch of visits: all in one transaction, or one by one, so that a visit at fault fails alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

import sqlalchemy as sa
import structlog

from stook.engine.clock import Clock
from stook.engine.ledger.dialects import Dialect
from stook.engine.ledger.queue.model import Queue
from stook.engine.ledger.transaction import Transaction
from stook.engine.ledger.visits import LeaseLost, Receipt, VisitResult, failed, joined, keep, keep_held

__all__ = ["BatchWriter"]

LOSSES = 2  # of the connection, by the same visits in a row, until they are suspected of it
log = structlog.get_logger(__name__)


class BatchWriter:
    """Writes batches; `begin` opens a transaction, `ping` says whether the database answers at all."""

    def __init__(
        self,
        begin: Callable[[], AbstractContextManager[Transaction]],
        ping: Callable[[], bool],
        dialect: Dialect,
        queues: Mapping[str, Queue],
        clock: Clock,
    ) -> None:
        self._begin = begin
        self._ping = ping
        self._dialect = dialect
        self._queues = queues
        self._clock = clock
        self._losses: tuple[tuple[int, ...], int] = ((), 0)  # the leases of the batch that was last to lose, how often

    def keep(self, batch: Sequence[VisitResult]) -> Receipt:
        """Keep the batch, or raise trouble of the database that may pass (see `Ledger.keep`)."""
        try:
            return self._together(batch)
        except Exception as error:
            if self._loses_connections(batch, error):
                return joined([self._in_its_own_transaction(visit) for visit in batch])
            if self._may_pass(error):
                raise
        with self._begin() as transaction:
            return joined([self._in_a_savepoint(transaction, visit) for visit in batch])

    def _together(self, batch: Sequence[VisitResult]) -> Receipt:
        try:
            with self._begin() as transaction:
                return keep(transaction, self._queues, batch, self._clock.now())
        except LeaseLost:
            with self._begin() as transaction:
                return keep_held(transaction, self._queues, batch, self._clock.now())

    def _in_a_savepoint(self, transaction: Transaction, visit: VisitResult) -> Receipt:
        now = self._clock.now()
        try:
            with transaction.connection.begin_nested():
                return keep_held(transaction, self._queues, [visit], now)
        except Exception as error:
            if self._may_pass(error):
                raise
            return self._failed(transaction, visit, error)

    def _in_its_own_transaction(self, visit: VisitResult) -> Receipt:
        """For visits of which one ends the connection, so that no savepoint outlives it."""
        losses: list[Exception] = []
        while len(losses) < LOSSES:
            try:
                with self._begin() as transaction:
                    return self._in_a_savepoint(transaction, visit)
            except sa.exc.DBAPIError as error:
                if not (_is_lost(error) and self._ping()):
                    raise
                losses.append(error)
        with self._begin() as transaction:
            return self._failed(transaction, visit, losses[-1])

    def _failed(self, transaction: Transaction, visit: VisitResult, error: Exception) -> Receipt:
        is_ours = not isinstance(error, sa.exc.DBAPIError)  # in code, a source's `keep` mostly: it deserves a traceback
        log.warning("visit cannot be kept", package=visit.events[0].name, exc_info=is_ours)
        return keep_held(transaction, self._queues, [failed(visit, error)], self._clock.now())

    def _loses_connections(self, batch: Sequence[VisitResult], error: Exception) -> bool:
        """Whether the same batch lost the connection again: kept one by one, its visits show which of them does it."""
        if not (isinstance(error, sa.exc.DBAPIError) and _is_lost(error)):
            return False
        leases = tuple(event.lease for visit in batch for event in visit.events)
        before, losses = self._losses
        self._losses = (leases, losses + 1 if leases == before else 1)
        return self._losses[1] >= LOSSES

    def _may_pass(self, error: Exception) -> bool:
        return isinstance(error, sa.exc.DBAPIError) and not self._dialect.is_refusal(error)


def _is_lost(error: sa.exc.DBAPIError) -> bool:
    return bool(error.connection_invalidated)
