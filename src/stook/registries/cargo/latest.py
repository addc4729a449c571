"""Which version is the latest, by crates.io's own rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stook.registries.cargo.semver import build_order

__all__ = ["Candidate", "default_version", "latest_stable"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A version as far as the rule looks at it."""

    version: str
    key: bytes
    is_prerelease: bool
    yanked: bool


def default_version(candidates: Iterable[Candidate]) -> str | None:
    """The highest stable version not yanked, else the highest not yanked, else the highest stable, else the highest.

    Versions that differ in build metadata only are told apart as cargo does; the registry has not allowed
    such pairs since 2023.
    """
    best = max(candidates, key=_rank, default=None)
    return best.version if best else None


def latest_stable(candidates: Iterable[Candidate]) -> str | None:
    """The highest version that is neither a pre-release nor yanked."""
    stable = [one for one in candidates if not one.yanked and not one.is_prerelease]
    return default_version(stable)


def _rank(one: Candidate) -> tuple[Any, ...]:
    return (not one.yanked, not one.is_prerelease, one.key, build_order(one.version))
