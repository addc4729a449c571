"""A check in OSV's shape: the JSON that osv-scanner prints, whose vulnerabilities are OSV records.

A record is written from what was understood: its ranges are the intervals that were matched, fallbacks applied and
named in `database_specific`, so that another tool that reads them comes to the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from stook.advisories.advisory import Advisory
from stook.advisories.aliases import alias_groups
from stook.advisories.ecosystems import PackageVersion
from stook.advisories.exposure import Exposure
from stook.advisories.formats.document import encode_document
from stook.advisories.match import AdvisoryFinding
from stook.advisories.ranges import VersionInterval
from stook.advisories.ranges.interval import BOTTOM
from stook.advisories.report import CheckReport
from stook.advisories.severity import AdvisorySeverity

__all__ = ["osv_record", "write_osv_results"]

_SCHEMES = {"CVSS:3.0": "CVSS_V3", "CVSS:3.1": "CVSS_V3", "CVSS:4.0": "CVSS_V4"}


def write_osv_results(report: CheckReport, *, path: str) -> bytes:
    """Findings and warnings by package as JSON; suppressed findings are left out. `path` is the input's."""
    by_package: dict[PackageVersion, list[AdvisoryFinding]] = {}
    for finding in (*report.findings, *report.warnings):
        by_package.setdefault(finding.package, []).append(finding)
    packages = [_package(package, by_package[package]) for package in sorted(by_package)]
    results = [{"source": {"path": path, "type": "lockfile"}, "packages": packages}] if packages else []
    return encode_document({"results": results})


def _package(package: PackageVersion, findings: Sequence[AdvisoryFinding]) -> dict[str, Any]:
    severities = {finding.advisory.id: finding.exposure.severity for finding in findings}
    groups = alias_groups(finding.advisory for finding in findings)
    return {
        "package": {"name": package.name, "version": package.version, "ecosystem": package.ecosystem},
        "vulnerabilities": [osv_record(finding.advisory) for finding in findings],
        "groups": [
            {
                "ids": [advisory.id for advisory in group.advisories],
                "aliases": list(group.names),
                "max_severity": _highest([severities[advisory.id] for advisory in group.advisories]),
            }
            for group in groups
        ],
    }


def _highest(severities: Sequence[AdvisorySeverity]) -> str:
    scores = [severity.score for severity in severities if severity.score is not None]
    return f"{max(scores):.1f}" if scores else ""


def osv_record(advisory: Advisory) -> dict[str, Any]:
    """The advisory as a record of schema 1.7."""
    found: dict[str, Any] = {
        "schema_version": "1.7.0",
        "id": advisory.id,
        "modified": _time(advisory.modified or datetime(1, 1, 1, tzinfo=UTC)),
        "aliases": list(advisory.aliases),
        "summary": advisory.summary,
        "details": advisory.details,
        "affected": [_affected(exposure) for exposure in advisory.exposures],
        "references": [{"type": kind or "WEB", "url": url} for kind, url in advisory.links],
    }
    if advisory.severity.vector:
        found["severity"] = _severity(advisory.severity)
    else:  # the schema allows a severity in one of the two places
        for entry, exposure in zip(found["affected"], advisory.exposures, strict=True):
            entry["severity"] = _severity(exposure.severity)
    if advisory.published:
        found["published"] = _time(advisory.published)
    if advisory.is_withdrawn:
        found["withdrawn"] = _time(advisory.withdrawn or advisory.modified or datetime(1, 1, 1, tzinfo=UTC))
    return found


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _severity(severity: AdvisorySeverity) -> list[dict[str, str]]:
    if not severity.vector:
        return []
    return [{"type": _SCHEMES.get(severity.vector[:8], "CVSS_V2"), "score": severity.vector}]


def _affected(exposure: Exposure) -> dict[str, Any]:
    specific: dict[str, Any] = {"kind": str(exposure.kind), "fallbacks": [str(one) for one in exposure.fallbacks]}
    if exposure.problems:
        specific["problems"] = list(exposure.problems)
    return {
        "package": {"ecosystem": exposure.ecosystem, "name": exposure.name},
        "ranges": [_range(interval) for interval in exposure.intervals],
        "versions": sorted(exposure.unordered_versions),
        "ecosystem_specific": {"functions": list(exposure.functions)} if exposure.functions else {},
        "database_specific": specific,
    }


def _range(interval: VersionInterval) -> dict[str, Any]:
    """One range an interval, as `fixed` and `last_affected` may not meet in one. OSV has no open lower bound."""
    low, high = interval.low, interval.high
    events = [{"introduced": "0" if low.cut == BOTTOM.cut else low.text}]
    if not interval.is_open_above:
        events.append({"last_affected" if high.is_after else "fixed": high.text})
    return {"type": "SEMVER", "events": events}
