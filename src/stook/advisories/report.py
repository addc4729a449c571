"""A check of packages against advisories under a policy, as a value with an exit code for CI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

from stook.advisories.ecosystems import PackageVersion
from stook.advisories.match import Advisories, AdvisoryFinding
from stook.advisories.policy import CheckPolicy, Suppression

__all__ = ["CheckReport", "ExitCode", "SuppressedFinding", "check"]


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
    """The policy's suppressions, and which of them were needed."""

    def __init__(self, policy: CheckPolicy, advisories: Advisories, today: date) -> None:
        self._today = today
        self._aliases = {one: _known_aliases(one, advisories) for one in policy.suppressions}
        self._used: set[Suppression] = set()

    def about(self, finding: AdvisoryFinding) -> Suppression | None:
        for suppression, aliases in self._aliases.items():
            if suppression.covers_package(finding.package) and suppression.covers_advisory(finding.advisory, aliases):
                self._used.add(suppression)
                if suppression.reason.strip() and not suppression.is_expired(self._today):
                    return suppression
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


def _known_aliases(suppression: Suppression, advisories: Advisories) -> frozenset[str]:
    records = (advisories.by_id.get(name) for name in suppression.ids)
    return frozenset(alias for record in records if record for alias in record.aliases)
