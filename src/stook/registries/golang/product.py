"""The product Go modules. Its heavy modules are imported when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stook.registries.golang.settings import GoSettings
from stook.run.product import LazyCommand, Product
from stook.terminal.stage import Stage

if TYPE_CHECKING:
    from stook.engine.ledger import Queue
    from stook.engine.words import Announcement, Source

__all__ = ["PRODUCT"]

_FOLDER = Path(__file__).parent


def _queues() -> Sequence[Queue]:
    from stook.registries.golang.queues import QUEUES

    return QUEUES


def _sources(options: GoSettings, tasks: int, batch: int) -> Sequence[Source]:
    from stook.registries.golang.sources import GoFeed, GoModules, GoPages

    return (
        GoFeed(options.index_url),
        GoModules(options.proxy_url, options.cached_only, tasks, batch),
        GoPages(options.pkgsite_url),
    )


def _standing(options: GoSettings) -> Sequence[Announcement]:
    """The feed itself: every worker follows it, one at a time, past any end that a walk was given."""
    from stook.engine.words import Announcement
    from stook.registries.golang.queues import FEED

    return [Announcement(FEED.name, options.feed, source="index", fresh_for=0.0, facts={"until": None})]


PRODUCT = Product(
    name="go",
    title="Go modules",
    settings=GoSettings,
    queues=_queues,
    sources=_sources,
    migrations=(_FOLDER.parent / "store" / "migrations", _FOLDER / "migrations"),
    standing=_standing,
    feeds=("Go index",),
    commands={
        "go": LazyCommand(
            "stook.registries.golang.commands.go:go", "Collect Go modules: follow the module index, or name modules."
        )
    },
    show=LazyCommand("stook.registries.golang.commands.show:show", "Show a Go module, or one of its versions."),
    stages=(Stage("proxy", "Go proxy", "go.proxy"), Stage("pkg.go.dev", "pkg.go.dev", "go.pkgsite")),
)
