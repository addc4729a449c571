"""Ranges of versions: OSV's events as intervals over byte keys, and their texts."""

from stook.advisories.ranges.evaluation import (
    Evaluation,
    RangeSource,
    SourcedRange,
    evaluate,
    evaluate_events,
    narrow,
    parse_last_known,
)
from stook.advisories.ranges.interval import (
    ALL,
    IntervalKeys,
    Intervals,
    VersionBound,
    VersionInterval,
    contains,
    intersect,
    interval_keys,
    locate,
    merge,
)
from stook.advisories.ranges.notation import brackets, from_text, to_text
from stook.advisories.ranges.vers import from_vers, to_vers

__all__ = [
    "ALL",
    "Evaluation",
    "IntervalKeys",
    "Intervals",
    "RangeSource",
    "SourcedRange",
    "VersionBound",
    "VersionInterval",
    "brackets",
    "contains",
    "evaluate",
    "evaluate_events",
    "from_text",
    "from_vers",
    "intersect",
    "interval_keys",
    "locate",
    "merge",
    "narrow",
    "parse_last_known",
    "to_text",
    "to_vers",
]
