"""The evasion matrix: what is caught in plain is caught in disguise."""

from __future__ import annotations

import pytest

from stook.web.scan import Segment, SegmentKind, Severity, scan

from .evasions import CARRIERS, DISGUISES, PAYLOADS  # noqa: TID252

ENOUGH = 0.95  # of all payloads in all carriers and disguises
ENOUGH_OF_EACH = 0.9  # in a single disguise


def is_flagged(text: str) -> bool:
    """Whether a text has a finding of MEDIUM or more."""
    severity = scan([Segment(SegmentKind.VISIBLE, text)]).severity
    return severity is not None and severity.rank >= Severity.MEDIUM.rank


def test_plain() -> None:
    """Every payload is caught as it stands, in every carrier; every carrier is innocent without one."""
    assert [payload for payload in PAYLOADS for carrier in CARRIERS if not is_flagged(carrier.format(payload))] == []
    assert [carrier for carrier in CARRIERS if is_flagged(carrier.format("We look forward to your visit."))] == []


@pytest.fixture(scope="module")
def missed() -> dict[str, list[str]]:
    """The disguised texts that are not caught."""
    return {
        name: [
            text
            for text in (carrier.format(disguise(payload)) for payload in PAYLOADS for carrier in CARRIERS)
            if not is_flagged(text)
        ]
        for name, disguise in DISGUISES.items()
    }


@pytest.mark.parametrize("name", DISGUISES)
def test_disguise(name: str, missed: dict[str, list[str]]) -> None:
    """Nine of ten are caught in each disguise; digits cannot spell a short word such as "AI"."""
    assert len(missed[name]) <= (1 - ENOUGH_OF_EACH) * len(PAYLOADS) * len(CARRIERS), missed[name][:3]


def test_matrix(missed: dict[str, list[str]]) -> None:
    """Nineteen of twenty are caught in all disguises together."""
    assert sum(map(len, missed.values())) <= (1 - ENOUGH) * len(DISGUISES) * len(PAYLOADS) * len(CARRIERS)


@pytest.mark.parametrize("name", ["base64", "hex", "percent", "reversed", "tag block", "unicode escapes"])
def test_innocent_in_disguise(name: str) -> None:
    """An encoding is no finding by itself, but for tag characters, which no honest text is written in."""
    text = DISGUISES[name]("The harbour was built in 1821 and has a lighthouse of red stone.")
    findings = scan([Segment(SegmentKind.VISIBLE, f"Our notes: {text}")]).findings
    assert {finding.rule_id for finding in findings} <= ({"OBF-TAGS"} if name == "tag block" else set())
