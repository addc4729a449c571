"""What a run did, counted while it runs; `stook.run.report_view` shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from stook.engine.clock import naive_utc
from stook.run.exit_codes import ENVIRONMENT, FAILED, INTERRUPTED

__all__ = ["FAILURES_KEPT", "INTERRUPTION", "SOURCES", "UNREACHABLE", "Failure", "Report", "Rows", "Traffic"]

FAILURES_KEPT = 100
INTERRUPTION, UNREACHABLE = "interrupted", "not reachable"
"""Notes that decide the exit code."""
SOURCES = "sources"
"""The note that tells, for each source of a run, what it did and what remains."""


@dataclass(slots=True)
class Traffic:
    """What was asked of one host."""

    count: int = 0
    not_modified: int = 0
    throttled: int = 0
    failed: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Rows:
    """What became of the rows."""

    written: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """An event that failed: which, the error's class or HTTP status, and why."""

    event: str
    error: str
    reason: str


@dataclass(slots=True)
class Report:
    """Filled while a command runs. `next` is what the user may want to run; `notes` what only this command tells."""

    command: str
    started: datetime
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    rows: Rows = field(default_factory=Rows)
    requests: dict[str, Traffic] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    failures_total: int = 0
    next: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    def count(self, outcome: str, number: int = 1) -> None:
        """So many events more ended this way."""
        self.counts[outcome] = self.counts.get(outcome, 0) + number

    def traffic(self, host: str) -> Traffic:
        """The counters of a host, to add to."""
        return self.requests.setdefault(host, Traffic())

    def fail(self, event: str, error: str, reason: str) -> None:
        """One failure more; all are counted, the first hundred are kept."""
        self.failures_total += 1
        if len(self.failures) < FAILURES_KEPT:
            self.failures.append(Failure(event, error, reason))

    def without_failure(self, names: Sequence[str], kind: str) -> str | None:
        """The first of these packages whose event of that kind did not fail, if all failures are kept."""
        failed = {one.event for one in self.failures}
        is_whole = len(self.failures) == self.failures_total
        return next((name for name in names if is_whole and f"{name} ({kind})" not in failed), None)

    @property
    def exit_code(self) -> int:
        if INTERRUPTION in self.notes:
            return INTERRUPTED
        if UNREACHABLE in self.notes:
            return ENVIRONMENT
        return FAILED if self.failures_total else 0

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON holds it; times are UTC with a Z."""
        started = naive_utc(self.started).isoformat(timespec="seconds") + "Z"
        return {**asdict(self), "started": started, "seconds": round(self.seconds, 3)}
