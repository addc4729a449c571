"""The OSV specification's evaluation, turned once into intervals; and the marked fallbacks where a range is left open.

https://ossf.github.io/osv-schema/#evaluation walks the sorted events for each version. The same walk over the cuts
between versions gives the intervals that it would find. A range with a bound that the order cannot read is not
guessed at: it becomes a problem, and versions outside of the other intervals stay undetermined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from stook.advisories.ecosystems import VersionOrder
from stook.advisories.osv import OsvEvent, OsvRange
from stook.advisories.ranges.interval import (
    BOTTOM,
    TOP,
    Intervals,
    VersionBound,
    VersionInterval,
    intersect,
    merge,
)
from stook.engine.errors import Malformed

__all__ = ["Evaluation", "RangeSource", "SourcedRange", "bound", "evaluate", "evaluate_events"]
__all__ += ["narrow", "parse_last_known"]

_LAST_KNOWN = re.compile(r"\s*(<=?)\s*([^\s,<>=]+)\s*")
_LOWEST = frozenset({"0", "0.0.0-0"})  # the specification's, and semver's own, which RustSec writes
_VERSION_TYPES = frozenset({"SEMVER", "ECOSYSTEM"})


class RangeSource(StrEnum):
    """Which part of a record an interval comes from; the last two are fallbacks, which the specification ignores."""

    RANGE = "range"
    VERSIONS = "versions"
    CUSTOM = "custom_ranges"
    LAST_KNOWN = "last_known_affected_version_range"


@dataclass(frozen=True, slots=True)
class SourcedRange:
    """Intervals and where they come from; `index` is the range's place in its list, from 0."""

    source: RangeSource
    index: int
    intervals: Intervals


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One affected entry: its ranges, listed versions without a key, and sentences about what could not be used."""

    ranges: tuple[SourcedRange, ...] = ()
    unordered_versions: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


Step: TypeAlias = tuple[bytes, bool, int, VersionBound]  # cut, then introduced before what ends


def bound(text: str, order: VersionOrder, *, is_after: bool = False) -> VersionBound:
    """A bound from its text. Raises Malformed for a version that the order cannot read."""
    key = order(text)
    if not key or key[0] == 0xFF:
        raise Malformed(f"the order cannot read the bound {text[:100]!r}")
    return VersionBound(key, is_after, text)


def evaluate_events(events: Sequence[OsvEvent], order: VersionOrder) -> Intervals:
    """The versions that the events affect. Raises Malformed.

    At one version `introduced` stands before `last_affected` before `fixed`, as OSV's own service sorts them, so
    `introduced X, fixed X` is empty. Limits: a version counts if it is below at least one, hence below the largest.
    """
    steps: list[Step] = []
    limits: list[VersionBound] = []
    for event in events:
        field, text = _only_field(event)
        if field == "limit":
            limits.append(TOP if text == "*" else bound(text, order))
        else:
            steps.append(_step(field, text, order))
    if not any(rank == 0 for _, _, rank, _ in steps):
        raise Malformed("no event says where the range begins")
    highest = max(limits, key=lambda limit: limit.cut, default=TOP)
    return intersect(merge(_walk(sorted(steps, key=lambda step: step[:3]))), (VersionInterval(BOTTOM, highest),))


def _only_field(event: OsvEvent) -> tuple[str, str]:
    given = [(name, text) for name in event.__struct_fields__ if (text := getattr(event, name)) is not None]
    if len(given) != 1:
        raise Malformed(f"an event has {len(given)} of introduced, fixed, last_affected and limit")
    return given[0]


def _step(field: str, text: str, order: VersionOrder) -> Step:
    if field == "introduced" and text in _LOWEST:
        return (*BOTTOM.cut, 0, BOTTOM)
    at = bound(text, order, is_after=field == "last_affected")
    return (*at.cut, 0 if field == "introduced" else 1, at)


def _walk(steps: Iterable[Step]) -> Iterator[VersionInterval]:
    start: VersionBound | None = None
    for _, _, rank, at in steps:
        if rank == 0:
            start = start or at
        elif start is not None:
            yield VersionInterval(start, at)  # may be empty; merging drops it
            start = None
    if start is not None:
        yield VersionInterval(start, TOP)


def evaluate(ranges: Sequence[OsvRange], versions: Sequence[str], order: VersionOrder) -> Evaluation:
    """What the specification says of one affected entry, range by range. GIT ranges say nothing of versions."""
    found: list[SourcedRange] = []
    problems: list[str] = []
    for index, entry in enumerate(ranges):
        if entry.type == "GIT":
            continue
        try:
            if entry.type not in _VERSION_TYPES:
                raise Malformed(f"the type {entry.type[:40]!r} is unknown")
            found.append(SourcedRange(RangeSource.RANGE, index, evaluate_events(entry.events or (), order)))
        except Malformed as error:
            problems.append(f"range {index + 1}: {error.reason}")
    points, unordered = _listed(versions, order)
    if points:
        found.append(SourcedRange(RangeSource.VERSIONS, 0, points))
    if not found and not unordered and not problems:
        problems.append("it has no range of versions and lists no version")
    return Evaluation(tuple(found), unordered, tuple(problems))


def _listed(versions: Iterable[str], order: VersionOrder) -> tuple[Intervals, frozenset[str]]:
    """Listed versions as points; precedence decides, so `0.16.2` also names `0.16.2+1.7.2`. The rest match as texts."""
    points: list[VersionInterval] = []
    unordered: set[str] = set()
    for text in versions:
        try:
            low = bound(text, order)
        except Malformed:
            unordered.add(text)
        else:
            points.append(VersionInterval(low, VersionBound(low.key, True, text)))
    return merge(points), frozenset(unordered)


def parse_last_known(text: str, order: VersionOrder) -> Intervals:
    """GHSA's `<= 1.2.3` or `< 1.2.3`. Raises Malformed for anything else."""
    match = _LAST_KNOWN.fullmatch(text)
    if match is None:
        raise Malformed(f"not a bound: {text[:100]!r}")
    return (VersionInterval(BOTTOM, bound(match[2], order, is_after=match[1] == "<=")),)


def narrow(evaluation: Evaluation, source: RangeSource, allowed: Intervals) -> Evaluation | None:
    """The evaluation with its open end cut down to `allowed`; None if it has none, or if nothing of it would be left.

    Only what a range leaves open above is narrowed: bounds that the record itself gives are never overruled.
    """
    ranges: list[SourcedRange] = []
    tails: list[VersionInterval] = []
    for entry in evaluation.ranges:
        closed = tuple(interval for interval in entry.intervals if not interval.is_open_above)
        tails += entry.intervals[len(closed) :]
        if closed or entry.intervals == ():
            ranges.append(SourcedRange(entry.source, entry.index, closed))
    narrowed = intersect(merge(tails), allowed)
    if not narrowed:
        return None
    ranges.append(SourcedRange(source, 0, narrowed))
    return Evaluation(tuple(ranges), evaluation.unordered_versions, evaluation.problems, evaluation.notes)
