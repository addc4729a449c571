"""Counts what was kept, and logs each failure once."""

from __future__ import annotations

import structlog

from stook.engine.ledger import Receipt
from stook.engine.tally import Tally
from stook.engine.words import Code, Event, Outcome

__all__ = ["count_kept"]

log = structlog.get_logger(__name__)


def count_kept(tally: Tally, kept: Receipt) -> None:
    """Add one transaction to the tally."""
    tally.kept += 1
    tally.outcomes.update({code.name.lower(): count for code, count in kept.outcomes.items()})
    tally.written += kept.written
    tally.unchanged += kept.unchanged
    tally.lost += kept.lost
    for event, outcome in kept.ends:
        _report(tally, event, outcome)
    for record, reason in kept.rejected:
        tally.reject(record, reason)
        log.warning("record kept aside", record=record, reason=reason)


def _report(tally: Tally, event: Event, outcome: Outcome) -> None:
    """Every failure is listed once, and logged once, here. To be looked at again, without a reason, is none."""
    is_fine = outcome.code in (Code.COMPLETE, Code.EXCLUDED, Code.ALIAS)
    if is_fine or (outcome.code is Code.PENDING and not outcome.reason):
        return
    if outcome.is_deferred:
        tally.defer(event, outcome)
        return
    name = outcome.code.name.lower()
    tally.fail(event, outcome)
    log.warning("event not done", queue=event.queue, outcome=name, record=str(event), reason=outcome.reason)
