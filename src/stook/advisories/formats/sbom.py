"""CycloneDX 1.6 out of an inventory: components, their graph, and what a check found in them.

The document depends on its input alone: no clock, and a serial number made from the content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from stook.advisories.formats.document import encode_document
from stook.advisories.formats.inventory import Inventory, ListedPackage
from stook.advisories.formats.purl import purl_of
from stook.advisories.match import AdvisoryFinding, Certainty
from stook.advisories.report import CheckReport

__all__ = ["write_cyclonedx"]

_METHODS = {"CVSS:3.0": "CVSSv3", "CVSS:3.1": "CVSSv31", "CVSS:4.0": "CVSSv4"}


def write_cyclonedx(inventory: Inventory, report: CheckReport | None = None, *, version: str = "") -> bytes:
    """A bill of materials as JSON; with a report, its findings are its vulnerabilities. `version` is Stook's."""
    references = _references(inventory.packages)
    document: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"tools": {"components": [_tool(version)]}},
        "components": [_component(*pair) for pair in zip(inventory.packages, references, strict=True)],
        "dependencies": [
            {"ref": reference, "dependsOn": sorted({references[place] for place in listed.depends_on})}
            for listed, reference in zip(inventory.packages, references, strict=True)
        ],
    }
    if report is not None:
        document["vulnerabilities"] = _vulnerabilities(report, inventory.packages, references)
    document["serialNumber"] = uuid5(NAMESPACE_URL, encode_document(document).decode()).urn
    return encode_document(document)


def _tool(version: str) -> dict[str, str]:
    tool = {"type": "application", "name": "stook"}
    return {**tool, "version": version} if version else tool


def _references(packages: Sequence[ListedPackage]) -> list[str]:
    """A bom-ref for each: its purl, or its place for what is not of the registry or listed twice."""
    taken: set[str] = set()
    references: list[str] = []
    for place, listed in enumerate(packages):
        purl = purl_of(listed.package)
        is_plain = not listed.other_source and purl not in taken
        references.append(purl if is_plain else f"{place}:{listed.package.name}@{listed.package.version}")
        taken.add(references[-1])
    return references


def _component(listed: ListedPackage, reference: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": reference,
        "name": listed.package.name,
        "version": listed.package.version,
    }
    if listed.other_source:
        found["properties"] = [{"name": "stook:source", "value": listed.other_source}]
    else:
        found["purl"] = purl_of(listed.package)
    if len(listed.checksum) == 64 and set(listed.checksum) <= set("0123456789abcdef"):
        found["hashes"] = [{"alg": "SHA-256", "content": listed.checksum}]
    return found


def _vulnerabilities(
    report: CheckReport, packages: Sequence[ListedPackage], references: Sequence[str]
) -> list[dict[str, Any]]:
    """One entry for each advisory and analysis, with all components that it affects."""
    by_package = {
        listed.package: reference
        for listed, reference in zip(packages, references, strict=True)
        if not listed.other_source
    }
    entries: dict[tuple[str, str], dict[str, Any]] = {}
    for finding, analysis in _analysed(report):
        reference = by_package.get(finding.package)
        if reference is None:
            continue
        entry = entries.setdefault((finding.advisory.id, repr(analysis)), _vulnerability(finding, analysis))
        entry["affects"].append({"ref": reference, "versions": [_version(finding)]})
    return [entries[key] for key in sorted(entries)]


def _version(finding: AdvisoryFinding) -> dict[str, str]:
    is_sure = finding.certainty is Certainty.AFFECTED
    return {"version": finding.package.version, "status": "affected" if is_sure else "unknown"}


def _analysed(report: CheckReport) -> Iterable[tuple[AdvisoryFinding, dict[str, str]]]:
    """A version that matches is not yet an analysis, and a suppression does not say what state its author sees."""
    for finding in (*report.findings, *report.warnings):
        is_sure = finding.certainty is Certainty.AFFECTED
        yield finding, {} if is_sure else {"state": "in_triage", "detail": finding.reason}
    for pair in report.suppressed:
        yield pair.finding, {"detail": f"suppressed ({pair.suppression.origin}): {pair.suppression.reason}"[:1000]}


def _vulnerability(finding: AdvisoryFinding, analysis: dict[str, str]) -> dict[str, Any]:
    advisory, severity = finding.advisory, finding.exposure.severity
    rating: dict[str, Any] = {"severity": severity.level.name.lower()}
    if severity.score is not None:
        method = _METHODS.get(severity.vector[:8], "CVSSv2")
        rating |= {"score": severity.score, "method": method, "vector": severity.vector}
    found: dict[str, Any] = {
        "bom-ref": f"{advisory.id}/{uuid5(NAMESPACE_URL, repr(analysis))}",
        "id": advisory.id,
        "source": {"name": advisory.id.partition("-")[0]},
        "references": [{"id": alias, "source": {"name": alias.partition("-")[0]}} for alias in advisory.aliases],
        "ratings": [rating],
        "description": advisory.summary,
        "properties": [{"name": "stook:kind", "value": str(finding.exposure.kind)}],
        "affects": [],
    }
    return found | ({"analysis": analysis} if analysis else {})
