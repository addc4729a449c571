"""Where lanes keep their state: in this process, or in a place that several processes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from stook.engine.clock import Clock
from stook.engine.door.lane.state import LaneState, is_forgettable

__all__ = ["SWEEP_FROM", "LaneStore", "MemoryStore", "Step"]

T = TypeVar("T")
Step = Callable[[LaneState, float], tuple[LaneState, T]]
"""A pure change: the state and the store's time in seconds; the state after it, and an answer."""
SWEEP_FROM = 1024  # entries from which on the idle ones are dropped


class LaneStore(Protocol):
    """Keeps the states of lanes by name."""

    @property
    def holder(self) -> str:
        """The name of this process among those that share the store; empty when no other process does."""
        ...

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        """Apply a step to the lane's state, or to `fresh` when it has none, atomically and at the store's own time.

        Returns the state after it and the step's answer. A step may be applied again when the store has lost its
        answer. The pace between processes is exact to within the time in which the answer travels.
        """
        ...

    async def close(self) -> None:
        """Store what only this process knows, and free what the store needs."""
        ...


class MemoryStore:
    """The lanes of one process, on its monotonic clock. States that behave as new ones do are dropped."""

    holder = ""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, LaneState] = {}
        self._sweep_at = SWEEP_FROM

    @property
    def size(self) -> int:
        """How many states are remembered."""
        return len(self._states)

    async def change(self, name: str, fresh: LaneState, step: Step[T]) -> tuple[LaneState, T]:
        now = self._clock.monotonic()
        state, answer = step(self._states.get(name, fresh), now)
        self._states[name] = state
        if len(self._states) >= self._sweep_at:
            self._sweep(now)
        return state, answer

    async def close(self) -> None:
        pass

    def _sweep(self, now: float) -> None:
        """The size at which this happens doubles with what is left, so a change costs a constant time on average."""
        self._states = {name: state for name, state in self._states.items() if not is_forgettable(state, now)}
        self._sweep_at = max(SWEEP_FROM, 2 * len(self._states))
