"""The report of a run, filled while it goes on; `stook.run.report_view` shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from stook.engine.clock import naive_utc
from stook.engine.errors import FailureCode
from stook.engine.tally import Failure
from stook.run.exit_codes import ENVIRONMENT, FAILED, INTERRUPTED

__all__ = ["FAILURES_LISTED", "INTERRUPTION", "SOURCES", "UNREACHABLE", "Report", "RequestCounts", "RowCounts"]

FAILURES_LISTED = 100
SCHEMA = 1
"""The version of the report's JSON: another one when a key changes its name or its meaning."""
INTERRUPTION, UNREACHABLE = "interrupted", "not_reachable"
"""Notes that decide the exit code."""
SOURCES = "sources"
"""The note that says, for each source of a run, how many packages it was asked about and what remains."""


@dataclass(slots=True)
class RequestCounts:
    """The requests to one host, counted."""

    count: int = 0
    not_modified: int = 0
    throttled: int = 0
    failed: int = 0
    bytes: int = 0


@dataclass(slots=True)
class RowCounts:
    """Rows that were written, and rows that said the same already."""

    written: int = 0
    unchanged: int = 0


@dataclass(slots=True)
class Report:
    """Filled while a command runs. `next` is what the user may want to run; `notes` hold what only this command says.

    All failures are counted, by code too; the first hundred are listed. `waiting` counts, by code, the events that are
    tried again by themselves. `database` is the URL without its password.
    """

    command: str
    started: datetime
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    rows: RowCounts = field(default_factory=RowCounts)
    requests: dict[str, RequestCounts] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    failures_total: int = 0
    failures_by_code: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    database: str = ""
    next: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    def count(self, outcome: str, number: int = 1) -> None:
        """Count events that ended this way."""
        self.counts[outcome] = self.counts.get(outcome, 0) + number

    def traffic(self, host: str) -> RequestCounts:
        """The counters of a host, to add to."""
        return self.requests.setdefault(host, RequestCounts())

    def fail(self, subject: str, code: FailureCode, reason: str) -> None:
        """Count a failure that is none of an event: a file that cannot be read, a lane that closed."""
        self.add_failures([Failure(subject, code.value, reason, code)], {code.value: 1}, 1)

    def add_failures(self, listed: Sequence[Failure], by_code: dict[str, int], total: int) -> None:
        """Count so many failures, of which these are listed as far as there is room."""
        self.failures += listed[: FAILURES_LISTED - len(self.failures)]
        self.failures_total += total
        for code, count in by_code.items():
            self.failures_by_code[code] = self.failures_by_code.get(code, 0) + count

    def interrupt(self, signal_name: str) -> None:
        """Note that this signal ended the run; the exit code is then 130."""
        self.notes[INTERRUPTION] = f"by {signal_name}; all that was kept is whole, the same command again goes on"

    def without_failure(self, names: Sequence[str], queue: str) -> str | None:
        """The first of these packages whose event of that queue did not fail, if all failures are listed."""
        failed = {failure.name for failure in self.failures if failure.queue == queue}
        is_whole = len(self.failures) == self.failures_total
        return next((name for name in names if is_whole and name not in failed), None)

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
        by_code = dict(sorted(self.failures_by_code.items()))
        told = {"started": started, "seconds": round(self.seconds, 3), "failures_by_code": by_code}
        return {"schema": SCHEMA, **asdict(self), **told, "waiting": dict(sorted(self.waiting.items()))}
