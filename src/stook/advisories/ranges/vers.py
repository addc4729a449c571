"""Intervals as VERS, `vers:cargo/>=1.2.0|<1.2.5|>=2.0.0`, and back.

The rules are those of https://github.com/package-url/vers-spec. VERS cannot say "no version".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from urllib.parse import quote, unquote

from stook.advisories.ecosystems import VersionOrder
from stook.advisories.ranges.evaluation import bound
from stook.advisories.ranges.interval import ALL, BOTTOM, TOP, Intervals, VersionBound, VersionInterval, merge
from stook.advisories.ranges.notation import MAX_TEXT
from stook.engine.errors import Malformed

__all__ = ["from_vers", "to_vers"]

_VERS = re.compile(r"vers:([a-z][a-z0-9.-]*)/(.+)", re.ASCII)
_CONSTRAINT = re.compile(r"(<=|>=|!=|<|>|)([^\s<>=!*|]+)")
_SAFE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "<>=!*|%")


def to_vers(intervals: Sequence[VersionInterval], package_type: str) -> str:
    """The VERS of merged intervals; empty for no version, which VERS cannot say."""
    if not intervals:
        return ""
    constraints = "*" if tuple(intervals) == (ALL,) else "|".join(_constraints(intervals))
    return f"vers:{package_type}/{constraints}"


def _constraints(intervals: Sequence[VersionInterval]) -> Iterator[str]:
    """Each version may stand once: two intervals around one missing version share a `!=`."""
    before: VersionBound | None = None
    for place, interval in enumerate(intervals):
        after = intervals[place + 1].low if place + 1 < len(intervals) else None
        if interval.is_point:
            yield _escape(interval.low)
        else:
            if before is None or before.key != interval.low.key:
                yield from (f"{'>' if low.is_after else '>='}{_escape(low)}" for low in _shown(interval.low))
            for high in _shown(interval.high):
                sign = "!=" if after and after.key == high.key else "<=" if high.is_after else "<"
                yield f"{sign}{_escape(high)}"
        before = interval.high


def _shown(at: VersionBound) -> list[VersionBound]:
    return [] if at.cut in (BOTTOM.cut, TOP.cut) else [at]


def _escape(at: VersionBound) -> str:
    return quote(at.text, safe=_SAFE)


def from_vers(text: str, order: VersionOrder) -> tuple[str, Intervals]:
    """Type and intervals of a VERS. Raises Malformed for what is not in canonical form, as the standard asks."""
    match = _VERS.fullmatch(text) if len(text) <= MAX_TEXT else None
    if match is None:
        raise Malformed(f"not a VERS: {text[:100]!r}")
    if match[2] == "*":
        return match[1], (ALL,)
    signs = [_parsed(part, order) for part in match[2].split("|")]
    if any(left[1].key >= right[1].key for left, right in pairwise(signs)):
        raise Malformed("the constraints of a VERS are sorted, and name each version once")
    return match[1], merge(_walk(signs))


def _parsed(text: str, order: VersionOrder) -> tuple[str, VersionBound]:
    match = _CONSTRAINT.fullmatch(text)
    if match is None:
        raise Malformed(f"not a constraint in canonical form: {text[:100]!r}")
    version = unquote(match[2])
    if quote(version, safe=_SAFE) != match[2]:
        raise Malformed(f"not in canonical form: {text[:100]!r}")
    return match[1], bound(version, order)


def _walk(signs: Sequence[tuple[str, VersionBound]]) -> Iterator[VersionInterval]:
    """`>` opens, `<` closes, a bare version is a point, `!=` closes just below and opens just above where it is in."""
    start = BOTTOM if _begins_open(signs) else None
    for sign, at in signs:
        above = VersionBound(at.key, True, at.text)
        match sign:
            case "":
                if start is not None:
                    raise Malformed("a VERS has a single version inside an interval")
                yield VersionInterval(at, above)
            case "!=":
                if start is not None:
                    yield VersionInterval(start, at)
                    start = above
            case "<" | "<=":
                if start is None:
                    raise Malformed("a VERS closes an interval that is not open")
                yield VersionInterval(start, above if sign == "<=" else at)
                start = None
            case _:
                if start is not None:
                    raise Malformed("a VERS opens an interval twice")
                start = above if sign == ">" else at
    if start is not None:
        yield VersionInterval(start, TOP)


def _begins_open(signs: Sequence[tuple[str, VersionBound]]) -> bool:
    """Whether the range has no lower end: its first sign that opens or closes closes, or all it has is `!=`."""
    for sign, _ in signs:
        if sign in ("<", "<="):
            return True
        if sign in (">", ">="):
            return False
    return all(sign == "!=" for sign, _ in signs)
