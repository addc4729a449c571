"""Which advisories affect a package at a version, and why: an index of intervals for each package."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from stook.advisories.advisory import Advisory, interpret
from stook.advisories.aliases import AliasGroup, CveRow, alias_groups, cve_rows
from stook.advisories.ecosystems import PackageVersion, VersionOrder, bare_version, lookup_name
from stook.advisories.exposure import AdvisoryKind, Exposure
from stook.advisories.fixes import Remedy, find_remedy
from stook.advisories.osv import OsvRecord, UnreadableRecord
from stook.advisories.ranges import ALL, SourcedRange, VersionInterval, locate, to_text

__all__ = ["Advisories", "AdvisoryFinding", "Certainty"]

_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
_FIXABLE = frozenset({AdvisoryKind.VULNERABILITY, AdvisoryKind.MALICIOUS, AdvisoryKind.UNSOUND})


class Certainty(StrEnum):
    """UNDETERMINED: the version or a bound of the record cannot be ordered, and nothing else decides."""

    AFFECTED = "affected"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class AdvisoryFinding:
    """One advisory about one package at one version. `key` is None where the version cannot be ordered."""

    package: PackageVersion
    advisory: Advisory
    exposure: Exposure
    certainty: Certainty
    key: bytes | None

    @property
    def range(self) -> SourcedRange | None:
        """The first range of the record that holds the version."""
        return next((part for part in self.exposure.ranges if self._interval(part)), None)

    @property
    def interval(self) -> VersionInterval | None:
        """The interval of that range which holds the version."""
        return self._interval(self.range) if self.range else None

    def _interval(self, part: SourcedRange) -> VersionInterval | None:
        return locate(part.intervals, self.key) if self.key is not None else None

    @property
    def reason(self) -> str:
        """Why, in a sentence: which interval of which part of the record, or what cannot be ordered."""
        part, interval = self.range, self.interval
        if part and interval:
            place = f"{part.source} {part.index + 1}" if part.source == "range" else part.source
            versions = "one of all versions" if interval == ALL else f"in {to_text([interval])}"
            return f"{self.package.version} is {versions} ({place} of {self.advisory.id})"
        if self.certainty is Certainty.AFFECTED:
            return f"{self.advisory.id} lists {self.package.version} or every version"
        problem = "; ".join(self.exposure.problems[:3]) or "the version cannot be ordered"
        return f"{self.advisory.id} names {self.package.name}, but {problem}"


class _PackageIndex:
    """One package's intervals, sorted by their low cuts; `reach` is the highest high cut up to each place."""

    __slots__ = ("exposures", "highs", "lows", "owners", "problems", "reach")

    def __init__(self, exposures: Sequence[Exposure]) -> None:
        self.exposures = exposures
        pieces = sorted(
            (interval.low.cut, interval.high.cut, owner)
            for owner, exposure in enumerate(exposures)
            for interval in exposure.intervals
        )
        self.lows = [low for low, _, _ in pieces]
        self.highs = [high for _, high, _ in pieces]
        self.owners = [owner for _, _, owner in pieces]
        self.reach: list[tuple[bytes, bool]] = []
        for high in self.highs:
            self.reach.append(max(high, self.reach[-1]) if self.reach else high)
        self.problems = [owner for owner, exposure in enumerate(exposures) if exposure.problems]

    def affecting(self, key: bytes) -> list[int]:
        """Places of the exposures that hold the key, ascending; an exposure's own intervals never overlap."""
        at = (key, False)
        found: list[int] = []
        place = bisect_right(self.lows, at) - 1
        while place >= 0 and self.reach[place] > at:
            if self.highs[place] > at:
                found.append(self.owners[place])
            place -= 1
        return sorted(found)

    def judge(self, version: str, key: bytes | None) -> Iterator[tuple[Exposure, Certainty]]:
        """Every exposure that affects the version or cannot say; `version` is bare."""
        if key is None:
            for exposure in self.exposures:
                is_sure = version in exposure.unordered_versions or exposure.intervals == (ALL,)
                if is_sure or exposure.intervals or exposure.problems:
                    yield exposure, Certainty.AFFECTED if is_sure else Certainty.UNDETERMINED
            return
        affecting = self.affecting(key)
        if not self.problems:
            yield from ((self.exposures[place], Certainty.AFFECTED) for place in affecting)
            return
        for place in sorted({*affecting, *self.problems}):
            yield self.exposures[place], Certainty.AFFECTED if place in affecting else Certainty.UNDETERMINED


class Advisories:
    """Advisories by package. Withdrawn ones stay in `by_id` and never match."""

    def __init__(
        self,
        advisories: Mapping[str, Advisory],
        orders: Mapping[str, VersionOrder],
        unreadable: Sequence[UnreadableRecord] = (),
    ) -> None:
        self.by_id = advisories
        self.orders = orders
        self.unreadable = tuple(unreadable)
        self._packages = _by_package(advisories.values())
        self._indexes = {key: _PackageIndex(exposures) for key, exposures in self._packages.items()}

    @classmethod
    def from_records(
        cls, records: Iterable[OsvRecord | UnreadableRecord], orders: Mapping[str, VersionOrder]
    ) -> Advisories:
        """Of records with one id the last modified counts, whatever the order; a zero time is never the last."""
        newest: dict[str, OsvRecord] = {}
        unreadable: list[UnreadableRecord] = []
        for record in records:
            if isinstance(record, UnreadableRecord):
                unreadable.append(record)
            elif record.id not in newest or _age(newest[record.id]) < _age(record):
                newest[record.id] = record
        return cls({key: interpret(newest[key], orders) for key in sorted(newest)}, orders, unreadable)

    def find(self, package: PackageVersion) -> list[AdvisoryFinding]:
        """What affects this package, sorted by advisory id; nothing for an ecosystem without an order."""
        return list(self.find_all((package,)))

    def find_all(self, packages: Iterable[tuple[str, str, str]]) -> Iterator[AdvisoryFinding]:
        """The findings of many (ecosystem, name, version), package by package, in their order."""
        indexes, orders = self._indexes, self.orders
        for ecosystem, name, version in packages:
            index = indexes.get((ecosystem, lookup_name(ecosystem, name)))
            if index is None:
                continue
            bare = bare_version(ecosystem, name, version)
            key = orders[ecosystem](bare) or None
            for exposure, certainty in index.judge(bare, key):
                package = PackageVersion(ecosystem, name, version)
                yield AdvisoryFinding(package, self.by_id[exposure.advisory_id], exposure, certainty, key)

    def exposures(self, ecosystem: str, name: str) -> Sequence[Exposure]:
        """What is known of a package, sorted by advisory id."""
        return self._packages.get((ecosystem, lookup_name(ecosystem, name)), ())

    def packages(self) -> Iterable[tuple[str, str]]:
        """Ecosystem and look-up name of each package that has an advisory."""
        return self._packages.keys()

    def groups(self, ecosystem: str, name: str) -> list[AliasGroup]:
        """A package's advisories, those about one bug together."""
        return alias_groups(self.by_id[exposure.advisory_id] for exposure in self.exposures(ecosystem, name))

    def cve_rows(self, ecosystem: str, name: str) -> list[CveRow]:
        """A package's rows by CVE, and by advisory id where there is no CVE."""
        exposures = self.exposures(ecosystem, name)
        return cve_rows((self.by_id[exposure.advisory_id], exposure) for exposure in exposures)

    def remedy(self, package: PackageVersion, known: Iterable[str] = ()) -> Remedy:
        """Where to go from this version; `known` are versions that exist, from which the answer is then taken."""
        order = self.orders.get(package.ecosystem)
        fixable = [entry for entry in self.exposures(package.ecosystem, package.name) if entry.kind in _FIXABLE]
        return find_remedy(package, fixable, order, known) if order else Remedy()


def _age(record: OsvRecord) -> tuple[datetime, bytes]:
    """Sorts records of one id; equal times by the digest, so that the order of arrival does not matter."""
    return max(record.modified, _EARLIEST), record.digest


def _by_package(advisories: Iterable[Advisory]) -> dict[tuple[str, str], list[Exposure]]:
    """Live exposures by package, each with the severity of its advisory, else the gravest of its alias group."""
    found: dict[tuple[str, str], list[tuple[Advisory, Exposure]]] = {}
    for advisory in sorted(advisories, key=lambda advisory: advisory.id):
        for exposure in () if advisory.is_withdrawn else advisory.exposures:
            found.setdefault(exposure.key, []).append((advisory, exposure))
    return {key: _with_severities(exposed) for key, exposed in found.items()}


def _with_severities(exposed: Sequence[tuple[Advisory, Exposure]]) -> list[Exposure]:
    own = {
        advisory.id: exposure.severity if exposure.severity.level else advisory.severity
        for advisory, exposure in exposed
    }
    severities = dict(own)
    for group in alias_groups(advisory for advisory, _ in exposed):
        gravest = max((own[advisory.id] for advisory in group.advisories), key=lambda severity: severity.rank)
        severities |= {advisory.id: gravest for advisory in group.advisories if not own[advisory.id].level}
    return [replace(exposure, severity=severities[exposure.advisory_id]) for _, exposure in exposed]
