"""Severities: CVSS of every version, words, and what is neither."""

from __future__ import annotations

import pytest

from stook.advisories.osv import OsvSeverity
from stook.advisories.severity import AdvisorySeverity, SeverityLevel, parse_level, rate, severity_of

V2 = OsvSeverity("CVSS_V2", "AV:N/AC:L/Au:N/C:P/I:P/A:P")
V3 = OsvSeverity("CVSS_V3", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H")
V3_LOW = OsvSeverity("CVSS_V3", "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N")
V4 = OsvSeverity("CVSS_V4", "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:L/SC:N/SI:N/SA:N")


@pytest.mark.parametrize(
    ("entry", "score", "level"),
    [
        (V2, 7.5, SeverityLevel.HIGH),
        (V3, 9.8, SeverityLevel.CRITICAL),
        (V3_LOW, 1.8, SeverityLevel.LOW),
        (V4, 6.9, SeverityLevel.MEDIUM),
        (OsvSeverity("CVSS_V3", "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N"), 0.0, SeverityLevel.NONE),
    ],
)
def test_scores(entry: OsvSeverity, score: float, level: SeverityLevel) -> None:
    """FIRST's calculators give these scores, and its scale these words."""
    assert rate(entry, "GO-1") == AdvisorySeverity(level, score, entry.score, "GO-1")


@pytest.mark.parametrize(
    "entry",
    [
        OsvSeverity("CVSS_V3", "9.8"),
        OsvSeverity("CVSS_V3", ""),
        OsvSeverity("CVSS_V3", "CVSS:3.1/AV:N"),
        OsvSeverity("CVSS_V3", "CVSS:3.1/" + "AV:N/" * 1000),
        OsvSeverity("CVSS_V4", V3.score),
        OsvSeverity("CVSS_V2", "AV:é/AC:L/Au:N/C:P/I:P/A:P"),
        OsvSeverity("Ubuntu", "high"),
        OsvSeverity(),
    ],
)
def test_no_vectors(entry: OsvSeverity) -> None:
    """What is no vector has no rating, and raises nothing."""
    assert rate(entry, "GO-1") is None


def test_the_newest_scheme_counts() -> None:
    """CVSS 4 before 3 before 2, whatever the order and the scores; of two vectors of one scheme the higher."""
    assert severity_of([V2, V4, V3], "", "GO-1").vector == V4.score
    assert severity_of([V3_LOW, V3], "", "GO-1").vector == V3.score


def test_words() -> None:
    """A word serves where there is no vector; GHSA's MODERATE is MEDIUM; other words say nothing."""
    assert severity_of([], "MODERATE", "GHSA-1").level is SeverityLevel.MEDIUM
    assert severity_of([V3], "LOW", "GHSA-1").level is SeverityLevel.CRITICAL
    assert severity_of([], "", "GHSA-1") == AdvisorySeverity()
    assert parse_level("catastrophic") is SeverityLevel.UNKNOWN
