"""A lane's state: one row's worth of facts, whether it lives in the process or in a database."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

__all__ = ["Ladder", "LaneState", "Ticket"]


@dataclass(frozen=True, slots=True)
class LaneState:
    """Times are seconds on the clock of the store that keeps the state.

    `next_at` is the first slot that nobody has; `started_at` is when the last request started.
    `penalty` is the length of the last cooldown, 0 when none is remembered; `rounds` counts those since the last
    success. A lane with a `closed_reason` takes no more requests.
    """

    gap: float
    next_at: float = 0.0
    cooldown_until: float = 0.0
    penalty: float = 0.0
    rounds: int = 0
    closed_reason: str = ""
    started_at: float = -inf


@dataclass(frozen=True, slots=True)
class Ladder:
    """How a lane backs off: seconds of the first cooldown, of the longest, and the barren round that closes it."""

    base: float = 60.0
    maximum: float = 900.0
    give_up: int = 5

    def __post_init__(self) -> None:
        if not 0 < self.base <= self.maximum or self.give_up < 1:
            raise ValueError(f"not a ladder: base {self.base}, maximum {self.maximum}, give up after {self.give_up}")


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to start one request; `issued_at` tells the governor which cooldown it came before or after."""

    issued_at: float
