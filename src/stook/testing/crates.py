"""Crates of the sample world: names, versions and dependencies, as a registry would hold them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Literal

__all__ = ["Crate", "Dependency", "Release", "checksum", "default_release", "fold", "index_path", "precedence"]

Kind = Literal["normal", "build", "dev"]


@dataclass(frozen=True, slots=True)
class Dependency:
    """One requirement; `alias` is how the dependent calls the crate, if by another name."""

    crate: str
    req: str
    kind: Kind = "normal"
    alias: str | None = None
    optional: bool = False
    default_features: bool = True
    features: tuple[str, ...] = ()
    target: str | None = None

    @classmethod
    def parse(cls, text: str) -> Dependency:
        """From `CRATE REQ [optional] [bare] [build|dev] [as=ALIAS] [with=F,F] [on=TARGET]`, e.g. `oar ^1 dev`."""
        crate, req, *rest = text.split()
        marks = dict(item.partition("=")[::2] for item in rest)
        kind: Kind = "build" if "build" in marks else "dev" if "dev" in marks else "normal"
        return cls(
            crate=crate,
            req=req,
            kind=kind,
            alias=marks.get("as"),
            optional="optional" in marks,
            default_features="bare" not in marks,
            features=tuple(filter(None, marks.get("with", "").split(","))),
            target=marks.get("on"),
        )


@dataclass(slots=True)
class Release:
    """One version. `is_old` writes its index line as in 2015; `line_format` sets the line's `v`."""

    version: str
    published: datetime
    checksum: str
    id: int = 0
    deps: tuple[Dependency, ...] = ()
    features: dict[str, list[str]] = field(default_factory=dict)
    features2: dict[str, list[str]] = field(default_factory=dict)
    license: str | None = "MIT OR Apache-2.0"
    links: str | None = None
    rust_version: str | None = None
    edition: str | None = "2021"
    is_yanked: bool = False
    yank_message: str | None = None
    yank_changed: datetime | None = None
    downloads: int = 0
    size: int | None = None
    is_old: bool = False
    line_format: int | None = None


@dataclass(slots=True)
class Crate:
    """A crate; `garbage` holds lines of its index file that nobody can read."""

    name: str
    id: int
    created: datetime
    updated: datetime
    description: str = ""
    repository: str | None = None
    homepage: str | None = None
    documentation: str | None = None
    keywords: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    owner: str = "old-salt"
    has_pubtime: bool = False
    garbage: list[str] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)

    def release(self, version: str) -> Release:
        for release in self.releases:
            if release.version == version:
                return release
        raise KeyError(f"{self.name} has no version {version}")


def checksum(name: str, version: str) -> str:
    """Stands for the digest of a package file, which this world does not have."""
    return sha256(f"{name}@{version}".encode()).hexdigest()


def fold(name: str) -> str:
    """The registry's key for uniqueness and for its API's look-up."""
    return name.lower().replace("-", "_")


def index_path(name: str) -> str:
    name = name.lower()
    if len(name) <= 2:
        return f"{len(name)}/{name}"
    return f"3/{name[0]}/{name}" if len(name) == 3 else f"{name[:2]}/{name[2:4]}/{name}"


def precedence(version: str) -> tuple[object, ...]:
    """A sort key of semver precedence for `1.2.3-pre+build`, with or without a leading `v`."""
    plain, _, pre = version.partition("+")[0].partition("-")
    numbers = tuple(map(int, re.findall(r"\d+", plain)))
    fields = tuple((0, int(item), "") if item.isdigit() else (1, 0, item) for item in pre.split(".") if pre)
    return (numbers, not pre, fields)


def default_release(crate: Crate) -> Release:
    """The version that the registry shows: the highest stable, else the highest, of those not yanked if any is left."""

    def rank(release: Release) -> tuple[object, ...]:
        is_stable = "-" not in release.version.partition("+")[0]
        return (not release.is_yanked, is_stable, precedence(release.version))

    return max(crate.releases, key=rank)
