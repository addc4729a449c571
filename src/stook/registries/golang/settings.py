"""The settings of the Go module index, proxy and package site, or of mirrors of them: the section `go`."""

from __future__ import annotations

from dataclasses import dataclass

from stook.settings import values
from stook.settings.option import setting

__all__ = ["GoSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoSettings:
    """The Go module index, proxy and package site, or mirrors of them."""

    index_url: str = setting("https://index.golang.org", values.url, "Module index: the feed of new versions.")
    proxy_url: str = setting("https://proxy.golang.org", values.url, "Module proxy: the authority on what exists.")
    pkgsite_url: str = setting("https://pkg.go.dev", values.url, "Package site, before /v1/….")
    index_token: str = setting(
        "", values.secret, "Authorization header for index_url, as a whole (Bearer …).", mask=values.mask_secret
    )
    proxy_token: str = setting("", values.secret, "The same for proxy_url.", mask=values.mask_secret)
    pkgsite_token: str = setting("", values.secret, "The same for pkgsite_url.", mask=values.mask_secret)
    index_gap: float = setting(
        0.25, values.gap, "Seconds between two request starts at the index, for all workers together."
    )
    proxy_gap: float = setting(0.05, values.gap, "The same for the proxy.")
    pkgsite_gap: float = setting(0.1, values.gap, "The same for the package site.")
    feed: str = setting("default", values.choice("default", "all"), "Which feed of the index to follow.")
    cached_only: bool = setting(True, values.flag, "Ask the proxy for what it has cached only (/cached-only).")
