"""A stage of a run, as its progress shows it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One bar: its label, the source whose visits it counts, and the lane that this source waits for."""

    label: str
    source: str
    lane: str
