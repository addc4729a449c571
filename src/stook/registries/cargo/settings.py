"""The settings of crates.io, or of a mirror of it: the section `cargo`."""

from __future__ import annotations

from dataclasses import dataclass

from stook.settings import values
from stook.settings.option import setting

__all__ = ["CargoSettings"]


def _index_url(value: object) -> str:
    """A sparse index; cargo's spelling with `sparse+` in front is understood."""
    return values.url(values.text(value).removeprefix("sparse+"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CargoSettings:
    """crates.io, or a mirror of it."""

    index_url: str = setting("https://index.crates.io", _index_url, "Sparse index: the authority on what exists.")
    api_url: str = setting("https://crates.io", values.url, "Origin of the JSON API, before /api/v1/….")
    static_url: str = setting("https://static.crates.io", values.url, "Host of the feeds and of the database dump.")
    index_token: str = setting(
        "", values.secret, "Authorization header for index_url, as a whole (Bearer …).", mask=values.mask_secret
    )
    api_token: str = setting("", values.secret, "The same for api_url.", mask=values.mask_secret)
    index_gap: float = setting(
        0.1, values.gap, "Seconds between two request starts at the index, for all workers together."
    )
    api_gap: float = setting(
        1.0, values.gap, "The same for the JSON API; crates.io asks for one request a second at most."
    )
    api_age: float = setting(24.0, values.seconds(0), "Hours that an answer of the JSON API stays fresh.")
    seeds: tuple[str, ...] = setting((), values.names, "Crates to collect besides seeds.txt and the command line's.")
