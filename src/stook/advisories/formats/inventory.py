"""What every input gives: packages at versions, each with its place, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stook.advisories.ecosystems import PackageVersion

__all__ = ["Inventory", "ListedPackage", "Unlisted"]


@dataclass(frozen=True, slots=True)
class ListedPackage:
    """One package of an input. `line` counts from 1, and is 0 where unknown.

    `other_source` is empty for packages of the public registry; all others are listed and not looked up, since a
    package from git or a folder may share no more than a name. `depends_on` are places in the inventory's list.
    """

    package: PackageVersion
    line: int = 0
    checksum: str = ""
    other_source: str = ""
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Unlisted:
    """An entry that names no package of an ecosystem we know, or cannot be read; with the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """The packages of one input, in its order."""

    packages: tuple[ListedPackage, ...]
    unlisted: tuple[Unlisted, ...] = ()

    def checked(self) -> Iterator[PackageVersion]:
        """The packages to look up."""
        return (listed.package for listed in self.packages if not listed.other_source)
