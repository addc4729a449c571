"""Intervals as text for people, `>=1.2.0, <1.2.5 || >=2.0.0`, which parses back, and with brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stook.advisories.ecosystems import VersionOrder
from stook.advisories.ranges.evaluation import bound
from stook.advisories.ranges.interval import ALL, BOTTOM, TOP, Intervals, VersionBound, VersionInterval, merge
from stook.engine.errors import Malformed

__all__ = ["MAX_TEXT", "brackets", "from_text", "to_text"]

MAX_TEXT = 1_000_000  # characters of a text to parse
_CONSTRAINT = re.compile(r"(<=|>=|<|>|=|)([^\s<>=!*|,]+|\*)")


def to_text(intervals: Sequence[VersionInterval]) -> str:
    """For people: `*` is every version, `=1.2.3` one, ` || ` stands between intervals; empty for no version."""
    return " || ".join(", ".join(_constraints(interval)) for interval in intervals)


def _constraints(interval: VersionInterval) -> list[str]:
    if interval == ALL:
        return ["*"]
    if interval.is_point:
        return [f"={interval.low.text}"]
    return [*_low(interval.low), *_high(interval.high)]


def _low(low: VersionBound) -> list[str]:
    return [] if low.cut == BOTTOM.cut else [f"{'>' if low.is_after else '>='}{low.text}"]


def _high(high: VersionBound) -> list[str]:
    return [] if high.cut == TOP.cut else [f"{'<=' if high.is_after else '<'}{high.text}"]


def brackets(intervals: Sequence[VersionInterval]) -> str:
    """In the notation of mathematics and Maven, joined by `|`: `(,1.2.5)|[2.0.0]|[3.0.0,)`."""
    return "|".join(map(_bracket, intervals))


def _bracket(interval: VersionInterval) -> str:
    low, high = interval.low, interval.high
    if interval.is_point:
        return f"[{low.text}]"
    opening = "(" if low.is_after or low.cut == BOTTOM.cut else "["
    return f"{opening}{low.text},{high.text}{']' if high.is_after else ')'}"


def from_text(text: str, order: VersionOrder) -> Intervals:
    """Intervals from their text. Raises Malformed; an empty text is no version."""
    if len(text) > MAX_TEXT:
        raise Malformed(f"the range has more than {MAX_TEXT} characters")
    if not text.strip():
        return ()
    return merge(_interval(part.split(","), order) for part in text.split("||"))


def _interval(constraints: Sequence[str], order: VersionOrder) -> VersionInterval:
    low, high = BOTTOM, TOP
    for constraint in constraints:
        sign, version = _constraint(constraint.strip())
        if version == "*":
            continue
        if sign in (">", ">=", "=", ""):
            low = max(low, bound(version, order, is_after=sign == ">"), key=lambda at: at.cut)
        if sign in ("<", "<=", "=", ""):
            high = min(high, bound(version, order, is_after=sign != "<"), key=lambda at: at.cut)
    return VersionInterval(low, high)


def _constraint(text: str) -> tuple[str, str]:
    match = _CONSTRAINT.fullmatch(text)
    if match is None or (match[2] == "*" and match[1]):
        raise Malformed(f"not a constraint: {text[:100]!r}")
    return match[1], match[2]
