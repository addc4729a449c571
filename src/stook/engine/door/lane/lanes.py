"""All lanes of a run: made when first asked for, forgotten when idle."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from stook.engine.clock import Clock
from stook.engine.door.lane.lane import UNLIMITED, Lane, Waiting
from stook.engine.door.lane.state import LaneSettings
from stook.engine.door.lane.store import SWEEP_FROM, LaneStore, MemoryStore

__all__ = ["Lanes"]

CLOSE_SECONDS = 5.0  # that the end of a run waits for a store; what it does not learn by then, it learns by expiry


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
        self._store: LaneStore = MemoryStore(clock) if store is None else store
        self._batch = batch
        self._lanes: dict[str, Lane] = {}
        self._sweep_at = SWEEP_FROM

    def __getitem__(self, name: str) -> Lane:
        """The lane of that name. Keep it no longer than for one request: an idle lane is replaced by a new one."""
        lane = self._lanes.get(name)
        if lane is None:
            if len(self._lanes) >= self._sweep_at:
                self._sweep()
            lane = Lane(name, self._settings_of(name), self._clock, self._store, self._batch)
            self._lanes[name] = lane
        return lane

    @property
    def size(self) -> int:
        """How many lanes are remembered."""
        return len(self._lanes)

    def room(self, name: str) -> int:
        """How many more requests the lane can make use of now (see `Lane.room`); never waits, never makes a lane."""
        lane = self._lanes.get(name)
        return lane.room if lane else self._settings_of(name).concurrency or UNLIMITED

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Lanes in which requests wait, by name."""
        found = (self._lanes[name].waiting for name in sorted(self._lanes))
        return tuple(waiting for waiting in found if waiting is not None)

    @property
    def closed(self) -> dict[str, str]:
        """Why each closed lane is closed."""
        return {name: lane.closed_reason for name, lane in sorted(self._lanes.items()) if lane.closed_reason}

    async def close(self) -> None:
        """Tell the store that no request is under way, and close it; requests must have ended."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.gather(*(lane.settle() for lane in self._lanes.values()))
        except TimeoutError:
            pass
        await self._store.close()

    def _settings_of(self, name: str) -> LaneSettings:
        return self._settings.get(name, self._default)

    def _sweep(self) -> None:
        """The size at which this happens doubles with what is left, so a lane costs a constant time on average."""
        self._lanes = {name: lane for name, lane in self._lanes.items() if not lane.is_idle}
        self._sweep_at = max(SWEEP_FROM, 2 * len(self._lanes))
