"""SARIF 2.1.0 out of a check: a rule for each advisory, a result for each finding.

The reference is https://docs.oasis-open.org/sarif/sarif/v2.1.0/; `security-severity` is what GitHub sorts by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, assert_never
from urllib.parse import quote

from stook.advisories.advisory import Advisory
from stook.advisories.ecosystems import PackageVersion
from stook.advisories.exposure import AdvisoryKind
from stook.advisories.formats.document import encode_document
from stook.advisories.formats.inventory import Inventory
from stook.advisories.formats.purl import purl_of
from stook.advisories.match import AdvisoryFinding
from stook.advisories.policy import Suppression
from stook.advisories.report import CheckReport
from stook.advisories.severity import AdvisorySeverity, SeverityLevel

__all__ = ["write_sarif"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def write_sarif(report: CheckReport, inventory: Inventory, *, path: str, version: str = "") -> bytes:
    """The log as JSON. `path` is the input's, relative to the repository; `version` is Stook's."""
    judged = [*((finding, None) for finding in (*report.findings, *report.warnings)), *_suppressed(report)]
    failing = set(map(_identity, report.findings))
    rules = _rules(finding for finding, _ in judged)
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    lines = {listed.package: listed.line for listed in inventory.packages}
    results = [
        _result(finding, suppression, places[finding.advisory.id], _identity(finding) in failing)
        | {"locations": [_location(path, lines.get(finding.package, 0))]}
        for finding, suppression in judged
    ]
    driver = {"name": "stook", "informationUri": "https://ossf.github.io/osv-schema/", "rules": rules}
    run = {"tool": {"driver": driver | ({"version": version} if version else {})}, "results": results}
    return encode_document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _suppressed(report: CheckReport) -> Iterable[tuple[AdvisoryFinding, Suppression]]:
    return ((pair.finding, pair.suppression) for pair in report.suppressed)


def _identity(finding: AdvisoryFinding) -> tuple[PackageVersion, str]:
    return finding.package, finding.advisory.id


def _rules(findings: Iterable[AdvisoryFinding]) -> list[dict[str, Any]]:
    """One rule an advisory, sorted by id, with the gravest severity that it has in any package."""
    gravest: dict[str, AdvisorySeverity] = {}
    advisories: dict[str, tuple[Advisory, AdvisoryKind]] = {}
    for finding in findings:
        severity, key = finding.exposure.severity, finding.advisory.id
        gravest[key] = max(gravest.get(key, severity), severity, key=lambda one: one.rank)
        advisories[key] = (finding.advisory, finding.exposure.kind)
    return [_rule(*advisories[key], gravest[key]) for key in sorted(advisories)]


def _rule(advisory: Advisory, kind: AdvisoryKind, severity: AdvisorySeverity) -> dict[str, Any]:
    properties: dict[str, Any] = {"tags": ["security", str(kind), *advisory.aliases]}
    if severity.score is not None:
        properties["security-severity"] = f"{severity.score:.1f}"
    summary = advisory.summary or advisory.id
    links = [url for kind, url in advisory.links if kind == "ADVISORY"] or [url for _, url in advisory.links]
    help_uri: Mapping[str, str] = {"helpUri": quote(links[0], safe="%/:=&?~#+!$,;'@()*[]")} if links else {}
    return {
        "id": advisory.id,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": advisory.details or summary},
        "properties": properties,
        **help_uri,
    }


def _result(finding: AdvisoryFinding, suppression: Suppression | None, rule: int, is_failing: bool) -> dict[str, Any]:
    package = finding.package
    identity = f"{purl_of(package)} {finding.advisory.id}"
    result: dict[str, Any] = {
        "ruleId": finding.advisory.id,
        "ruleIndex": rule,
        "level": _level(finding, is_failing),
        "message": {"text": f"{package.name} {package.version}: {finding.advisory.summary} ({finding.reason})"},
        "partialFingerprints": {"package/v1": sha256(identity.encode()).hexdigest()},
        "properties": {"purl": purl_of(package), "certainty": str(finding.certainty)},
    }
    if suppression is not None:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": suppression.reason}]
    return result


def _level(finding: AdvisoryFinding, is_failing: bool) -> str:
    """`error` and `warning` for what fails the check, by severity; `note` for the rest."""
    if not is_failing:
        return "note"
    match finding.exposure.severity.level:
        case SeverityLevel.NONE | SeverityLevel.LOW | SeverityLevel.MEDIUM:
            return "warning"
        case SeverityLevel.UNKNOWN | SeverityLevel.HIGH | SeverityLevel.CRITICAL:
            return "error"
        case level:
            assert_never(level)


def _location(path: str, line: int) -> dict[str, Any]:
    """GitHub shows no result without a region, so an unknown line is the first."""
    artifact = {"uri": quote(path, safe="/")}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line, 1)}}}
