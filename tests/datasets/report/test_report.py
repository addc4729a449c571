"""Reports count everything, tell each kind once, and fit where they go."""

from __future__ import annotations

import pytest

from stook.datasets.flavour import Problem, ProblemKind
from stook.datasets.report.issue import issue_body
from stook.datasets.report.missing import MissingFields
from stook.datasets.report.run_report import RunEnd, RunReport


def make_report() -> RunReport:
    return RunReport("hand", "https://hand.test/", "yaml", "2026-11-01T12:00:00Z")


def test_a_field_is_missing_only_if_every_record_lacks_it() -> None:
    """One record that has it is enough; messages are told as they are."""
    missing = MissingFields()
    missing.fold({"title": True, "date": True})
    missing.fold({"title": True, "date": False})
    missing.fold({"title": True, "date": True})
    missing.say("page", "page 2 is gone")
    assert missing.lines() == ["Failed to fetch title", "page 2 is gone"]
    assert MissingFields().lines() == []


def test_one_line_for_each_kind() -> None:
    """The summary counts a kind and gives an example; the report keeps a thousand."""
    report = make_report()
    for number in range(1500):
        report.tell(Problem(ProblemKind.SKIPPED, f"x{number}", "no record"))
    report.tell(Problem(ProblemKind.WARNING, "y", "look"))
    assert report.summary()[0] == "1500 skipped: x0: no record …"
    assert len(report.problems) == 1000
    assert report.problem_counts == {"skipped": 1500, "warning": 1}


@pytest.mark.parametrize(("kind", "is_whole"), [(kind, kind not in ("failed", "throttled")) for kind in ProblemKind])
def test_whole(kind: ProblemKind, is_whole: bool) -> None:
    """Only a record that may be missing makes the set less than whole."""
    report = make_report()
    report.tell(Problem(kind, "x", "y"))
    assert report.is_whole == is_whole


@pytest.mark.parametrize("end", [RunEnd.REFUSED, RunEnd.FAILED, RunEnd.INTERRUPTED])
def test_a_run_cut_short_is_not_whole(end: RunEnd) -> None:
    """However few problems it had."""
    report = make_report()
    report.end = end
    assert not report.is_whole


def test_text_of_sources_is_cut() -> None:
    """A reason of a megabyte does not make the report one."""
    report = make_report()
    report.tell(Problem(ProblemKind.FAILED, "x" * 10_000, "\ud800" + "y" * 10_000))
    assert len(report.problems[0].subject) == 300
    assert report.problems[0].reason.startswith("\\ud800y")


def test_an_issue_fits() -> None:
    """Lines come once, and what does not fit is counted."""
    assert issue_body(["a", "b", "a"]) == "a\nb"
    assert issue_body([]) == ""
    body = issue_body(f"{number} {'x' * 100}" for number in range(1000))
    assert len(body) <= 65_536
    kept = body.splitlines()
    assert kept[-1] == f"… and {1000 - (len(kept) - 1)} more"
    assert issue_body(["x" * 70_000]) == "… and 1 more"
