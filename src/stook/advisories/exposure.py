"""What one advisory says of one package: kind, versions, functions, platforms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from operator import attrgetter
from typing import TypeAlias, TypeVar

import msgspec

from stook.advisories.ecosystems import VersionOrder, lookup_name
from stook.advisories.osv import OsvAffected, OsvPackage, OsvRange, OsvRecord
from stook.advisories.ranges import (
    Evaluation,
    Intervals,
    RangeSource,
    SourcedRange,
    evaluate,
    evaluate_events,
    merge,
    narrow,
    parse_last_known,
)
from stook.advisories.severity import AdvisorySeverity, severity_of
from stook.engine.errors import Malformed

__all__ = ["AdvisoryKind", "Exposure", "exposures"]

MAX_SYMBOLS = 5_000  # of one package in one advisory
MAX_SENTENCES = 20  # problems or notes of one package in one advisory

_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_Texts: TypeAlias = list[str] | None


class AdvisoryKind(StrEnum):
    """What an advisory warns of; all but the first two are RustSec's informational kinds, OTHER any new one."""

    VULNERABILITY = "vulnerability"
    MALICIOUS = "malicious"
    UNSOUND = "unsound"
    UNMAINTAINED = "unmaintained"
    NOTICE = "notice"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Exposure:
    """One package of one advisory, all its entries in the record together.

    `intervals` are the versions affected, fallbacks applied; `ranges` tell where each comes from. A version that only
    matches a text of `unordered_versions` is affected, too. With `problems`, a version outside is undetermined.
    `functions` are paths (RustSec) or `import path: symbol` (Go); empty lists mean that nothing narrows it.
    """

    advisory_id: str
    ecosystem: str
    name: str
    kind: AdvisoryKind
    intervals: Intervals
    ranges: tuple[SourcedRange, ...]
    unordered_versions: frozenset[str]
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    severity: AdvisorySeverity
    functions: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Ecosystem and look-up name."""
        return self.ecosystem, lookup_name(self.ecosystem, self.name)

    @property
    def fallbacks(self) -> tuple[RangeSource, ...]:
        """The fallbacks that narrowed what the specification's evaluation gives; mostly none."""
        sources = {entry.source for entry in self.ranges}
        return tuple(source for source in (RangeSource.CUSTOM, RangeSource.LAST_KNOWN) if source in sources)


class _Affects(msgspec.Struct, frozen=True):
    functions: _Texts = None
    os: _Texts = None
    arch: _Texts = None


class _Import(msgspec.Struct, frozen=True):
    path: str = ""
    symbols: _Texts = None
    goos: _Texts = None
    goarch: _Texts = None


class _EcosystemSpecific(msgspec.Struct, frozen=True):
    affects: _Affects | None = None
    affected_functions: _Texts = None
    imports: list[_Import] | None = None
    custom_ranges: list[OsvRange] | None = None


class _PackageSpecific(msgspec.Struct, frozen=True):
    informational: str | None = None
    last_known_affected_version_range: str | None = None


def exposures(record: OsvRecord, orders: Mapping[str, VersionOrder]) -> tuple[tuple[Exposure, ...], tuple[str, ...]]:
    """One exposure for each package of a known ecosystem, in the record's order; notes about the other entries."""
    found: dict[tuple[str, str], list[Exposure]] = {}
    notes: dict[str, None] = {}
    for entry in record.affected or ():
        package = entry.package or OsvPackage()
        order = orders.get(package.ecosystem)
        if not package.name:
            notes["an affected entry names no package"] = None
        elif order is None:
            notes[f"there is no version order for the ecosystem {package.ecosystem[:60]!r}"] = None
        else:
            exposure = _exposure(record.id, entry, package, order)
            found.setdefault(exposure.key, []).append(exposure)
    return tuple(map(_united, found.values())), _few(notes)


def _exposure(advisory_id: str, entry: OsvAffected, package: OsvPackage, order: VersionOrder) -> Exposure:
    specific, note = _decoded(entry.ecosystem_specific, _EcosystemSpecific)
    database, other_note = _decoded(entry.database_specific, _PackageSpecific)
    evaluation = _narrowed(evaluate(entry.ranges or (), entry.versions or (), order), specific, database, order)
    affects = specific.affects or _Affects()
    imports = specific.imports or ()
    return Exposure(
        advisory_id=advisory_id,
        ecosystem=package.ecosystem,
        name=package.name,
        kind=_kind(advisory_id, database.informational),
        intervals=merge(chain.from_iterable(part.intervals for part in evaluation.ranges)),
        ranges=evaluation.ranges,
        unordered_versions=evaluation.unordered_versions,
        problems=_few(evaluation.problems),
        notes=_few(filter(None, (*evaluation.notes, note, other_note))),
        severity=severity_of(entry.severity or (), "", advisory_id),
        functions=_distinct(affects.functions, specific.affected_functions, _symbols(imports)),
        platforms=_distinct(affects.os, *(part.goos for part in imports)),
        architectures=_distinct(affects.arch, *(part.goarch for part in imports)),
    )


def _decoded(raw: msgspec.Raw, kind: type[_Struct]) -> tuple[_Struct, str]:
    """A free-form object as far as we know its shape; with a note if it has another."""
    try:
        found = msgspec.json.decode(raw, type=kind | None) if bytes(raw) else None
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return kind(), f"what the database adds was not used: {str(error)[:150]}"
    return found if isinstance(found, kind) else kind(), ""


def _narrowed(
    evaluation: Evaluation, specific: _EcosystemSpecific, database: _PackageSpecific, order: VersionOrder
) -> Evaluation:
    """The first fallback that bounds an open end; one that cannot be used leaves a note."""
    if not any(interval.is_open_above for part in evaluation.ranges for interval in part.intervals):
        return evaluation
    fallbacks = _fallbacks(specific, database)
    notes: list[str] = []
    for source, ranges in fallbacks:
        try:
            allowed = parse_last_known(ranges, order) if isinstance(ranges, str) else _union(ranges, order)
        except Malformed as error:
            notes.append(f"{source} cannot be used: {error.reason}")
            continue
        narrowed = narrow(evaluation, source, allowed)
        if narrowed is not None:
            return replace(narrowed, notes=(*evaluation.notes, *notes))
        notes.append(f"{source} lies outside of the range and was not used")
    return replace(evaluation, notes=(*evaluation.notes, *notes))


def _fallbacks(
    specific: _EcosystemSpecific, database: _PackageSpecific
) -> list[tuple[RangeSource, Sequence[OsvRange] | str]]:
    found: list[tuple[RangeSource, Sequence[OsvRange] | str]] = []
    if specific.custom_ranges:
        found.append((RangeSource.CUSTOM, specific.custom_ranges))
    if database.last_known_affected_version_range:
        found.append((RangeSource.LAST_KNOWN, database.last_known_affected_version_range))
    return found


def _union(ranges: Iterable[OsvRange], order: VersionOrder) -> Intervals:
    return merge(chain.from_iterable(evaluate_events(part.events or (), order) for part in ranges))


def _kind(advisory_id: str, informational: str | None) -> AdvisoryKind:
    if advisory_id.startswith("MAL-"):
        return AdvisoryKind.MALICIOUS
    if not informational:
        return AdvisoryKind.VULNERABILITY
    known = (AdvisoryKind.UNSOUND, AdvisoryKind.UNMAINTAINED, AdvisoryKind.NOTICE)
    return next((kind for kind in known if kind == informational), AdvisoryKind.OTHER)


def _symbols(imports: Iterable[_Import]) -> list[str]:
    """Every symbol with its import path; a path alone stands for the whole package."""
    return [f"{part.path}: {symbol}" if symbol else part.path for part in imports for symbol in (part.symbols or [""])]


def _distinct(*lists: _Texts) -> tuple[str, ...]:
    texts = chain.from_iterable(texts or () for texts in lists)
    return tuple(dict.fromkeys(text[:500] for text in texts if text))[:MAX_SYMBOLS]


def _united(entries: Sequence[Exposure]) -> Exposure:
    """The entries of one record for one package; what limits only some of them limits none."""
    if len(entries) == 1:
        return entries[0]
    kinds = list(AdvisoryKind)
    return replace(
        entries[0],
        kind=min((entry.kind for entry in entries), key=kinds.index),
        intervals=merge(chain.from_iterable(entry.intervals for entry in entries)),
        ranges=tuple(chain.from_iterable(entry.ranges for entry in entries)),
        unordered_versions=frozenset().union(*(entry.unordered_versions for entry in entries)),
        problems=_few(chain.from_iterable(entry.problems for entry in entries)),
        notes=_few(chain.from_iterable(entry.notes for entry in entries)),
        severity=max((entry.severity for entry in entries), key=attrgetter("rank")),
        functions=_joined([entry.functions for entry in entries]),
        platforms=_joined([entry.platforms for entry in entries]),
        architectures=_joined([entry.architectures for entry in entries]),
    )


def _few(sentences: Iterable[str]) -> tuple[str, ...]:
    """The first of them; the last one says how many more there were."""
    distinct = list(dict.fromkeys(sentences))
    if len(distinct) <= MAX_SENTENCES:
        return tuple(distinct)
    return (*distinct[:MAX_SENTENCES], f"and {len(distinct) - MAX_SENTENCES} more")


def _joined(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return _distinct(*map(list, lists)) if all(lists) else ()
