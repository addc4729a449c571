"""All lanes of a run, made when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stook.engine.clock import Clock
from stook.engine.door.lane.lane import Lane, LaneStore, MemoryStore, Waiting
from stook.engine.door.lane.state import Ladder

__all__ = ["LaneSettings", "Lanes"]


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """What a lane is told: seconds between request starts, and how it backs off."""

    gap: float = 1.0
    ladder: Ladder = field(default_factory=Ladder)


class Lanes:
    """Lane by name; those without settings of their own get `default`."""

    def __init__(
        self,
        clock: Clock,
        settings: Mapping[str, LaneSettings] | None = None,
        *,
        default: LaneSettings | None = None,
        store: LaneStore | None = None,
        batch: int = 1,
    ) -> None:
        self._clock = clock
        self._settings = dict(settings or {})
        self._default = default or LaneSettings()
        self._store: LaneStore = store or MemoryStore(clock)
        self._batch = batch
        self._lanes: dict[str, Lane] = {}

    def __getitem__(self, name: str) -> Lane:
        lane = self._lanes.get(name)
        if lane is None:
            chosen = self._settings.get(name, self._default)
            lane = Lane(name, chosen.gap, chosen.ladder, self._clock, self._store, self._batch)
            self._lanes[name] = lane
        return lane

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Lanes that somebody waits on, by name."""
        found = (self._lanes[name].waiting for name in sorted(self._lanes))
        return tuple(waiting for waiting in found if waiting is not None)

    @property
    def closed(self) -> dict[str, str]:
        """Why each shut lane is shut."""
        return {name: lane.closed_reason for name, lane in sorted(self._lanes.items()) if lane.closed_reason}
