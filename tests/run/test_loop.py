"""What a run's failures mean for its exit code."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from stook.engine.tally import FAILURES_KEPT as TALLIED
from stook.engine.tally import Tally
from stook.run.build import open_door, open_ledger
from stook.run.loop import fastest_loop, fill_report, run_work
from stook.run.report import FAILURES_KEPT as LISTED
from stook.run.report import INTERRUPTION, UNREACHABLE, Report
from stook.settings import load_settings


class Door:
    """A door that was used for one host, and whose lanes are open but for those given."""

    def __init__(self, **closed: str) -> None:
        self.traffic = {"index.test": {"count": 2, "not_modified": 0, "throttled": 0, "failed": 2, "bytes": 0}}
        self.lanes = self
        self.closed = closed


def filled(tally: Tally, **closed: str) -> Report:
    report = Report("work cargo", datetime(2026, 11, 1))
    fill_report(report, tally, Door(**closed))  # type: ignore[arg-type]
    return report


def test_seconds_count_from_the_start(tmp_path: Path) -> None:
    """A report's seconds are those of the command: what it did before it asked anybody is part of them."""
    settings = load_settings({"STOOK_DB": f"sqlite:///{tmp_path.as_posix()}/stook.db"}, tmp_path)
    report = Report("cargo collect", datetime.now(UTC) - timedelta(minutes=2))
    with open_ledger(settings) as ledger:
        run_work(ledger, open_door(settings, ledger), (), report, once=True)
    assert 120 <= report.seconds < 180


def pending(*reasons: str, **more: int) -> Tally:
    tally = Tally(outcomes=Counter({"pending": len(reasons)} | more))
    for number, reason in enumerate(reasons):
        tally.fail(f"crate-{number} (index)", "pending", reason)
    return tally


@pytest.mark.parametrize("there", [True, False])
def test_the_fastest_loop(monkeypatch: pytest.MonkeyPatch, *, there: bool) -> None:
    """The extra's loop where it is installed, Python's own elsewhere."""
    extra = SimpleNamespace(new_event_loop=object())
    monkeypatch.setitem(sys.modules, "uvloop", extra if there else None)
    assert fastest_loop() is (extra.new_event_loop if there else None)


def test_all_failures_are_counted() -> None:
    """However many there were: the tally lists the first of them, the report the first of those."""
    tally = pending(*["Malformed: not JSON"] * (TALLIED + 5))
    report = filled(tally)
    assert (report.failures_total, len(report.failures)) == (TALLIED + 5, LISTED)


@pytest.mark.parametrize(
    ("tally", "code"),
    [
        (pending(), 0),
        (pending("Unavailable: connection failed", "Unavailable: the name does not resolve"), 3),
        (pending("Unavailable: timed out"), 3),
        (pending("Unavailable: connection failed", "Unavailable: HTTP 500"), 1),
        (pending("Unavailable: connection lost before an answer"), 1),
        (pending("Unavailable: connection failed", complete=1), 1),
    ],
)
def test_exit_code(tally: Tally, code: int) -> None:
    """3 only when nobody answered anything; one answer of whatever kind makes it 1."""
    report = filled(tally)
    assert report.exit_code == code
    assert (UNREACHABLE in report.notes) is (code == 3)


def test_a_closed_lane_is_one_failure() -> None:
    """A lane that closed is listed once, with what waits because of it."""
    tally = Tally(deferred=Counter({"LaneClosed: lane cargo.api is closed: HTTP 403": 40}))
    report = filled(tally, **{"cargo.api": "HTTP 403"})
    assert report.exit_code == 1
    assert [one.reason for one in report.failures] == ["HTTP 403; 40 events wait for a later run"]


def test_an_interruption_wins() -> None:
    """A run that was stopped ends as interrupted, whatever it met before."""
    report = filled(pending("Unavailable: HTTP 500"))
    report.notes[INTERRUPTION] = "by SIGTERM"
    assert report.exit_code == 130
