"""What a run has done so far, counted for progress and report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["FAILURES_KEPT", "Failure", "Tally"]

FAILURES_KEPT = 10_000
"""A worker may run for months: all failures are counted, and these many listed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An event that did not end well, for the report."""

    event: str
    error: str
    reason: str


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
    deferred: Counter[str] = field(default_factory=Counter)  # by reason: lanes that closed
    lost: int = 0  # visits whose lease another worker took

    def fail(self, event: str, error: str, reason: str) -> None:
        """One failure more."""
        self.failed += 1
        if len(self.failures) < FAILURES_KEPT:
            self.failures.append(Failure(event, error, reason))
