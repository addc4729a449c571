"""Lengths of CSS, as pixels."""

from __future__ import annotations

import re

__all__ = ["font_size", "is_nothing", "pixels"]

_LENGTH = re.compile(
    r"([-+]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))(px|em|rem|pt|pc|cm|mm|in|ex|ch|vw|vh|vmin|vmax|%)?(?![\w.])"
)
_UNITS = {"px": 1, "em": 16, "rem": 16, "pt": 1.33, "pc": 16, "cm": 38, "mm": 3.8, "in": 96, "ex": 8, "ch": 8}
_UNITS |= {"vw": 12.8, "vh": 8, "vmin": 8, "vmax": 12.8, "%": 5.01, "": 1}
_SIZE_IN_FONT = re.compile(r"(?:^|\s)((?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:px|em|rem|pt|%|vw|vh)?)(?=\s|/)")


def pixels(value: str) -> float | None:
    """Return the first length in a value, None where there is none. The whole of a box, 100 %, counts as far."""
    found = _LENGTH.search(value)
    return float(found[1]) * _UNITS[found[2] or ""] if found else None


def is_nothing(value: str | None) -> bool:
    """Tell whether a width or height leaves no room for text."""
    length = pixels(value) if value else None
    return length is not None and length <= 1


def font_size(style: dict[str, str], around: float) -> float:
    """Return the size of the font in pixels, relative to the size around."""
    value = style.get("font-size")
    if value is None:
        found = _SIZE_IN_FONT.search(style.get("font", ""))
        value = found[1] if found else ""
    found = _LENGTH.search(value)
    if found is None:
        return 16.0 if value in ("initial", "medium", "small", "large", "larger", "smaller") else around
    number, unit = float(found[1]), found[2] or ""
    if unit in ("em", "%"):
        return number * around / (100 if unit == "%" else 1)
    return number * _UNITS[unit]
