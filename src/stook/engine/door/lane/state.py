"""A lane's state: a few facts, kept in the memory of a process or in one row of a database."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

__all__ = ["BackOff", "Flights", "LaneSettings", "LaneState", "Ticket", "is_calm", "is_forgettable"]


@dataclass(frozen=True, slots=True)
class BackOff:
    """How a lane reacts to throttling: seconds of the first cooldown and of the longest, and when it gives up.

    `give_up` counts cooldowns in a row without a successful request between them; the last one closes the lane.
    """

    base: float = 60.0
    maximum: float = 900.0
    give_up: int = 5

    def __post_init__(self) -> None:
        if not 0 < self.base <= self.maximum or self.give_up < 1:
            raise ValueError(f"not a back-off: base {self.base}, maximum {self.maximum}, give up after {self.give_up}")


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """The settings of a lane. `gap` is in seconds between two request starts.

    `concurrency` is how many requests may be under way at once, in all processes that share the lane; 0 is no limit.
    """

    gap: float = 1.0
    back_off: BackOff = field(default_factory=BackOff)
    concurrency: int = 0

    def __post_init__(self) -> None:
        if self.gap < 0 or self.concurrency < 0:
            raise ValueError(f"not a lane: gap {self.gap}, concurrency {self.concurrency}")


@dataclass(frozen=True, slots=True)
class Flights:
    """Requests of one process that are under way, in a lane that several processes share.

    The entry expires at `until`, so that a process that was killed does not occupy its places for ever.
    """

    holder: str
    count: int
    until: float


@dataclass(frozen=True, slots=True)
class LaneState:
    """Times are seconds on the clock of the store that keeps the state.

    `gap` and `concurrency` come from the settings. `next_at` is the first slot that nobody has reserved, `started_at`
    the time of the last request start. `penalty` is the length of the last cooldown, 0 when it is forgotten; `rounds`
    counts the cooldowns since the last success. A lane with a `closed_reason` takes no more requests.
    """

    gap: float
    next_at: float = 0.0
    cooldown_until: float = 0.0
    penalty: float = 0.0
    rounds: int = 0
    closed_reason: str = ""
    started_at: float = -inf
    concurrency: int = 0
    flights: tuple[Flights, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether requests of other processes matter even while nothing is wrong."""
        return bool(self.gap or self.concurrency)


@dataclass(frozen=True, slots=True)
class Ticket:
    """Permission to start one request.

    `issued_at` is in seconds on the store's clock; the governor tells by it whether the request started before or
    after a cooldown began.
    """

    issued_at: float


def is_calm(state: LaneState) -> bool:
    """Whether a success would change nothing: no cooldown is remembered."""
    return not state.rounds and not state.penalty


def is_forgettable(state: LaneState, now: float) -> bool:
    """Whether a new state would behave exactly as this one does from now on."""
    if state.closed_reason or state.flights or not is_calm(state):
        return False
    return now >= max(state.next_at, state.cooldown_until, state.started_at + state.gap)
