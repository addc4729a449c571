"""Retracted ranges against a plain reading of the rule, and their growth with hostile input."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from stook.registries.golang.gomod import Retraction
from stook.registries.golang.retractions import MOST_REASONS, NO_REASON, RetractedRanges
from stook.registries.golang.versions import order_key

VERSIONS = [f"v{major}.{minor}.0{end}" for major in range(3) for minor in range(4) for end in ("", "-rc.1", "-rc.2")]
BOUNDS = st.sampled_from([*VERSIONS, "v1", "v1.2", "foo", ""])
RETRACTIONS = st.lists(st.builds(Retraction, BOUNDS, BOUNDS, st.sampled_from(["", "bad", "worse"])), max_size=30)


def naive(version: str, retractions: list[Retraction]) -> tuple[str, ...]:
    """The rule as the reference states it, one range after another."""
    key = order_key(version)[0]
    hits = [r.rationale for r in retractions if order_key(r.low)[0] <= key <= order_key(r.high)[0]]
    return tuple(why for why in hits if why)[:MOST_REASONS] or ((NO_REASON,) if hits else ())


@given(RETRACTIONS)
def test_reasons_are_those_of_a_plain_reading(retractions: list[Retraction]) -> None:
    """Every version has the reasons of all ranges that hold it, in the order of go.mod."""
    ranges = RetractedRanges(retractions)
    expected = {version: why for version in VERSIONS if (why := naive(version, retractions))}
    assert ranges.reasons(VERSIONS) == expected
    assert {version for version in VERSIONS if ranges.cover(version)} == set(expected)


def test_reasons_of_a_version_are_limited() -> None:
    """A version keeps its first reasons only; other versions have their own."""
    many = [Retraction("v1.0.0", "v1.9.0", f"reason {number}") for number in range(100)]
    last = Retraction("v1.9.0", "v2.0.0", "the last")
    found = RetractedRanges([*many, last]).reasons(["v1.0.0", "v2.0.0"])
    assert found == {"v1.0.0": tuple(f"reason {number}" for number in range(MOST_REASONS)), "v2.0.0": ("the last",)}


def test_the_work_does_not_grow_with_the_product() -> None:
    """Twice as many ranges and versions take about twice the steps, not four times."""

    def steps(count: int) -> int:
        ranges = RetractedRanges([Retraction("v0.0.0", "v9.0.0", "all of them")] * count)
        versions = [f"v1.0.{number}" for number in range(count)]
        taken = 0

        def trace(frame: object, event: str, argument: object) -> object:
            nonlocal taken
            taken += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            ranges.reasons(versions)
        finally:
            sys.settrace(before)
        return taken

    assert steps(800) < 3 * steps(400)
