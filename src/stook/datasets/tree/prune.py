"""What may be deleted after a run: nothing, unless the run found almost all that was there before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass

__all__ = ["PrunePlan", "PruneRule", "plan_prune"]


@dataclass(frozen=True, slots=True)
class PruneRule:
    """`min_found` and `max_delete` are percents of the files that were there before the run.

    `allowed` is a number of deletions that somebody stated; so many are made though a percent says no.
    """

    min_found: int = 90
    max_delete: int = 10
    allowed: int | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.min_found <= 100 and 0 <= self.max_delete <= 100):
            raise ValueError("percents lie between 0 and 100")
        if self.allowed is not None and self.allowed < 0:
            raise ValueError("a number of deletions is not negative")


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """Files to delete, and for each family whose files stay the reason."""

    delete: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()


def plan_prune(
    before: Collection[str], live: Collection[str], rule: PruneRule, family_of: Callable[[str], str]
) -> PrunePlan:
    """Which of the files that were there `before` the run go: those that are not `live`, the run's own.

    Files that came with the run do not count for the percents. Each family is judged alone.
    """
    families: defaultdict[str, list[str]] = defaultdict(list)
    for name in before:
        families[family_of(name)].append(name)
    stale = {family: [name for name in names if name not in live] for family, names in families.items()}
    refusals = {
        family: reason
        for family, names in families.items()
        if (reason := _refusal(len(names), len(stale[family]), rule))
    }
    total = sum(map(len, stale.values()))
    if rule.allowed is not None and total <= rule.allowed:
        refusals = {}
    delete = sorted(name for family, names in stale.items() if family not in refusals for name in names)
    return PrunePlan(tuple(delete), tuple(_named(family, refusals[family]) for family in sorted(refusals)))


def _refusal(existing: int, stale: int, rule: PruneRule) -> str:
    found = existing - stale
    if stale and found * 100 < existing * rule.min_found:
        return f"only {found} of {existing} files were found again, {rule.min_found} % are needed"
    if stale * 100 > existing * rule.max_delete:
        return f"{stale} of {existing} files would go, at most {rule.max_delete} % may"
    return ""


def _named(family: str, reason: str) -> str:
    return f"{family}: {reason}" if family else reason
