"""Keeping what visits found: records, each event's end, next events, cursors, validators, in one transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import sqlalchemy as sa

from stook.engine.errors import FailureCode, StookError
from stook.engine.ledger.dialects import is_too_large
from stook.engine.ledger.feeds import write_cursors, write_validators
from stook.engine.ledger.queue.announce import announce_all
from stook.engine.ledger.queue.lease import held, release
from stook.engine.ledger.queue.model import Queue, by_queue
from stook.engine.ledger.queue.settle import settle
from stook.engine.ledger.transaction import Transaction
from stook.engine.words import Code, Event, Found, Outcome, Source, Validators, Written

__all__ = ["LeaseLost", "Receipt", "VisitResult", "failed", "joined", "keep", "keep_held"]


class LeaseLost(Exception):
    """Some event is no longer ours: nothing of the transaction may be kept."""


@dataclass(frozen=True, slots=True)
class VisitResult:
    """What a visit found, to be kept: its events, what it learnt, and the validators of the replies it read.

    It is the end of the visit, or a part (`is_part`) of one that goes on and holds its events.
    """

    source: Source
    events: Sequence[Event]
    found: Found
    validators: Mapping[str, Validators] = field(default_factory=dict)
    is_part: bool = False

    def outcome_of(self, event: Event) -> Outcome:
        return self.found.outcomes.get(event.id, self.found.outcome)


@dataclass(slots=True)
class Receipt:
    """What keeping a batch changed; `lost` counts visits of which nothing was written, as their lease was gone."""

    ends: list[tuple[Event, Outcome]] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    unchanged: Counter[str] = field(default_factory=Counter)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    lost: int = 0

    @property
    def outcomes(self) -> Counter[Code]:
        """Events by how they ended."""
        return Counter(outcome.code for _, outcome in self.ends)

    def add(self, written: Written) -> None:
        self.written.update(written.written)
        self.unchanged.update(written.unchanged)
        self.rejected.extend(written.rejected)


def keep(transaction: Transaction, queues: Mapping[str, Queue], batch: Sequence[VisitResult], now: datetime) -> Receipt:
    """Write what visits found. Raises LeaseLost if one of their events is no longer ours: see `keep_held`."""
    parts = [visit for visit in batch if visit.is_part]
    if _by_lease(transaction, queues, parts)[1]:
        raise LeaseLost
    return _write(transaction, queues, batch, now)


def keep_held(
    transaction: Transaction, queues: Mapping[str, Queue], batch: Sequence[VisitResult], now: datetime
) -> Receipt:
    """Write what visits found, but for those whose lease was lost; what such a one still holds is free again.

    All their events are looked at first, which `keep` spares itself.
    """
    whole, lost = _by_lease(transaction, queues, batch)
    for queue, events in by_queue(queues, [event for visit in lost for event in visit.events]):
        release(transaction, queue, events, now)
    receipt = _write(transaction, queues, whole, now)
    receipt.lost = len(lost)
    return receipt


def _write(
    transaction: Transaction, queues: Mapping[str, Queue], whole: Sequence[VisitResult], now: datetime
) -> Receipt:
    """The ends first, as they tell whether the events are ours; then nobody else may have them until we commit."""
    ended = [visit for visit in whole if not visit.is_part]
    receipt = Receipt([(event, visit.outcome_of(event)) for visit in ended for event in visit.events])
    if _settle(transaction, queues, receipt.ends, now) < len(receipt.ends):
        raise LeaseLost
    for source, visits in _by_source(whole):
        records = [record for visit in visits for record in visit.found.records]
        if records:
            receipt.add(source.keep(transaction, records, now))
    announcements = [announcement for visit in whole for announcement in visit.found.announcements]
    announce_all(transaction, queues, announcements, now)
    write_cursors(transaction, [visit.found.cursor for visit in whole if visit.found.cursor], now)
    known = {url: validators for visit in whole for url, validators in visit.validators.items()}
    write_validators(transaction, known, {url for visit in whole for url in visit.found.forget}, now)
    return receipt


def failed(visit: VisitResult, error: Exception) -> VisitResult:
    """The visit as it ends when the database, or its own source, cannot keep what it found."""
    cause = getattr(error, "orig", None) or error
    reason = f"cannot be kept: {type(cause).__name__}: {cause}"[:400]
    outcome = Outcome(Code.FAILED, reason, failure=_code_of(error))
    return replace(visit, found=Found(outcome), validators={}, is_part=False)


def _code_of(error: Exception) -> FailureCode:
    if isinstance(error, StookError):
        return error.code
    is_data = isinstance(error, sa.exc.DBAPIError) and is_too_large(error)
    return FailureCode.TOO_LARGE if is_data else FailureCode.NOT_KEPT


def joined(parts: Sequence[Receipt]) -> Receipt:
    """The sum."""
    whole = Receipt()
    for part in parts:
        whole.ends += part.ends
        whole.written += part.written
        whole.unchanged += part.unchanged
        whole.rejected += part.rejected
        whole.lost += part.lost
    return whole


def _by_lease(
    transaction: Transaction, queues: Mapping[str, Queue], batch: Sequence[VisitResult]
) -> tuple[list[VisitResult], list[VisitResult]]:
    """The visits all of whose events are still ours, and the others."""
    ours: set[tuple[str, bytes]] = set()
    for queue, events in by_queue(queues, [event for visit in batch for event in visit.events]):
        ours |= {(queue.name, identity) for identity in held(transaction, queue, events)}
    parts: tuple[list[VisitResult], list[VisitResult]] = ([], [])
    for visit in batch:
        parts[not all((event.queue, event.id) in ours for event in visit.events)].append(visit)
    return parts


def _by_source(visits: Sequence[VisitResult]) -> list[tuple[Source, list[VisitResult]]]:
    groups: dict[int, list[VisitResult]] = defaultdict(list)
    for visit in visits:
        groups[id(visit.source)].append(visit)
    return [(group[0].source, group) for group in groups.values()]


def _settle(
    transaction: Transaction, queues: Mapping[str, Queue], ends: Sequence[tuple[Event, Outcome]], now: datetime
) -> int:
    groups: dict[str, list[tuple[Event, Outcome]]] = defaultdict(list)
    for event, outcome in ends:
        groups[event.queue].append((event, outcome))
    return sum(settle(transaction, queues[name], groups[name], now) for name in sorted(groups))
