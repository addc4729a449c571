"""What a run's failures mean for its exit code."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from stook.engine.errors import FailureCode
from stook.engine.tally import FAILURES_KEPT as TALLIED
from stook.engine.tally import Tally
from stook.engine.words import Code, Event, Outcome
from stook.run.build import open_door, open_ledger
from stook.run.loop import END_SIGNALS, LoopOptions, fastest_loop, fill_report, run_work
from stook.run.products import read_settings
from stook.run.report import FAILURES_LISTED as LISTED
from stook.run.report import INTERRUPTION, UNREACHABLE, Report


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
    settings = read_settings({"STOOK_DB": f"sqlite:///{tmp_path.as_posix()}/stook.db"}, tmp_path)
    report = Report("cargo collect", datetime.now(UTC) - timedelta(minutes=2))
    with open_ledger(settings) as ledger:
        run_work(ledger, open_door(settings, ledger), (), report, LoopOptions(once=True))
    assert 120 <= report.seconds < 180


@pytest.mark.parametrize("number", END_SIGNALS)
def test_signals_are_as_before(tmp_path: Path, number: signal.Signals) -> None:
    """A loop that ended leaves the handlers it found: a signal while the report is printed still ends well."""
    settings = read_settings({"STOOK_DB": f"sqlite:///{tmp_path.as_posix()}/stook.db"}, tmp_path)
    report = Report("cargo collect", datetime.now(UTC))

    def handler(*_: object) -> None:
        raise AssertionError("nobody sends it")

    before = signal.signal(number, handler)
    try:
        with open_ledger(settings) as ledger:
            run_work(ledger, open_door(settings, ledger), (), report, LoopOptions(once=True))
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


def test_nohup(tmp_path: Path) -> None:
    """A SIGHUP that is ignored, as `nohup` has it, stays ignored while the loop runs."""
    settings = read_settings({"STOOK_DB": f"sqlite:///{tmp_path.as_posix()}/stook.db"}, tmp_path)
    report, seen = Report("cargo collect", datetime.now(UTC)), []

    def look(_: object) -> None:
        seen.append(signal.getsignal(signal.SIGHUP))

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with open_ledger(settings) as ledger:
            run_work(ledger, open_door(settings, ledger), (), report, LoopOptions(once=True, started=look))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert seen == [signal.SIG_IGN]


def pending(*codes: FailureCode, **more: int) -> Tally:
    tally = Tally(outcomes=Counter({"pending": len(codes)} | more))
    for number, code in enumerate(codes):
        event = Event("cargo-index", b"", f"crate-{number}", "", "index", 20)
        tally.fail(event, Outcome(Code.PENDING, "why", failure=code))
    return tally


@pytest.mark.parametrize("there", [True, False])
def test_the_fastest_loop(monkeypatch: pytest.MonkeyPatch, *, there: bool) -> None:
    """The extra's loop where it is installed, Python's own elsewhere."""
    extra = SimpleNamespace(new_event_loop=object())
    monkeypatch.setitem(sys.modules, "uvloop", extra if there else None)
    assert fastest_loop() is (extra.new_event_loop if there else None)


def test_all_failures_are_counted() -> None:
    """However many there were: the tally lists the first of them, the report the first of those."""
    tally = pending(*[FailureCode.MALFORMED] * (TALLIED + 5))
    report = filled(tally)
    assert (report.failures_total, len(report.failures)) == (TALLIED + 5, LISTED)


@pytest.mark.parametrize(
    ("tally", "code"),
    [
        (pending(), 0),
        (pending(FailureCode.CONNECT, FailureCode.DNS, FailureCode.TLS), 3),
        (pending(FailureCode.TIMEOUT), 3),
        (pending(FailureCode.CONNECT, FailureCode.HTTP_STATUS), 1),
        (pending(FailureCode.BROKEN_BODY), 1),
        (pending(FailureCode.CONNECT, complete=1), 1),
        (pending(*[FailureCode.CONNECT] * (TALLIED + 5)), 3),
        (pending(*[FailureCode.CONNECT] * (TALLIED + 5), FailureCode.HTTP_STATUS), 1),
    ],
)
def test_exit_code(tally: Tally, code: int) -> None:
    """3 only when no request met anybody, told by codes alone; one answer, listed or not, makes it 1."""
    report = filled(tally)
    assert report.exit_code == code
    assert (UNREACHABLE in report.notes) is (code == 3)


def test_a_closed_lane_is_one_failure() -> None:
    """A lane that closed is listed once, with what waits because of it."""
    tally = Tally(deferred=Counter({"cargo.api": 40, "cargo.apiary": 2}))
    report = filled(tally, **{"cargo.api": "HTTP 403"})
    assert report.exit_code == 1
    assert [one.reason for one in report.failures] == ["HTTP 403; 40 events wait for a later run"]
    assert report.failures_by_code == {"lane_closed": 1}


def test_an_interruption_wins() -> None:
    """A run that was stopped ends as interrupted, whatever it met before."""
    report = filled(pending(FailureCode.HTTP_STATUS))
    report.interrupt("SIGTERM")
    assert report.notes[INTERRUPTION].startswith("by SIGTERM; ")
    assert report.exit_code == 130
