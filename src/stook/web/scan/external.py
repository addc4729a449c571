"""An external scanner: a command run once a page, of which anything odd is a failure and never a clean report."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from stook.web.scan.child import ChildOutput, run_child
from stook.web.scan.failure import ScannerFailure, Trouble
from stook.web.scan.finding import Finding, ScanReport, Severity
from stook.web.scan.labels import render_segments
from stook.web.segment import Segment, SegmentKind

__all__ = ["ExternalScanner"]

_ARGUMENTS = ("check", "-", "--format", "json", "--no-suppress", "--strict")
_MOST_OUTPUT = 4 << 20  # bytes
_VERSION = re.compile(r"[\w.-]{1,64} v?(\d[\w.+-]{0,63})")
_BELOW_THRESHOLD = frozenset({Severity.LOW, Severity.MEDIUM})

Word = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Count = Annotated[int, msgspec.Meta(ge=0)]


class _MatchRow(msgspec.Struct):
    pattern_id: Word
    severity: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"]
    line: Annotated[int, msgspec.Meta(ge=1)]
    family: Word | None = None
    decoded: bool = False
    count: Annotated[int, msgspec.Meta(ge=1)] = 1


class _FileReport(msgspec.Struct):
    matches: list[_MatchRow]
    suppressed: list[msgspec.Raw]
    critical_count: Count
    high_count: Count
    medium_count: Count
    low_count: Count


@dataclass(frozen=True, slots=True)
class ExternalScanner:
    """A command that speaks the contract of `stook-scan check - --format json --no-suppress --strict`.

    `command` is the executable and its first arguments; `timeout` seconds end a run; a `version` that is not None must
    be the one that the command tells.
    """

    command: tuple[str, ...]
    timeout: float = 10.0
    version: str | None = None

    def probe(self) -> str:
        """The version that the command tells; raises `ScannerFailure` if it tells none, or another than expected."""
        output = self._run(("--version",), b"")
        match = _VERSION.fullmatch(output.data.decode("utf-8", "replace").strip())
        if output.code != 0 or match is None:
            raise ScannerFailure(Trouble.BAD_OUTPUT, "it tells no version")
        if self.version not in {None, match[1]}:
            raise ScannerFailure(Trouble.WRONG_VERSION, f"version {match[1]} and not {self.version}")
        return match[1]

    def scan(self, segments: Sequence[Segment]) -> ScanReport:
        """The findings of the command; raises `ScannerFailure` for all that is not a whole, consistent report."""
        text = render_segments(segments, secrets.token_hex(16))
        output = self._run(_ARGUMENTS, text.encode("utf-8", "replace"))
        try:
            reports = msgspec.json.decode(output.data, type=list[_FileReport])
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ScannerFailure(Trouble.BAD_OUTPUT, f"exit code {output.code} without a readable report") from None
        if len(reports) != 1:
            raise ScannerFailure(Trouble.BAD_OUTPUT, f"{len(reports)} reports for one input")
        _check(reports[0], output.code)
        return _to_report(reports[0], segments)

    def _run(self, arguments: Sequence[str], data: bytes) -> ChildOutput:
        path = shutil.which(self.command[0])
        if path is None:
            raise ScannerFailure(Trouble.MISSING, "there is no such executable")
        with tempfile.TemporaryDirectory(prefix="stook-scan-") as folder:
            return run_child(
                (str(Path(path).absolute()), *self.command[1:], *arguments),
                data,
                folder=folder,
                timeout=self.timeout,
                most=_MOST_OUTPUT,
            )


def _check(report: _FileReport, code: int) -> None:
    """Raise `ScannerFailure` unless counts, suppressions and exit code fit the matches."""
    severities = [Severity(match.severity) for match in report.matches]
    counts = {
        Severity.CRITICAL: report.critical_count,
        Severity.HIGH: report.high_count,
        Severity.MEDIUM: report.medium_count,
        Severity.LOW: report.low_count,
    }
    if any(severities.count(severity) != count for severity, count in counts.items()):
        raise ScannerFailure(Trouble.BAD_OUTPUT, "its counts are not those of its matches")
    if report.suppressed:
        raise ScannerFailure(Trouble.BAD_OUTPUT, "it let the page suppress matches")
    fits = {0: not severities, 1: bool(severities), 2: bool(severities) and _BELOW_THRESHOLD.issuperset(severities)}
    if not fits.get(code, False):
        raise ScannerFailure(Trouble.EXIT_CODE, f"exit code {code} with {len(severities)} matches")


def _to_report(report: _FileReport, segments: Sequence[Segment]) -> ScanReport:
    """Each match belongs to the segment in whose lines it lies; the first line of the input is the header."""
    starts = [2]
    for segment in segments:
        starts.append(starts[-1] + segment.text.count("\n") + 2)
    findings: list[Finding] = []
    for match in report.matches:
        number = bisect_right(starts, match.line) - 1
        if number >= len(segments):
            raise ScannerFailure(Trouble.BAD_OUTPUT, "a match lies beyond the input")
        findings.append(
            Finding(
                rule_id=match.pattern_id,
                severity=Severity(match.severity),
                family=match.family or match.pattern_id,
                kind=segments[number].kind if number >= 0 else SegmentKind.VISIBLE,
                count=match.count,
                decoded=match.decoded,
                line=match.line - starts[number] if number >= 0 else 1,
            )
        )
    return ScanReport(tuple(sorted(findings, key=lambda found: -found.severity.rank)))
