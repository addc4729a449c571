"""The Go registry, as one that Stook finds by walking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stook.engine.words import Announcement, Source
from stook.registries.golang.queues import FEED, QUEUES
from stook.registries.golang.sources import GoFeed, GoModules, GoPages
from stook.registries.store import MIGRATIONS
from stook.run.product import Registry

__all__ = ["REGISTRY"]


def _sources(options: Any, tasks: int, batch: int) -> Sequence[Source]:
    return (
        GoFeed(options.index_url),
        GoModules(options.proxy_url, options.cached_only, tasks, batch),
        GoPages(options.pkgsite_url),
    )


def _standing(options: Any) -> Sequence[Announcement]:
    """The feed itself: whoever works also follows it, one worker at a time, past any end that a walk was given."""
    return [Announcement(FEED.name, options.feed, source="index", fresh_for=0.0, facts={"until": None})]


REGISTRY = Registry("go", "Go modules", QUEUES, _sources, MIGRATIONS, _standing)
