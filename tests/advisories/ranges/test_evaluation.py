"""OSV's evaluation as intervals, and the fallbacks for open ends."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stook.advisories.osv import OsvEvent, OsvRange
from stook.advisories.ranges import (
    RangeSource,
    contains,
    evaluate,
    evaluate_events,
    from_text,
    merge,
    narrow,
    parse_last_known,
    to_text,
)
from stook.engine.errors import Malformed

from ..oracle import Version, included_in_ranges  # noqa: TID252
from ..orders import crates_order, go_order  # noqa: TID252

numbers = st.integers(0, 3).map(str)
cores = st.tuples(numbers, numbers, st.sampled_from(["0", "1", "20210101000000"])).map(".".join)
tails = st.sampled_from(["", "-0", "-rc.1", "-rc.2", "-RC.1", "-alpha.10", "-0.20210101000000-0123456789ab"])
builds = st.sampled_from(["", "", "+incompatible", "+1.7.2"])
versions = st.builds("{}{}{}".format, cores, tails, builds)
events = st.one_of(
    st.fixed_dictionaries({"introduced": versions | st.just("0")}),
    st.fixed_dictionaries({"fixed": versions}),
    st.fixed_dictionaries({"last_affected": versions}),
    st.fixed_dictionaries({"limit": versions | st.just("*")}),
)


def struct_events(plain: list[dict[str, str]]) -> list[OsvEvent]:
    return msgspec.convert(plain, list[OsvEvent])


def text_of(*plain: dict[str, str]) -> str:
    return to_text(evaluate_events(struct_events(list(plain)), crates_order))


@settings(deadline=None)
@given(st.lists(events, max_size=9), st.lists(versions, min_size=1, max_size=20))
def test_equal_to_the_specification(plain: list[dict[str, str]], texts: list[str]) -> None:
    """For any events in any order, every bound and version is judged as the specification's pseudocode judges it."""
    plain.append({"introduced": "1.1.0"})
    texts += [text for event in plain for text in event.values() if text not in ("0", "*")]
    intervals = evaluate_events(struct_events(plain), crates_order)
    for text in texts:
        key = crates_order(text)
        assert key is not None
        expected = included_in_ranges(Version(text), [{"type": "SEMVER", "events": plain}])
        assert contains(intervals, key) == expected, text
    assert merge(intervals) == intervals


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ([{"introduced": "0"}], "*"),
        ([{"introduced": "0.0.0-0"}], "*"),
        ([{"introduced": "0.0.0"}], ">=0.0.0"),
        ([{"introduced": "0"}, {"fixed": "1.2.5"}], "<1.2.5"),
        ([{"introduced": "0"}, {"last_affected": "1.2.5"}], "<=1.2.5"),
        ([{"introduced": "1.0.0"}, {"last_affected": "1.0.0"}], "=1.0.0"),
        ([{"fixed": "1.0.0"}, {"introduced": "0"}], "<1.0.0"),
        ([{"introduced": "1.0.0"}, {"fixed": "1.0.0"}], ""),
        ([{"introduced": "1.0.0"}, {"introduced": "1.5.0"}, {"fixed": "2.0.0"}], ">=1.0.0, <2.0.0"),
        # At one version `introduced` stands first, so `fixed` closes for good.
        ([{"introduced": "0"}, {"fixed": "1.0.0"}, {"introduced": "1.0.0"}, {"fixed": "2.0.0"}], "<1.0.0"),
        ([{"introduced": "0"}, {"fixed": "1.0.0"}, {"introduced": "2.0.0"}], "<1.0.0 || >=2.0.0"),
        ([{"introduced": "0"}, {"limit": "1.0.0"}, {"limit": "2.0.0"}], "<2.0.0"),
        ([{"introduced": "0"}, {"limit": "1.0.0"}, {"limit": "*"}], "*"),
    ],
)
def test_events(plain: list[dict[str, str]], text: str) -> None:
    """Each kind of event at work."""
    assert text_of(*plain) == text


@pytest.mark.parametrize(
    ("version", "is_affected"),
    [("1.2.3-rc.1", True), ("1.2.3", False), ("1.2.3+build", False), ("1.2.2", True), ("1.2.3-0", True)],
)
def test_prereleases_stand_below_their_release(version: str, is_affected: bool) -> None:
    """A pre-release of the fixed version is affected; build metadata never counts."""
    intervals = evaluate_events(struct_events([{"introduced": "0"}, {"fixed": "1.2.3"}]), crates_order)
    key = crates_order(version)
    assert key is not None
    assert contains(intervals, key) == is_affected


@pytest.mark.parametrize(
    "plain",
    [
        [{"introduced": "0"}, {"fixed": "edge-24.6.2"}],
        [{"introduced": "1.0.0", "fixed": "2.0.0"}],
        [{"introduced": "0"}, {}],
        [{"fixed": "1.0.0"}],
        [],
    ],
)
def test_no_guess_at_unreadable_ranges(plain: list[dict[str, str]]) -> None:
    """A bound without a key, an event with two or no fields, a range without a beginning: an error with a reason."""
    with pytest.raises(Malformed):
        evaluate_events(struct_events(plain), crates_order)


def osv_range(*plain: dict[str, str], kind: str = "SEMVER") -> OsvRange:
    return OsvRange(kind, struct_events(list(plain)))


def test_ranges_and_versions_together() -> None:
    """A version is affected if any range or the list names it; GIT ranges say nothing of versions."""
    ranges = [
        osv_range({"introduced": "0"}, {"fixed": "a" * 40}, kind="GIT"),
        osv_range({"introduced": "1.0.0"}, {"fixed": "1.1.0"}, kind="ECOSYSTEM"),
        osv_range({"introduced": "2.0.0"}, {"fixed": "2.1.0"}),
    ]
    result = evaluate(ranges, ["0.16.2", "main"], crates_order)
    assert [(part.source, part.index, to_text(part.intervals)) for part in result.ranges] == [
        (RangeSource.RANGE, 1, ">=1.0.0, <1.1.0"),
        (RangeSource.RANGE, 2, ">=2.0.0, <2.1.0"),
        (RangeSource.VERSIONS, 0, "=0.16.2"),
    ]
    assert result.unordered_versions == {"main"}
    assert not result.problems


@pytest.mark.parametrize(
    "ranges",
    [
        [osv_range({"introduced": "0"}, {"fixed": "9.6.0b1"})],
        [osv_range({"introduced": "0"}, kind="CALENDAR")],
        [osv_range({"introduced": "0"}, kind="GIT")],
        [],
    ],
)
def test_what_cannot_be_judged_is_a_problem(ranges: list[OsvRange]) -> None:
    """Unreadable bounds, unknown types, nothing but commits, nothing at all: no interval, and a sentence."""
    result = evaluate(ranges, [], crates_order)
    assert result.ranges == ()
    assert len(result.problems) == 1


def narrowed(plain: list[dict[str, str]], allowed: str) -> str | None:
    evaluation = narrow(evaluate([osv_range(*plain)], [], go_order), RangeSource.CUSTOM, from_text(allowed, go_order))
    return evaluation and to_text(merge(one for part in evaluation.ranges for one in part.intervals))


def test_fallbacks_bound_only_what_is_open() -> None:
    """A closed end is never overruled, an open one is cut to what the fallback allows, and never to nothing."""
    assert narrowed([{"introduced": "0"}], ">=5.0.0, <5.0.4 || <1.2.0") == "<1.2.0 || >=5.0.0, <5.0.4"
    assert narrowed([{"introduced": "0"}, {"fixed": "0.17.7"}], "<17.0.7") is None
    two_branches: list[dict[str, Any]] = [{"introduced": "0"}, {"fixed": "1.0.0"}, {"introduced": "2.0.0"}]
    assert narrowed(two_branches, "<2.4.16") == "<1.0.0 || >=2.0.0, <2.4.16"
    assert narrowed([{"introduced": "2.0.0+incompatible"}], "<1.5.0") is None


def test_fallbacks_are_marked() -> None:
    """What a fallback narrowed says so, and what it left alone still names its range."""
    evaluation = evaluate([osv_range({"introduced": "0"}, {"fixed": "1.0.0"}, {"introduced": "2.0.0"})], [], go_order)
    result = narrow(evaluation, RangeSource.LAST_KNOWN, parse_last_known("<= 2.3.0", go_order))
    assert result is not None
    assert [(part.source, to_text(part.intervals)) for part in result.ranges] == [
        (RangeSource.RANGE, "<1.0.0"),
        (RangeSource.LAST_KNOWN, ">=2.0.0, <=2.3.0"),
    ]


@pytest.mark.parametrize("text", ["> 1.0.0", ">= 1.0.0, < 2.0.0", "<= main", "", "1.0.0"])
def test_last_known_bounds_of_another_form(text: str) -> None:
    """Only an upper bound is taken."""
    with pytest.raises(Malformed):
        parse_last_known(text, crates_order)
