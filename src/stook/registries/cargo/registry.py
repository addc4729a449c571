"""crates.io, as a registry that Stook finds by walking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stook.engine.words import Source
from stook.registries.cargo.sources import QUEUES, CargoApi, CargoIndex
from stook.registries.store import MIGRATIONS
from stook.run.product import Registry

__all__ = ["REGISTRY"]

HOUR = 3600.0


def _sources(options: Any, tasks: int, batch: int) -> Sequence[Source]:
    return (
        CargoIndex(options.index_url.rstrip("/"), options.api_age * HOUR, tasks, batch),
        CargoApi(options.api_url.rstrip("/")),
    )


REGISTRY = Registry("cargo", "crates.io", QUEUES, _sources, MIGRATIONS)
