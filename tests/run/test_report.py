"""The report: the contract's fields as JSON, or tables that show the same."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from stook.engine.errors import FailureCode
from stook.run.report import FAILURES_LISTED, Report
from stook.run.report_view import show_report


def sample() -> Report:
    """A run that met something of everything."""
    report = Report("cargo collect", datetime(2026, 11, 1, 12, tzinfo=UTC), seconds=3.21049)
    report.count("complete", 1200)
    report.count("complete")
    report.rows.written = 1201
    report.traffic("index.crates.io").count += 7
    report.fail("serde (index)", FailureCode.MALFORMED, "no [bold]JSON[/bold] \x1b[31m")
    report.next.append("stook queue retry")
    report.notes["left out"] = ["a git dependency", "a path"]
    return report


def test_json_has_the_contracts_fields(capsys: pytest.CaptureFixture[str]) -> None:
    """stdout is one JSON object with every field, whatever the run met."""
    assert show_report(sample(), as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "schema": 1,
        "command": "cargo collect",
        "database": "",
        "waiting": {},
        "started": "2026-11-01T12:00:00Z",
        "seconds": 3.21,
        "counts": {"complete": 1201},
        "rows": {"written": 1201, "unchanged": 0},
        "requests": {"index.crates.io": {"count": 7, "not_modified": 0, "throttled": 0, "failed": 0, "bytes": 0}},
        "failures": [
            {
                "event": "serde (index)",
                "error": "malformed",
                "reason": "no [bold]JSON[/bold] \x1b[31m",
                "code": "malformed",
                "queue": "",
                "name": "",
                "version": "",
            }
        ],
        "failures_total": 1,
        "failures_by_code": {"malformed": 1},
        "next": ["stook queue retry"],
        "notes": {"left out": ["a git dependency", "a path"]},
    }


def test_tables_show_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """People see counts, hosts, failures, notes and what to do next; foreign text neither styles nor controls."""
    show_report(sample(), as_json=False)
    shown = capsys.readouterr()
    for text in (
        "1,201",
        "index.crates.io",
        "serde (index)",
        "[bold]JSON",
        "a git dependency, a path",
        "stook queue retry",
    ):
        assert text in shown.out
    assert "\x1b" not in shown.out
    assert shown.err == ""


def test_first_hundred_failures() -> None:
    """Failures beyond the first hundred are counted, not kept."""
    report = Report("cargo collect", datetime(2026, 11, 1, 12))
    for number in range(FAILURES_LISTED + 5):
        report.fail(f"event {number}", FailureCode.NOT_FOUND, "gone")
    assert len(report.failures) == FAILURES_LISTED
    assert report.failures_total == FAILURES_LISTED + 5
    assert report.failures_by_code == {"not_found": FAILURES_LISTED + 5}


def test_exit_code() -> None:
    """A run without failures ends with 0."""
    assert Report("demo", datetime(2026, 11, 1)).exit_code == 0
