"""Go modules of the sample world: what was announced, what it declares, and what became of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from stook.testing.crates import precedence

__all__ = ["Fate", "GoModules", "GoVersion", "escape", "is_pseudo", "pseudo_time", "stamp", "synthetic_mod", "unescape"]

Fate = Literal["ok", "uncached", "missing", "withdrawn"]
_PSEUDO = re.compile(r"v\d+\.(0\.0-|\d+\.\d+-([^+]*\.)?0\.)\d{14}-[A-Za-z0-9]+(\+[0-9A-Za-z.-]+)?")


@dataclass(frozen=True, slots=True)
class GoVersion:
    """One event of the index; `mod` is the go.mod text that the proxy serves.

    `uncached`: served, but not below `/cached-only`. `missing`: announced, and never there. `withdrawn`: was there
    once; only the feed with `include=all` still names it.
    """

    path: str
    version: str
    announced: datetime
    committed: datetime
    mod: str
    fate: Fate = "ok"
    reason: str = ""


@dataclass(slots=True)
class GoModules:
    """All events, and what the package site knows of a few modules."""

    events: list[GoVersion] = field(default_factory=list)
    pages: dict[str, dict[str, object]] = field(default_factory=dict)

    def of(self, path: str) -> list[GoVersion]:
        return [event for event in self.events if event.path == path]

    def find(self, path: str, version: str) -> GoVersion | None:
        return next((event for event in self.events if (event.path, event.version) == (path, version)), None)

    def latest(self, path: str) -> GoVersion | None:
        """The highest release, else the highest pre-release, else the youngest pseudo-version."""
        served = [event for event in self.of(path) if event.fate == "ok"]
        return max(served, key=_rank, default=None)


def _rank(event: GoVersion) -> tuple[object, ...]:
    is_release = "-" not in event.version.partition("+")[0]
    if is_pseudo(event.version):
        return (False, False, event.committed)
    return (True, is_release, precedence(event.version))


def is_pseudo(version: str) -> bool:
    return _PSEUDO.fullmatch(version) is not None


def pseudo_time(version: str) -> datetime | None:
    """When the commit of a pseudo-version was made."""
    digits = re.search(r"\d{14}", version) if is_pseudo(version) else None
    return datetime.strptime(digits[0], "%Y%m%d%H%M%S") if digits else None


def synthetic_mod(path: str) -> str:
    """What the proxy serves for a version without a go.mod."""
    return f"module {path}\n"


def stamp(moment: datetime) -> str:
    """RFC 3339 as Go writes it: trailing zeros of the fraction are dropped."""
    fraction = f".{moment.microsecond:06d}".rstrip("0").rstrip(".")
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def escape(text: str) -> str:
    """The proxy's spelling of a path or version: `!` before what was an upper-case letter."""
    return re.sub(r"[A-Z]", lambda match: "!" + match[0].lower(), text)


def unescape(text: str) -> str | None:
    """The inverse; None where the proxy answers `invalid escaped`."""
    if re.search(r"[A-Z]|!(?![a-z])", text):
        return None
    return re.sub(r"!([a-z])", lambda match: match[1].upper(), text)
