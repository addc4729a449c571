"""Doubt about disappearance: a wrong URL, another mirror or an outage must not bury what is stored."""

from __future__ import annotations

from dataclasses import dataclass

from stook.engine.errors import FailureCode, Unavailable

__all__ = ["Vanishing", "denied"]

FEW = 10  # packages that may vanish in any run
SHARE = 0.5  # of the packages looked at, beyond which a run stops to believe it
EACH = 10  # packages that one look at another package speaks for


@dataclass(slots=True)
class Vanishing:
    """What one run has looked at, and how much of it has vanished.

    `is_allowed`: the user said that many packages may vanish (`--allow-deletions`).
    """

    is_allowed: bool = False
    looked: int = 0
    vanished: int = 0
    answers: bool = False
    """Whether the registry was asked about itself, and answered as a registry does."""

    def needs_canary(self) -> bool:
        """Whether another stored package must be looked at before the next one is believed to be gone."""
        return not self.is_allowed and self.vanished % EACH == 0

    def believe(self, what: str) -> None:
        """Count one more package that vanished. Raises Unavailable when it is one too many."""
        if not self.is_allowed and self.vanished >= max(FEW, self.looked * SHARE):
            raise Unavailable(
                f"{self.vanished} of {self.looked} {what} vanished in this run, which is more than is believed;"
                " if it is true, run again with --allow-deletions",
                FailureCode.WRONG_UPSTREAM,
            )
        self.vanished += 1


def denied(what: str) -> Unavailable:
    """The upstream is not what its URL says; nothing that it lacks is believed to be gone."""
    return Unavailable(f"{what}; nothing is taken for deleted", FailureCode.WRONG_UPSTREAM)
