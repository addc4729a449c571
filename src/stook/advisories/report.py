"""A check of packages against advisories under a policy, as a value with an exit code for CI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import TypeAlias

from stook.advisories.ecosystems import PackageVersion, lookup_name
from stook.advisories.match import Advisories, AdvisoryFinding
from stook.advisories.policy import CheckPolicy, Suppression

__all__ = ["CheckReport", "ExitCode", "SuppressedFinding", "check"]

Scope: TypeAlias = tuple[str, str] | None  # ecosystem and look-up name; None for every package


class ExitCode(IntEnum):
    """What a CI job sees."""

    CLEAN = 0
    FINDINGS = 1
    MISTAKE = 2


@dataclass(frozen=True, slots=True)
class SuppressedFinding:
    """A finding that would fail or warn, and the decision that keeps it from that."""

    finding: AdvisoryFinding
    suppression: Suppression


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`findings` fail the check, `warnings` do not. `unchecked` are packages of ecosystems without a version order.

    `notes` tell of suppressions that expired or fit nothing; `mistakes` of what the user must correct first.
    """

    checked: int
    findings: tuple[AdvisoryFinding, ...] = ()
    warnings: tuple[AdvisoryFinding, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    unchecked: tuple[PackageVersion, ...] = ()
    notes: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """A mistake comes first: a check by a policy that cannot be read says nothing."""
        if self.mistakes:
            return ExitCode.MISTAKE
        return ExitCode.FINDINGS if self.findings else ExitCode.CLEAN


def check(
    packages: Iterable[PackageVersion],
    advisories: Advisories,
    policy: CheckPolicy,
    *,
    today: date,
    mistakes: Sequence[str] = (),
) -> CheckReport:
    """Judge each distinct package once. `mistakes` are those of the input, found before; they fail the check, too."""
    distinct = list(dict.fromkeys(packages))
    decisions = _Decisions(policy, advisories, today)
    findings: list[AdvisoryFinding] = []
    warnings: list[AdvisoryFinding] = []
    suppressed: list[SuppressedFinding] = []
    for finding in advisories.find_all(distinct):
        suppression = decisions.about(finding)
        if suppression:
            suppressed.append(SuppressedFinding(finding, suppression))
        else:
            (findings if policy.fails(finding) else warnings).append(finding)
    unchecked = tuple(package for package in distinct if package.ecosystem not in advisories.orders)
    return CheckReport(
        checked=len(distinct) - len(unchecked),
        findings=tuple(findings),
        warnings=tuple(warnings),
        suppressed=tuple(suppressed),
        unchecked=unchecked,
        notes=tuple(decisions.notes()),
        mistakes=(*mistakes, *policy.mistakes()),
    )


class _Decisions:
    """The policy's suppressions by name and package, and which of them were needed."""

    def __init__(self, policy: CheckPolicy, advisories: Advisories, today: date) -> None:
        self._today = today
        self._aliases = {one: _known_aliases(one, advisories) for one in policy.suppressions}
        self._used: set[Suppression] = set()
        self._filed: dict[tuple[str, Scope], list[Suppression]] = {}
        for one, aliases in self._aliases.items():
            for filed in {(name, scope) for name in one.ids | aliases for scope in _scopes(one)}:
                self._filed.setdefault(filed, []).append(one)

    def about(self, finding: AdvisoryFinding) -> Suppression | None:
        """The first suppression that holds, of those that are filed under a name of the advisory."""
        candidates: dict[Suppression, None] = {}
        for name in finding.advisory.names:
            for scope in (None, finding.exposure.key):
                candidates |= dict.fromkeys(self._filed.get((name, scope), ()))
        for one in candidates:
            if one.covers_package(finding.package) and one.covers_advisory(finding.advisory, self._aliases[one]):
                self._used.add(one)
                if one.reason.strip() and not one.is_expired(self._today):
                    return one
        return None

    def notes(self) -> list[str]:
        found: list[str] = []
        for suppression in self._aliases:
            ids = ", ".join(sorted(suppression.ids))[:200]
            if suppression not in self._used:
                found.append(f"the suppression of {ids} ({suppression.origin}) fits no finding")
            elif suppression.is_expired(self._today):
                found.append(f"the suppression of {ids} ({suppression.origin}) expired on {suppression.expires}")
        return found


def _scopes(suppression: Suppression) -> set[Scope]:
    return {(one.ecosystem, lookup_name(one.ecosystem, one.name)) for one in suppression.packages} or {None}


def _known_aliases(suppression: Suppression, advisories: Advisories) -> frozenset[str]:
    records = (advisories.by_id.get(name) for name in suppression.ids)
    return frozenset(alias for record in records if record for alias in record.aliases)
