"""The version orders that the command line will hand to advisories: those of the registries."""

from __future__ import annotations

from stook.advisories import VersionOrder
from stook.registries.cargo.semver import parse_semver
from stook.registries.golang.versions import version_key


def crates_order(text: str) -> bytes | None:
    version = parse_semver(text)
    return version.key if version else None


def go_order(text: str) -> bytes | None:
    return version_key(f"v{text}") or None


ORDERS: dict[str, VersionOrder] = {"crates.io": crates_order, "Go": go_order}
