"""A check as a value."""

from __future__ import annotations

from datetime import date, timedelta

from stook.advisories import CheckPolicy, ExitCode, PackageVersion, Suppression, check

from .records import advisories, affected, crate, record  # noqa: TID252

TODAY = date(2026, 12, 1)
OPEN = {"introduced": "0"}
KNOWN = advisories(
    record("GO-2024-0001", affected("oar", OPEN, {"fixed": "1.0.0"}), aliases=["CVE-2024-0001"]),
    record("GHSA-1", affected("oar", OPEN, {"fixed": "1.0.0"}), aliases=["CVE-2024-0001"]),
    record("RUSTSEC-2024-0001", affected("mast", OPEN, database_specific={"informational": "unmaintained"})),
)
PACKAGES = [crate("oar", "0.9.0"), crate("oar", "0.9.0"), crate("mast", "1.0.0"), PackageVersion("npm", "oar", "1.0.0")]


def suppress(id: str, reason: str = "not reachable", **more: date) -> CheckPolicy:
    return CheckPolicy(suppressions=(Suppression(frozenset({id}), reason, **more),))


def test_findings_and_warnings() -> None:
    """Each package counts once; what informs does not fail; what has no order is said not to be checked."""
    report = check(PACKAGES, KNOWN, CheckPolicy(), today=TODAY)
    assert [one.advisory.id for one in report.findings] == ["GHSA-1", "GO-2024-0001"]
    assert [one.advisory.id for one in report.warnings] == ["RUSTSEC-2024-0001"]
    assert report.checked == 2
    assert report.unchecked == (PackageVersion("npm", "oar", "1.0.0"),)
    assert report.exit_code == ExitCode.FINDINGS == 1


def test_clean() -> None:
    """Nothing found is exit code 0, warnings or not."""
    assert check([crate("oar", "1.0.0"), crate("mast", "1.0.0")], KNOWN, CheckPolicy(), today=TODAY).exit_code == 0


def test_one_alias_suppresses_its_bug() -> None:
    """Ignoring one record ignores the other one about the same CVE, and both are listed with the reason."""
    report = check(PACKAGES, KNOWN, suppress("GO-2024-0001"), today=TODAY)
    assert [one.finding.advisory.id for one in report.suppressed] == ["GHSA-1", "GO-2024-0001"]
    assert {one.suppression.reason for one in report.suppressed} == {"not reachable"}
    assert (report.findings, report.notes, report.exit_code) == ((), (), ExitCode.CLEAN)


def test_expired_and_idle_suppressions_are_told() -> None:
    """An expired one no longer holds; one that fits nothing may be removed."""
    report = check(PACKAGES, KNOWN, suppress("CVE-2024-0001", expires=TODAY - timedelta(days=1)), today=TODAY)
    assert len(report.findings) == 2
    assert "expired" in report.notes[0]
    report = check(PACKAGES, KNOWN, suppress("CVE-2024-0404"), today=TODAY)
    assert "fits no finding" in report.notes[0]


def test_mistakes_come_first() -> None:
    """A suppression without a reason hides nothing, and the check ends with 2; so do mistakes of the input."""
    report = check(PACKAGES, KNOWN, suppress("GO-2024-0001", " "), today=TODAY)
    assert len(report.findings) == 2
    assert report.exit_code == ExitCode.MISTAKE == 2
    assert check([], KNOWN, CheckPolicy(), today=TODAY, mistakes=["no such file"]).exit_code == ExitCode.MISTAKE
