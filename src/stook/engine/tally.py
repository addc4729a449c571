"""Counters of a run: visits, outcomes, rows and failures, read by progress and report while it runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from stook.engine.errors import FailureCode
from stook.engine.words import Code, Event, Outcome

__all__ = ["FAILURES_KEPT", "Failure", "Tally"]

FAILURES_KEPT = 10_000
"""A worker may run for months: all failures are counted, and these many listed."""

_IMPLIED = {  # what an outcome means whose source named no failure
    Code.MALFORMED: FailureCode.MALFORMED,
    Code.NOT_FOUND: FailureCode.NOT_FOUND,
    Code.FAILED: FailureCode.MALFORMED,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of a run. `event` is for people; `queue`, `name` and `version` tell the event apart.

    `error` is the outcome's name, `code` what went wrong, `reason` the same for people.
    """

    event: str
    error: str
    reason: str
    code: FailureCode | None = None
    queue: str = ""
    name: str = ""
    version: str = ""


@dataclass(slots=True)
class Tally:
    """Counters, and the first failures."""

    claimed: Counter[str] = field(default_factory=Counter)  # visits by source
    ended: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    unchanged: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    failed: int = 0
    codes: Counter[FailureCode] = field(default_factory=Counter)  # failures by what went wrong
    waiting: Counter[FailureCode] = field(default_factory=Counter)  # events that are tried again by themselves
    deferred: Counter[str] = field(default_factory=Counter)  # events not tried, by the lane that is closed
    not_enriched: Counter[str] = field(default_factory=Counter)  # events that enrichment does not have, by queue
    kept: int = 0  # transactions that kept visits, or parts of them
    lost: int = 0  # visits whose lease another worker took

    def fail(self, event: Event, outcome: Outcome) -> None:
        """Count an event that did not end well."""
        code = outcome.failure or _IMPLIED.get(outcome.code)
        error = outcome.code.name.lower()
        if outcome.code in (Code.PENDING, Code.FAILED) and code is not None:
            self.waiting[code] += 1
        self._add(Failure(str(event), error, outcome.reason, code, event.queue, event.name, event.version))

    def reject(self, record: str, reason: str) -> None:
        """Count a record that was kept aside because it cannot be read."""
        self._add(Failure(record, FailureCode.MALFORMED.value, reason, FailureCode.MALFORMED))

    def defer(self, event: Event, outcome: Outcome) -> None:
        """Count an event that did not fail: its lane is closed, or a source that only enriches does not have it."""
        if outcome.lane:
            self.deferred[outcome.lane] += 1
        else:
            self.not_enriched[event.queue] += 1

    def _add(self, failure: Failure) -> None:
        self.failed += 1
        if failure.code is not None:
            self.codes[failure.code] += 1
        if len(self.failures) < FAILURES_KEPT:
            self.failures.append(failure)
