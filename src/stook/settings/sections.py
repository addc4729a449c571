"""The sections of the tree: each setting's default, reader and one line of help, at one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stook.settings import values
from stook.settings.option import setting

__all__ = [
    "SECTIONS",
    "CargoSettings",
    "GithubSettings",
    "GoSettings",
    "OsvSettings",
    "ThrottleSettings",
    "WorkSettings",
]


def _hide(value: str) -> str:
    return "***" if value else ""


_GAP = values.seconds(0, 3600)


@dataclass(frozen=True, slots=True, kw_only=True)
class CargoSettings:
    """crates.io, or a mirror of it."""

    index_url: str = setting("https://index.crates.io", values.index_url, "Sparse index: the authority on what exists.")
    api_url: str = setting("https://crates.io", values.url, "Origin of the JSON API, before /api/v1/….")
    static_url: str = setting("https://static.crates.io", values.url, "Static host: feeds and the database dump.")
    index_gap: float = setting(0.1, _GAP, "Seconds between two request starts at the index, for all workers together.")
    api_gap: float = setting(1.0, _GAP, "The same for the JSON API; crates.io asks for one request a second at most.")
    api_age: float = setting(24.0, values.seconds(0), "Hours that what the JSON API said stays fresh.")
    seeds: tuple[str, ...] = setting((), values.names, "Crates to collect besides seeds.txt and the command line's.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoSettings:
    """The Go module index, proxy and package site, or mirrors of them."""

    index_url: str = setting("https://index.golang.org", values.url, "Module index: the feed of new versions.")
    proxy_url: str = setting("https://proxy.golang.org", values.url, "Module proxy: the authority on what exists.")
    pkgsite_url: str = setting("https://pkg.go.dev", values.url, "Package site, before /v1/….")
    index_gap: float = setting(0.25, _GAP, "Seconds between two request starts at the index, for all workers together.")
    proxy_gap: float = setting(0.05, _GAP, "The same for the proxy.")
    pkgsite_gap: float = setting(0.1, _GAP, "The same for the package site.")
    feed: str = setting("default", values.one_of("default", "all"), "Which feed of the index to follow.")
    cached_only: bool = setting(True, values.flag, "Ask the proxy for what it has cached only (/cached-only).")


@dataclass(frozen=True, slots=True, kw_only=True)
class OsvSettings:
    """The advisories."""

    url: str = setting("https://osv-vulnerabilities.storage.googleapis.com", values.url, "OSV's bucket of advisories.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GithubSettings:
    """Where runs of dataset flavours report."""

    repository: str = setting("", values.text, "owner/name whose issues tell how dataset runs went.")
    token: str = setting("", values.text, "Token that may write those issues.", mask=_hide)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleSettings:
    """How a lane yields when its host asks for it."""

    base: float = setting(60.0, values.seconds(0), "First cooldown of a host that throttles us, in seconds.")
    max: float = setting(900.0, values.seconds(0), "Longest cooldown, in seconds.")
    giveup: int = setting(5, values.whole(1, 1000), "Rounds without any success after which a lane closes.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSettings:
    """How one worker works."""

    tasks: int = setting(16, values.whole(1, 1000), "Packages looked at side by side.")
    lease: float = setting(600.0, values.seconds(1, 86400), "Seconds until a dead worker's events are free again.")
    claim: int = setting(300, values.whole(1, 10_000), "Events taken from the queue at once, whole packages together.")
    gap: float = setting(1.0, _GAP, "Seconds between two request starts at a host that has no gap of its own.")


SECTIONS: Mapping[str, type] = {
    "cargo": CargoSettings,
    "go": GoSettings,
    "osv": OsvSettings,
    "github": GithubSettings,
    "throttle": ThrottleSettings,
    "work": WorkSettings,
}
