"""Which versions a module's author took back, and why: many ranges and many versions at once.

A hostile go.mod may retract a hundred thousand ranges. Both questions here take n log n, whatever the ranges are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping

from stook.registries.golang.gomod import Retraction
from stook.registries.golang.versions.versions import order_key

__all__ = ["MOST_REASONS", "NO_REASON", "RetractedRanges"]

NO_REASON = "retracted by module author"  # what the go command shows where the author gave none
MOST_REASONS = 20  # for one version; more of them tell a reader nothing


class RetractedRanges:
    """The ranges of one go.mod, in its order. Bounds are inclusive; they need not be valid versions."""

    def __init__(self, retractions: Iterable[Retraction] = ()) -> None:
        self._ranges = [(order_key(r.low)[0], order_key(r.high)[0], r.rationale) for r in retractions]
        self._merged = _merged((low, high) for low, high, _ in self._ranges)
        self._starts = [low for low, _ in self._merged]

    def cover(self, version: str) -> bool:
        """Whether the version is retracted."""
        key = order_key(version)[0]
        place = bisect_right(self._starts, key) - 1
        return place >= 0 and key <= self._merged[place][1]

    def reasons(self, versions: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """The retracted ones of these versions with their reasons, in the order of go.mod, MOST_REASONS at most.

        A version for which nobody gave a reason has NO_REASON.
        """
        points = sorted((order_key(version)[0], version) for version in versions if self.cover(version))
        keys = [key for key, _ in points]
        found: list[list[str]] = [[] for _ in points]
        # After `place`, the next point whose list has room; the last entry stands for the end.
        following = list(range(len(points) + 1))
        for low, high, rationale in self._ranges:
            place, end = _next(following, bisect_left(keys, low)), bisect_right(keys, high)
            while rationale and place < end:
                found[place].append(rationale)
                if len(found[place]) == MOST_REASONS:
                    following[place] = place + 1
                place = _next(following, place + 1)
        return {version: tuple(reasons) or (NO_REASON,) for (_, version), reasons in zip(points, found, strict=True)}


def _next(following: list[int], place: int) -> int:
    """The first point from `place` on that has room; full ones are passed in one step the next time."""
    root = place
    while following[root] != root:
        root = following[root]
    while following[place] != root:
        following[place], place = root, following[place]
    return root


def _merged(ranges: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Ranges in order that do not overlap and cover the same keys; a range whose bounds are crossed covers none."""
    merged: list[tuple[bytes, bytes]] = []
    for low, high in sorted(ranges):
        if low > high:
            continue
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return merged
