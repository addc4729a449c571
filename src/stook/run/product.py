"""What makes a registry, and how registries are found: by walking this package, and by an entry-point group."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from stook.engine.ledger import Queue
from stook.engine.words import Announcement, Source

__all__ = ["ENTRY_POINTS", "Registry", "find_registries"]

ENTRY_POINTS = "stook.registries"
HOME = "stook.registries"


def _nothing(options: Any) -> Sequence[Announcement]:
    return ()


@dataclass(frozen=True, slots=True)
class Registry:
    """One registry. `sources` makes its sources from its own section of the settings (None when it has none), the
    number of visits side by side, and the number of events to claim at once.

    `standing` gives the polls that any worker of the registry sees to, such as a feed's; they are announced when one
    starts.

    `migrations` is a folder of Alembic scripts, a branch of their own, for tables that Stook does not have.
    """

    name: str
    title: str
    queues: tuple[Queue, ...]
    sources: Callable[[Any, int, int], Sequence[Source]]
    migrations: Path | None = None
    standing: Callable[[Any], Sequence[Announcement]] = _nothing


def find_registries() -> dict[str, Registry]:
    """Every registry, by name: each package here with a module `registry`, and what other packages announce."""
    found = {one.name: one for one in [*_walked(), *_announced()]}
    return dict(sorted(found.items()))


def _walked() -> Iterable[Registry]:
    for module in pkgutil.iter_modules(importlib.import_module(HOME).__path__):
        if module.ispkg and importlib.util.find_spec(f"{HOME}.{module.name}.registry"):
            yield importlib.import_module(f"{HOME}.{module.name}.registry").REGISTRY


def _announced() -> Iterable[Registry]:
    for point in entry_points(group=ENTRY_POINTS):
        yield point.load()
