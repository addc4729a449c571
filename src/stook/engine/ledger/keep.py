"""Keeping visits: records, each event's end, next events, cursors and validators, all in one transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from stook.engine.errors import FailureCode
from stook.engine.ledger.feeds import write_cursors, write_validators
from stook.engine.ledger.queue.announce import announce_all
from stook.engine.ledger.queue.lease import held, hold_until
from stook.engine.ledger.queue.model import Queue, by_queue
from stook.engine.ledger.queue.settle import settle
from stook.engine.ledger.transaction import Transaction
from stook.engine.words import Code, Event, Found, Outcome, Source, Validators, Written

__all__ = ["Finished", "Kept", "LeaseLost", "failed", "joined", "keep", "keep_held"]


class LeaseLost(Exception):
    """Some event is no longer ours: nothing of the transaction may be kept."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A visit that ended: what it was about, what it taught, and the validators of the replies it read.

    Of one that goes on (`is_part`) the events stay held.
    """

    source: Source
    events: Sequence[Event]
    found: Found
    validators: Mapping[str, Validators] = field(default_factory=dict)
    is_part: bool = False

    def outcome_of(self, event: Event) -> Outcome:
        return self.found.outcomes.get(event.id, self.found.outcome)


@dataclass(slots=True)
class Kept:
    """What a batch of visits changed; `lost` counts visits of which nothing was written, as their lease was gone."""

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


def keep(transaction: Transaction, queues: Mapping[str, Queue], batch: Sequence[Finished], now: datetime) -> Kept:
    """Write what visits found. Raises LeaseLost if one of their events is no longer ours: see `keep_held`."""
    parts = [visit for visit in batch if visit.is_part]
    if _by_lease(transaction, queues, parts)[1]:
        raise LeaseLost
    return _write(transaction, queues, batch, now)


def keep_held(transaction: Transaction, queues: Mapping[str, Queue], batch: Sequence[Finished], now: datetime) -> Kept:
    """Write what visits found, but for those whose lease was lost; what such a one still holds is free again.

    All their events are looked at first, which `keep` spares itself.
    """
    whole, lost = _by_lease(transaction, queues, batch)
    for queue, events in by_queue(queues, [event for visit in lost for event in visit.events]):
        hold_until(transaction, queue, events, now)
    kept = _write(transaction, queues, whole, now)
    kept.lost = len(lost)
    return kept


def _write(transaction: Transaction, queues: Mapping[str, Queue], whole: Sequence[Finished], now: datetime) -> Kept:
    """The ends first, as they tell whether the events are ours; then nobody else may have them until we commit."""
    ended = [visit for visit in whole if not visit.is_part]
    kept = Kept([(event, visit.outcome_of(event)) for visit in ended for event in visit.events])
    if _settle(transaction, queues, kept.ends, now) < len(kept.ends):
        raise LeaseLost
    for source, visits in _by_source(whole):
        records = [record for visit in visits for record in visit.found.records]
        if records:
            kept.add(source.keep(transaction, records, now))
    announce_all(transaction, queues, [one for visit in whole for one in visit.found.announcements], now)
    write_cursors(transaction, [visit.found.cursor for visit in whole if visit.found.cursor], now)
    known = {url: one for visit in whole for url, one in visit.validators.items()}
    write_validators(transaction, known, {url for visit in whole for url in visit.found.forget}, now)
    return kept


def failed(visit: Finished, error: Exception) -> Finished:
    """The visit as it ends when the database, or its own source, cannot keep what it found."""
    cause = getattr(error, "orig", None) or error
    reason = f"cannot be kept: {type(cause).__name__}: {cause}"[:400]
    outcome = Outcome(Code.FAILED, reason, failure=FailureCode.NOT_KEPT)
    return replace(visit, found=Found(outcome), validators={}, is_part=False)


def joined(parts: Sequence[Kept]) -> Kept:
    """The sum."""
    whole = Kept()
    for part in parts:
        whole.ends += part.ends
        whole.written += part.written
        whole.unchanged += part.unchanged
        whole.rejected += part.rejected
        whole.lost += part.lost
    return whole


def _by_lease(
    transaction: Transaction, queues: Mapping[str, Queue], batch: Sequence[Finished]
) -> tuple[list[Finished], list[Finished]]:
    """The visits all of whose events are still ours, and the others."""
    ours: set[tuple[str, bytes]] = set()
    for queue, events in by_queue(queues, [event for visit in batch for event in visit.events]):
        ours |= {(queue.name, identity) for identity in held(transaction, queue, events)}
    parts: tuple[list[Finished], list[Finished]] = ([], [])
    for visit in batch:
        parts[not all((event.queue, event.id) in ours for event in visit.events)].append(visit)
    return parts


def _by_source(visits: Sequence[Finished]) -> list[tuple[Source, list[Finished]]]:
    groups: dict[int, list[Finished]] = defaultdict(list)
    for visit in visits:
        groups[id(visit.source)].append(visit)
    return [(some[0].source, some) for some in groups.values()]


def _settle(
    transaction: Transaction, queues: Mapping[str, Queue], ends: Sequence[tuple[Event, Outcome]], now: datetime
) -> int:
    groups: dict[str, list[tuple[Event, Outcome]]] = defaultdict(list)
    for event, outcome in ends:
        groups[event.queue].append((event, outcome))
    return sum(settle(transaction, queues[name], groups[name], now) for name in sorted(groups))
