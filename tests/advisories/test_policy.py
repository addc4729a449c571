"""Policies: what fails, and what a suppression covers."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from stook.advisories import Advisory, CheckPolicy, PackageVersion, SeverityLevel, Suppression

from .records import advisories, affected, crate, record  # noqa: TID252

OPEN = {"introduced": "0"}


def advisory(id: str, *aliases: str) -> Advisory:
    return advisories(record(id, affected("oar", OPEN), aliases=list(aliases))).by_id[id]


@pytest.mark.parametrize(
    ("named", "known", "advised", "is_covered"),
    [
        (["GO-1"], [], advisory("GO-1"), True),
        (["CVE-2024-0001"], [], advisory("GO-1", "CVE-2024-0001"), True),
        (["GHSA-1"], [], advisory("GO-1", "CVE-2024-0001", "GHSA-1"), True),
        (["GO-1"], ["CVE-2024-0001"], advisory("GHSA-1", "CVE-2024-0001"), True),
        (["GO-2"], ["CVE-2024-0002"], advisory("GO-1", "CVE-2024-0001"), False),
        (["CVE-2024-0001"], [], advisory("GO-1", "CVE-2024-0001", "CVE-2024-0002"), False),
        (["CVE-2024-0001", "CVE-2024-0002"], [], advisory("GO-1", "CVE-2024-0001", "CVE-2024-0002"), True),
        (["GHSA-1"], ["CVE-2024-0001", "RUSTSEC-1"], advisory("RUSTSEC-1", "CVE-2024-0001", "CVE-2024-0002"), False),
        (["GHSA-1"], ["CVE-2024-0001", "RUSTSEC-1"], advisory("GHSA-2", "CVE-2024-0002", "RUSTSEC-1"), False),
    ],
)
def test_covered_advisories(named: list[str], known: list[str], advised: Advisory, is_covered: bool) -> None:
    """One alias is enough for one bug; a record of several bugs needs each of them named."""
    suppression = Suppression(frozenset(named), "not reachable")
    assert suppression.covers_advisory(advised, frozenset(known)) == is_covered


@pytest.mark.parametrize(
    ("packages", "is_covered"),
    [
        ((), True),
        ((crate("Oar_Lock", ""),), True),
        ((crate("oar-lock", "1.0.0"),), True),
        ((crate("oar-lock", "1.0.1"),), False),
        ((PackageVersion("Go", "oar-lock", ""),), False),
    ],
)
def test_covered_packages(packages: tuple[PackageVersion, ...], is_covered: bool) -> None:
    """All packages, one at all versions, or one at one version."""
    assert Suppression(frozenset({"GO-1"}), "why", packages).covers_package(crate("oar-lock", "1.0.0")) == is_covered


def test_expiry() -> None:
    """It holds on its last day."""
    suppression = Suppression(frozenset({"GO-1"}), "why", expires=date(2026, 12, 1))
    assert not suppression.is_expired(date(2026, 12, 1))
    assert suppression.is_expired(date(2026, 12, 2))


def fails(policy: CheckPolicy, version: str = "1.0.0", *events: dict[str, str], **more: Any) -> bool:
    entry = affected("oar", *(events or (OPEN,)), database_specific=more)
    known = advisories(record("GHSA-1", entry, database_specific={"severity": more.get("severity")}))
    (finding,) = known.find(crate("oar", version))
    return policy.fails(finding)


def test_what_fails() -> None:
    """Vulnerabilities do, informational advisories do not; low ones do not if the policy says so, unknown ones do."""
    assert fails(CheckPolicy())
    assert not fails(CheckPolicy(), informational="unmaintained")
    high = CheckPolicy(minimum=SeverityLevel.HIGH)
    assert not fails(high, severity="MODERATE")
    assert fails(high, severity="HIGH")
    assert fails(high)


def test_undetermined() -> None:
    """What cannot be judged fails unless the policy says otherwise."""
    bounded = (OPEN, {"fixed": "1.0.0"})
    assert fails(CheckPolicy(), "main", *bounded)
    assert not fails(CheckPolicy(fail_undetermined=False), "main", *bounded)


def test_mistakes() -> None:
    """A suppression needs an advisory and a reason."""
    policy = CheckPolicy(suppressions=(Suppression(frozenset(), "why"), Suppression(frozenset({"GO-1"}), " ")))
    assert len(list(policy.mistakes())) == 2
