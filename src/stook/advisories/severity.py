"""How severe an advisory is: the CVSS vector with its score, or a database's word.

Scores are computed by the library `cvss` (CVSS 2.0, 3.0, 3.1 and 4.0). FIRST's scale gives the word for a score;
CVSS 2 is put on the same scale.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

from cvss import CVSS2, CVSS3, CVSS4
from cvss.exceptions import CVSSError

from stook.advisories.osv import OsvSeverity

__all__ = ["AdvisorySeverity", "SeverityLevel", "parse_level", "rate", "severity_of"]

MAX_VECTOR = 300  # characters; a full CVSS 4 vector has 190


class SeverityLevel(IntEnum):
    """FIRST's qualitative scale; UNKNOWN is below all."""

    UNKNOWN = 0
    NONE = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4
    CRITICAL = 5


@dataclass(frozen=True, slots=True)
class AdvisorySeverity:
    """`vector` and `score` are empty where only a word is known; `source` is the advisory that gave it."""

    level: SeverityLevel = SeverityLevel.UNKNOWN
    score: float | None = None
    vector: str = ""
    source: str = ""

    @property
    def rank(self) -> tuple[int, float]:
        """Sorts severities; a word alone stands below a score of its level."""
        return self.level, self.score or 0.0


def parse_level(word: str) -> SeverityLevel:
    """A word of a database, in any case; GHSA says MODERATE for MEDIUM. UNKNOWN for any other."""
    upper = word.strip().upper()
    return SeverityLevel.__members__.get("MEDIUM" if upper == "MODERATE" else upper, SeverityLevel.UNKNOWN)


def severity_of(entries: Iterable[OsvSeverity], word: str, source: str) -> AdvisorySeverity:
    """The severity by the newest CVSS that can be read, the highest if there are several; else by the word."""
    rated = [(entry.type, found) for entry in entries if (found := rate(entry, source))]
    if rated:
        return max(rated, key=lambda pair: (pair[0], pair[1].score or 0.0))[1]
    level = parse_level(word)
    return AdvisorySeverity(level, None, "", source) if level else AdvisorySeverity()


def rate(entry: OsvSeverity, source: str) -> AdvisorySeverity | None:
    """Score and level of one CVSS vector; None if it is none."""
    if len(entry.score) > MAX_VECTOR:
        return None
    try:
        score = _score(entry.type, entry.score)
    except (CVSSError, ValueError, KeyError, IndexError, ArithmeticError):
        return None  # the library checks by and large; what slips through is no vector either
    if score is None:
        return None
    return AdvisorySeverity(_level(score), float(score), entry.score, source)


def _score(kind: str, vector: str) -> Decimal | None:
    match kind:
        case "CVSS_V2":
            return Decimal(str(CVSS2(vector).base_score))
        case "CVSS_V3":
            return Decimal(str(CVSS3(vector).base_score))
        case "CVSS_V4":
            return Decimal(str(CVSS4(vector).base_score))
        case _:
            return None


def _level(score: Decimal) -> SeverityLevel:
    if score >= 9:
        return SeverityLevel.CRITICAL
    if score >= 7:
        return SeverityLevel.HIGH
    if score >= 4:
        return SeverityLevel.MEDIUM
    return SeverityLevel.LOW if score > 0 else SeverityLevel.NONE
