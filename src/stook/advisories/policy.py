"""What makes a check fail: kinds, severity, certainty; and what people have decided to accept, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from stook.advisories.advisory import Advisory
from stook.advisories.ecosystems import PackageVersion, bare_version, lookup_name
from stook.advisories.exposure import AdvisoryKind
from stook.advisories.match import AdvisoryFinding, Certainty
from stook.advisories.severity import SeverityLevel

__all__ = ["CheckPolicy", "Suppression"]


@dataclass(frozen=True, slots=True)
class Suppression:
    """A decision about advisories, by id or alias. Without `packages` it holds for all; a package without a version
    stands for all of its versions. After `expires` it no longer holds. `origin` is where it was written.
    """

    ids: frozenset[str]
    reason: str
    packages: tuple[PackageVersion, ...] = ()
    expires: date | None = None
    origin: str = "policy"

    def is_expired(self, today: date) -> bool:
        return self.expires is not None and self.expires < today

    def covers_package(self, package: PackageVersion) -> bool:
        return not self.packages or any(_is_of(package, named) for named in self.packages)

    def covers_advisory(self, advisory: Advisory, known_aliases: frozenset[str]) -> bool:
        """Whether the decision is about this advisory's bug; `known_aliases` are the aliases of the named records.

        One alias is enough, except for an advisory with several CVEs: those are several bugs, and each must be named.
        """
        if advisory.id in self.ids:
            return True
        cves = set(advisory.cves)
        if cves and cves <= self.ids | known_aliases:
            return True
        direct = self.ids if cves else self.ids | known_aliases
        return len(cves) < 2 and not direct.isdisjoint(advisory.names)


def _is_of(package: PackageVersion, named: PackageVersion) -> bool:
    ecosystem = package.ecosystem
    if ecosystem != named.ecosystem or lookup_name(ecosystem, package.name) != lookup_name(ecosystem, named.name):
        return False
    versions = {bare_version(ecosystem, one.name, one.version) for one in (package, named)}
    return not named.version or len(versions) == 1


@dataclass(frozen=True, slots=True)
class CheckPolicy:
    """Which findings fail a check; the others are warnings. An unknown severity is never below `minimum`."""

    fail_kinds: frozenset[AdvisoryKind] = frozenset({AdvisoryKind.VULNERABILITY, AdvisoryKind.MALICIOUS})
    minimum: SeverityLevel = SeverityLevel.UNKNOWN
    fail_undetermined: bool = True
    suppressions: tuple[Suppression, ...] = ()

    def fails(self, finding: AdvisoryFinding) -> bool:
        level = finding.exposure.severity.level
        if level is not SeverityLevel.UNKNOWN and level < self.minimum:
            return False
        if finding.certainty is Certainty.UNDETERMINED and not self.fail_undetermined:
            return False
        return finding.exposure.kind in self.fail_kinds

    def mistakes(self) -> Iterator[str]:
        """What the policy's author must correct, in sentences."""
        for suppression in self.suppressions:
            ids = ", ".join(sorted(suppression.ids))[:200]
            if not ids:
                yield f"a suppression of {suppression.origin} names no advisory"
            elif not suppression.reason.strip():
                yield f"the suppression of {ids} ({suppression.origin}) has no reason"
