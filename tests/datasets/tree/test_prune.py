"""Files are deleted only within the rule, counted against what was there before the run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.datasets.tree.prune import PruneRule, plan_prune


def names(count: int, prefix: str = "") -> set[str]:
    return {f"{prefix}{number}.yaml" for number in range(count)}


def one_family(name: str) -> str:
    return ""


def family(name: str) -> str:
    return name[0]


@pytest.mark.parametrize(
    ("before", "live", "deleted"),
    [
        (10, 9, 1),
        (10, 8, 0),
        (10, 10, 0),
        (0, 0, 0),
        (1, 0, 0),
        (9, 8, 0),
        (100, 90, 10),
        (100, 89, 0),
        (19, 17, 0),
        (20, 18, 2),
    ],
)
def test_boundaries(before: int, live: int, deleted: int) -> None:
    """Nine of ten prune, eight of ten do not; new files never count."""
    plan = plan_prune(names(before), names(live) | names(5000, "new"), PruneRule(), one_family)
    assert len(plan.delete) == deleted
    assert bool(plan.refusals) == (deleted == 0 and live < before)


@pytest.mark.parametrize(("allowed", "deleted"), [(None, 0), (0, 0), (4, 0), (5, 5), (6, 5)])
def test_a_stated_number_overrides(allowed: int | None, deleted: int) -> None:
    """So many deletions as somebody stated are made, and not one more."""
    assert len(plan_prune(names(10), names(5), PruneRule(allowed=allowed), one_family).delete) == deleted


def test_the_least_of_two_limits_holds() -> None:
    """A lower `min_found` does not raise `max_delete`."""
    assert plan_prune(names(10), names(5), PruneRule(min_found=50), one_family).delete == ()
    assert len(plan_prune(names(10), names(5), PruneRule(50, 50), one_family).delete) == 5


def test_families_are_judged_apart() -> None:
    """A family that was lost stays, while another is pruned."""
    before = names(100, "a") | names(10, "b")
    plan = plan_prune(before, names(95, "a"), PruneRule(), family)
    assert set(plan.delete) == names(100, "a") - names(95, "a")
    assert len(plan.refusals) == 1
    assert plan.refusals[0].startswith("b: ")


@given(
    st.sets(st.integers(0, 60)),
    st.sets(st.integers(0, 90)),
    st.integers(0, 100),
    st.integers(0, 100),
    st.none() | st.integers(0, 60),
)
def test_never_more_than_the_rule_allows(
    before: set[int], live: set[int], min_found: int, max_delete: int, allowed: int | None
) -> None:
    """Only stale files go, and either both percents or the stated number hold."""
    old, new = ({str(one) for one in some} for some in (before, live))
    deleted = set(plan_prune(old, new, PruneRule(min_found, max_delete, allowed), one_family).delete)
    assert deleted <= old - new
    if deleted:
        within = len(old & new) * 100 >= len(old) * min_found and len(deleted) * 100 <= len(old) * max_delete
        assert within or (allowed is not None and len(deleted) <= allowed)


@pytest.mark.parametrize("numbers", [(-1, 10), (101, 10), (90, -1), (90, 101), (90, 10, -1)])
def test_a_rule_without_sense_is_refused(numbers: tuple[int, ...]) -> None:
    """Percents lie between 0 and 100, a number is not negative."""
    with pytest.raises(ValueError, match=r"percents|negative"):
        PruneRule(*numbers)


@pytest.mark.parametrize(("before", "live", "deleted"), [(100, 90, 10), (100, 89, 0), (9, 8, 0), (10, 9, 1)])
def test_the_largest_share_holds_alone(before: int, live: int, deleted: int) -> None:
    """With no share to be found again, at most ten percent still go."""
    assert len(plan_prune(names(before), names(live), PruneRule(min_found=0), one_family).delete) == deleted
