"""OSV's evaluation pseudocode, written down as it stands in the specification, over versions compared field by field.

It shares nothing with the code under test: no byte keys, no intervals, no decoded types.
"""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Any

GRAMMAR = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


@total_ordering
class Version:
    """A semantic version by section 11 of semver.org."""

    def __init__(self, text: str) -> None:
        match = GRAMMAR.fullmatch(text)
        if match is None:
            raise ValueError(f"not a semantic version: {text}")
        self.core = tuple(int(match[place]) for place in (1, 2, 3))
        self.pre = match[4].split(".") if match[4] else []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and (self.core, self.pre) == (other.core, other.pre)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Version) -> bool:
        if self.core != other.core:
            return self.core < other.core
        if not self.pre or not other.pre:
            return bool(self.pre) and not other.pre
        for mine, theirs in zip(self.pre, other.pre, strict=False):
            if mine != theirs:
                if mine.isdigit() and theirs.isdigit():
                    return int(mine) < int(theirs)
                if mine.isdigit() != theirs.isdigit():
                    return mine.isdigit()
                return mine < theirs
        return len(self.pre) < len(other.pre)


def is_at_least(version: Version, bound: str) -> bool:
    """`0` sorts before every version."""
    return bound == "0" or version >= Version(bound)


def is_vulnerable(version: Version, affected: list[dict[str, Any]]) -> bool:
    """IsVulnerable for the affected entries of one package."""
    return any(
        included_in_versions(version, entry.get("versions") or [])
        or included_in_ranges(version, entry.get("ranges") or [])
        for entry in affected
    )


def included_in_versions(version: Version, versions: list[str]) -> bool:
    return any(Version(listed) == version for listed in versions)


# The branches stand apart as the specification has them.
def included_in_ranges(version: Version, ranges: list[dict[str, Any]]) -> bool:
    for entry in ranges:
        events = entry["events"]
        if entry["type"] != "GIT" and before_limits(version, events):
            vulnerable = False
            for event in sorted(events, key=event_order):
                if "introduced" in event and is_at_least(version, event["introduced"]):
                    vulnerable = True
                elif "fixed" in event and is_at_least(version, event["fixed"]):  # noqa: SIM114
                    vulnerable = False
                elif "last_affected" in event and version > Version(event["last_affected"]):
                    vulnerable = False
            if vulnerable:
                return True
    return False


def before_limits(version: Version, events: list[dict[str, str]]) -> bool:
    limits = [event["limit"] for event in events if "limit" in event]
    return not limits or any(limit == "*" or version < Version(limit) for limit in limits)


class event_order:  # noqa: N801
    """By version, then introduced, last_affected, fixed, limit: the order of OSV's own service."""

    RANKS = ("introduced", "last_affected", "fixed", "limit")

    def __init__(self, event: dict[str, str]) -> None:
        ((self.field, self.text),) = event.items()

    def __lt__(self, other: event_order) -> bool:
        if self._is_low() or other._is_low() or self._is_high() or other._is_high():
            return (self._is_low(), other._is_high()) > (other._is_low(), self._is_high())
        mine, theirs = Version(self.text), Version(other.text)
        if mine != theirs:
            return mine < theirs
        return self.RANKS.index(self.field) < self.RANKS.index(other.field)

    def _is_low(self) -> bool:
        return self.field == "introduced" and self.text == "0"

    def _is_high(self) -> bool:
        return self.text == "*"
