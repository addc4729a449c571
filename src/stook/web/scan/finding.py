"""Findings of a scan, without a word of the page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stook.web.segment import SegmentKind

__all__ = ["Finding", "ScanReport", "Severity"]


class Severity(StrEnum):
    """How much harm a finding speaks of; compare by `rank`."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"
    CRITICAL = "CRITICAL"

    @property
    def rank(self) -> int:
        """0 for LOW up to 3 for CRITICAL."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that fired in segments of one kind.

    `decoded` tells that the text was disguised: encoded, enciphered or written with look-alike characters.
    `line` is the first line of the segment with such a match, from 1.
    """

    rule_id: str
    severity: Severity
    family: str
    kind: SegmentKind
    count: int
    decoded: bool
    line: int = 1


@dataclass(frozen=True, slots=True)
class ScanReport:
    """All findings of one scan, the gravest first."""

    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity | None:
        """The gravest severity, or None for a text without findings."""
        return max((finding.severity for finding in self.findings), key=lambda found: found.rank, default=None)
