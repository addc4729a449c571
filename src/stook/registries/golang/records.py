"""Records of the Go registry: one version, one module, one page of the feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stook.registries.golang.feed import Entry, Gap
from stook.registries.golang.latest import Latest

__all__ = ["FeedPage", "GoAbsence", "GoModule", "GoPage", "GoRelease"]


@dataclass(frozen=True, slots=True)
class GoRelease:
    """A version that the proxy has under this path. Dependencies, origin and the lists of go.mod are JSON text.

    `mod_error` says why go.mod could not be read; `dependencies` is None then, as nothing is known of them.
    `rewrite`: write the row even if it says the same already.
    """

    path: str
    version: str
    published: datetime | None
    go_version: str
    has_go_mod: bool
    mod_sum: str
    dependencies: str | None
    origin: str | None
    scm: str | None
    toolchain: str = ""
    replaces: str | None = None
    excludes: str | None = None
    tools: str | None = None
    mod_error: str = ""
    rewrite: bool = False


@dataclass(frozen=True, slots=True)
class GoAbsence:
    """A version that the proxy does not have, for good; it may have had it once."""

    path: str
    version: str


@dataclass(frozen=True, slots=True)
class GoModule:
    """What holds for a module as a whole, by the go command's own rule; applies to all its stored versions.

    `listed` counts the versions of the proxy's list; None where there is no list. `moved_to` is the path that a
    version's go.mod declares in place of this one; None where no version that was looked at does. `moved_since` is the
    lowest version that declares it. `is_whole`: every version of the list is announced from now on, so one that
    appears later is news.
    """

    path: str
    latest: Latest
    listed: int | None = None
    moved_to: str | None = None
    moved_since: str | None = None
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class GoPage:
    """What pkg.go.dev says of a version: enrichment, which never makes a row. `scm` is JSON text."""

    path: str
    version: str
    licenses: Sequence[str]
    scm: str | None
    published: datetime | None


@dataclass(frozen=True, slots=True)
class FeedPage:
    """One page of the index: events for the list, junk for the record, and a gap where there is one."""

    feed: str
    fresh: Sequence[Entry]
    junk: Sequence[Entry]
    gap: Gap | None = None
