"""Colours of CSS, as far as text can vanish by them."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["LIKENESS", "WHITE", "Colour", "parse_colour"]

LIKENESS = 24  # of 765: the sum of the differences up to which nobody can read one colour on the other


class Colour(NamedTuple):
    """Red, green, blue from 0 to 255, and alpha from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def is_like(self, other: Colour) -> bool:
        """Tell whether a reader could not see one on the other."""
        return abs(self.red - other.red) + abs(self.green - other.green) + abs(self.blue - other.blue) <= LIKENESS


WHITE = Colour(255, 255, 255)
_NAMES = {
    "white": WHITE,
    "snow": Colour(255, 250, 250),
    "ivory": Colour(255, 255, 240),
    "ghostwhite": Colour(248, 248, 255),
    "whitesmoke": Colour(245, 245, 245),
    "floralwhite": Colour(255, 250, 240),
    "mintcream": Colour(245, 255, 250),
    "azure": Colour(240, 255, 255),
    "black": Colour(0, 0, 0),
    "red": Colour(255, 0, 0),
    "green": Colour(0, 128, 0),
    "lime": Colour(0, 255, 0),
    "blue": Colour(0, 0, 255),
    "navy": Colour(0, 0, 128),
    "yellow": Colour(255, 255, 0),
    "silver": Colour(192, 192, 192),
    "gray": Colour(128, 128, 128),
    "grey": Colour(128, 128, 128),
    "maroon": Colour(128, 0, 0),
    "purple": Colour(128, 0, 128),
    "fuchsia": Colour(255, 0, 255),
    "olive": Colour(128, 128, 0),
    "teal": Colour(0, 128, 128),
    "aqua": Colour(0, 255, 255),
    "orange": Colour(255, 165, 0),
    "transparent": Colour(0, 0, 0, 0.0),
}
_HEX = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"(rgba?|hsla?)\(([^()]{1,80})\)")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)")


def parse_colour(value: str) -> Colour | None:
    """Read a colour; None for what is none, or is of a kind that this module does not know."""
    value = value.strip().lower()
    if value in _NAMES:
        return _NAMES[value]
    if match := _HEX.fullmatch(value):
        return _from_hex(match[1])
    if match := _FUNCTION.fullmatch(value):
        return _from_function(match[1], match[2])
    return None


def _from_hex(digits: str) -> Colour:
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *alpha = (int(digits[place : place + 2], 16) for place in range(0, len(digits), 2))
    return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)


def _from_function(name: str, body: str) -> Colour | None:
    parts = re.split(r"[\s,/]+", body.strip())
    numbers = [_NUMBER.match(part) for part in parts]
    if len(parts) not in (3, 4) or not all(numbers):
        return None
    values = [
        float(number[0]) / (100 if part.endswith("%") else 1)
        for number, part in zip(numbers, parts, strict=True)
        if number
    ]
    alpha = values[3] if len(values) == 4 else 1.0
    if name.startswith("hsl"):
        return _from_hsl(values[0], values[1], values[2], alpha)
    red, green, blue = (
        value * (255 if part.endswith("%") else 1) for value, part in zip(values[:3], parts, strict=False)
    )
    return Colour(red, green, blue, alpha)


def _from_hsl(hue: float, saturation: float, lightness: float, alpha: float) -> Colour:
    """CSS Color 4, section 7.1."""

    def channel(offset: int) -> float:
        place = (offset + hue / 30) % 12
        reach = saturation * min(lightness, 1 - lightness)
        return 255 * (lightness - reach * max(-1.0, min(place - 3, 9 - place, 1.0)))

    return Colour(channel(0), channel(8), channel(4), alpha)
