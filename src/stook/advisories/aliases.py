"""Advisories that are about one bug: groups by alias within a package, and one row for each CVE.

Groups are connected components, found by union-find: an alias that two advisories share joins them, whatever their
order. They stay within a package, as one GHSA may cover many packages that have nothing else in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from stook.advisories.advisory import Advisory
from stook.advisories.exposure import AdvisoryKind, Exposure
from stook.advisories.ranges import Intervals, merge
from stook.advisories.severity import AdvisorySeverity

__all__ = ["AliasGroup", "CveRow", "alias_groups", "components", "cve_rows"]


@dataclass(frozen=True, slots=True)
class AliasGroup:
    """Advisories of one package that aliases connect, sorted by id; `names` are all ids and aliases, sorted."""

    advisories: tuple[Advisory, ...]
    names: tuple[str, ...]

    @property
    def cves(self) -> tuple[str, ...]:
        return tuple(sorted({cve for advisory in self.advisories for cve in advisory.cves}))


@dataclass(frozen=True, slots=True)
class CveRow:
    """What is known of one package under one identifier: a CVE, or an advisory's own id where there is no CVE.

    `intervals` are the union over `advisory_ids`; `kind` and `severity` are the gravest of them.
    """

    ecosystem: str
    name: str
    vulnerability_id: str
    is_cve: bool
    advisory_ids: tuple[str, ...]
    intervals: Intervals
    kind: AdvisoryKind
    severity: AdvisorySeverity


def components(name_lists: Sequence[Sequence[str]]) -> list[list[int]]:
    """Places of the lists that are connected by shared names; each component sorted, in the order of its first."""
    parents = list(range(len(name_lists)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    holders: dict[str, int] = {}
    for place, names in enumerate(name_lists):
        for name in names:
            left, right = root(holders.setdefault(name, place)), root(place)
            parents[max(left, right)] = min(left, right)
    found: dict[int, list[int]] = {}
    for place in range(len(name_lists)):
        found.setdefault(root(place), []).append(place)
    return list(found.values())


def alias_groups(advisories: Iterable[Advisory]) -> list[AliasGroup]:
    """The groups among one package's advisories, in the order of their lowest ids."""
    ordered = sorted(advisories, key=lambda advisory: advisory.id)
    groups = components([advisory.names for advisory in ordered])
    return [_group([ordered[place] for place in places]) for places in groups]


def _group(advisories: Sequence[Advisory]) -> AliasGroup:
    names = sorted(set(chain.from_iterable(advisory.names for advisory in advisories)))
    return AliasGroup(tuple(advisories), tuple(names))


def cve_rows(exposed: Iterable[tuple[Advisory, Exposure]]) -> list[CveRow]:
    """One package's rows, sorted by identifier: one for each CVE, and one for each advisory without any.

    An advisory without a CVE of its own takes that of its group if the group has exactly one. Of several none is
    guessed: a record that lists two CVEs joins two bugs into one group. Withdrawn advisories give no row.
    """
    live = [pair for pair in exposed if not pair[0].is_withdrawn]
    lent: dict[str, tuple[str, ...]] = {}
    for group in alias_groups(advisory for advisory, _ in live):
        if len(group.cves) == 1:
            lent |= {advisory.id: group.cves for advisory in group.advisories}
    rows: dict[str, list[Exposure]] = {}
    cves: set[str] = set()
    for advisory, exposure in live:
        names = advisory.cves or lent.get(advisory.id, ())
        cves.update(names)
        for name in names or (advisory.id,):
            rows.setdefault(name, []).append(exposure)
    return [_row(name, name in cves, rows[name]) for name in sorted(rows)]


def _row(name: str, is_cve: bool, exposures: Sequence[Exposure]) -> CveRow:
    kinds = list(AdvisoryKind)
    first = min(exposures, key=lambda exposure: exposure.advisory_id)
    return CveRow(
        ecosystem=first.ecosystem,
        name=first.name,
        vulnerability_id=name,
        is_cve=is_cve,
        advisory_ids=tuple(sorted(exposure.advisory_id for exposure in exposures)),
        intervals=merge(chain.from_iterable(exposure.intervals for exposure in exposures)),
        kind=min((exposure.kind for exposure in exposures), key=kinds.index),
        severity=max((exposure.severity for exposure in exposures), key=lambda severity: severity.rank),
    )
