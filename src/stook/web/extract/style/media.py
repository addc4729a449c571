"""Conditions of style rules: those of a wide screen hold."""

from __future__ import annotations

import re

__all__ = ["applies", "is_read"]

_WIDTH = 1280.0  # pixels of the screen that we imagine
_HEIGHT = 800.0
_TYPE = re.compile(r"\s*(not\s+|only\s+)?([a-z]+)?", re.IGNORECASE)
_FEATURE = re.compile(
    r"\(\s*(min|max)-(?:device-)?(width|height)\s*:\s*([\d.]{1,12})\s*(px|em|rem)?\s*\)", re.IGNORECASE
)
_REFUSED = re.compile(
    r"prefers-color-scheme\s*:\s*dark|prefers-contrast|forced-colors\s*:\s*active|orientation\s*:\s*portrait",
    re.IGNORECASE,
)
_SKIPPED = (
    "font-face",
    "keyframes",
    "page",
    "property",
    "counter-style",
    "font-feature",
    "view-transition",
    "namespace",
)


def is_read(at_rule: str) -> bool:
    """Tell whether the block of an at-rule, such as "media screen", holds style rules that apply."""
    name, _, condition = at_rule.strip().partition(" ")
    name = name.lower().split("(")[0].removeprefix("-webkit-").removeprefix("-moz-").removeprefix("-o-")
    if name == "media" or at_rule.lower().startswith("media("):
        return applies(at_rule.strip()[5:])
    if name == "supports":
        return not condition.lower().startswith("not")
    return not name.startswith(_SKIPPED)


def applies(queries: str) -> bool:
    """Tell whether a list of media queries holds on a screen. What is not understood holds."""
    return not queries.strip() or any(_holds(query) for query in queries.split(","))


def _holds(query: str) -> bool:
    match = _TYPE.match(query)
    negated = bool(match and (match[1] or "").strip().lower() == "not")
    kind = (match[2] or "all").lower() if match else "all"
    holds = kind in ("all", "screen", "not", "only", "and") and not _REFUSED.search(query)
    holds = holds and all(_fits(*feature.groups()) for feature in _FEATURE.finditer(query))
    return holds != negated


def _fits(bound: str, side: str, number: str, unit: str | None) -> bool:
    try:
        pixels = float(number) * (16 if unit else 1) if unit != "px" else float(number)
    except ValueError:
        return True
    available = _WIDTH if side.lower() == "width" else _HEIGHT
    return available >= pixels if bound.lower() == "min" else available <= pixels
