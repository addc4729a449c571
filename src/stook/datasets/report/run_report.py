"""The report of one run over one catalogue."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from stook.datasets.flavour import Problem, ProblemKind

__all__ = ["RunEnd", "RunReport"]

PROBLEMS_KEPT = 1000
MAX_TEXT = 300


class RunEnd(StrEnum):
    """How the run ended."""

    PUBLISHED = "published"
    REFUSED = "refused"
    """The set was not whole: records are written, the index and the ledger are those of before."""
    FAILED = "failed"
    """The source or the way to it broke; as refused."""
    INTERRUPTED = "interrupted"
    """Cut short by the user: all that was done is published, nothing deleted."""


@dataclass(slots=True)
class RunReport:
    """Filled while the run goes on.

    `found` entries are `written` (new bytes), `kept` (equal bytes), `skipped` (known to the ledger), `duplicated` or
    `failed`. `collided` documents live under another than their plain name. `seconds` is by phase.
    """

    flavour: str
    source: str
    format: str
    started: str
    end: RunEnd = RunEnd.PUBLISHED
    reason: str = ""
    found: int = 0
    written: int = 0
    kept: int = 0
    skipped: int = 0
    duplicated: int = 0
    failed: int = 0
    collided: int = 0
    moved: int = 0
    pruned: list[str] = field(default_factory=list)
    missing_fields: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    problem_counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def tell(self, problem: Problem) -> None:
        """One problem more; all are counted, the first thousand are kept."""
        self.problem_counts[problem.kind] = self.problem_counts.get(problem.kind, 0) + 1
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(Problem(problem.kind, _told(problem.subject), _told(problem.reason)))

    @property
    def is_whole(self) -> bool:
        """Whether every record of the source was had, so that what is not there is gone."""
        lost = self.problem_counts.get(ProblemKind.FAILED, 0) + self.problem_counts.get(ProblemKind.THROTTLED, 0)
        return self.end is RunEnd.PUBLISHED and lost == 0

    def summary(self) -> list[str]:
        """One line for each class of problem, with an example."""
        examples = {kind: next(one for one in self.problems if one.kind == kind) for kind in self._kinds()}
        return [
            f"{self.problem_counts[kind]} {kind}: {one.subject}: {one.reason}"
            + (" …" if self.problem_counts[kind] > 1 else "")
            for kind, one in examples.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        return {**asdict(self), "seconds": {phase: round(value, 3) for phase, value in self.seconds.items()}}

    def _kinds(self) -> list[ProblemKind]:
        return [kind for kind, _ in Counter(one.kind for one in self.problems).most_common()]


def _told(text: str) -> str:
    """Text of a source cut to a length; a lone surrogate, which no file holds, is written as an escape."""
    return text[:MAX_TEXT].encode(errors="backslashreplace").decode()
