"""Ways of CSS to take an element out of sight together with all that is in it."""

from __future__ import annotations

import re
from collections.abc import Callable

from stook.web.extract.style.length import is_nothing, pixels

__all__ = ["is_removed", "is_threat"]

_FAR = 500.0  # pixels: moved by so much to the left or up, nothing of a text is left on the page
_NUMBERS = re.compile(r"[-+]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})")
_TRANSLATE = re.compile(r"translate(?:3d|x|y)?\(([^)]*)")
_SCALE = re.compile(r"scale(?:3d|x|y)?\(([^)]*)")
_ON_EDGE = re.compile(r"rotate[xy]\(\s*-?(?:90deg|270deg|0?\.25turn)")


def is_removed(style: dict[str, str]) -> bool:
    """Tell whether the winning declarations of an element leave nothing of it to see."""
    return any(name in _TESTS and _TESTS[name](style) for name in style)


def is_threat(name: str, value: str) -> bool:
    """Tell whether this value of the property hides text, alone or together with its companions."""
    if name == "visibility":
        return value in ("hidden", "collapse")
    return name in _TESTS and _TESTS[name](_HELPFUL | {name: value})


def _is_transparent(style: dict[str, str]) -> bool:
    return _is_faint(style["opacity"])


def _is_faint(value: str) -> bool:
    found = _NUMBERS.search(value)
    return found is not None and float(found[0]) / (100 if "%" in value else 1) < 0.1


def _is_far(value: str) -> bool:
    length = pixels(value)
    return length is not None and length <= -_FAR


def _is_beyond(value: str) -> bool:
    """To the right and down a page scrolls, so only what is beyond any page counts."""
    length = pixels(value)
    return length is not None and (length <= -_FAR or length >= 8 * _FAR)


def _is_out(side: str) -> Callable[[dict[str, str]], bool]:
    def is_out(style: dict[str, str]) -> bool:
        return style.get("position") in ("absolute", "fixed", "relative", "sticky") and _is_beyond(style[side])

    return is_out


def _is_clipped(style: dict[str, str]) -> bool:
    """clip: rect(top, right, bottom, left), with nothing between the sides."""
    if not style["clip"].startswith("rect"):
        return False
    lengths = [float(number) for number in _NUMBERS.findall(style["clip"])]
    return len(lengths) == 4 and (lengths[1] - lengths[3] <= 1 or lengths[2] - lengths[0] <= 1)


def _is_cut_away(style: dict[str, str]) -> bool:
    path = style["clip-path"]
    numbers = [float(number) for number in _NUMBERS.findall(path)]
    if path.startswith("inset"):
        return bool(numbers) and numbers[0] >= 50 and "%" in path
    if path.startswith(("circle", "ellipse")):
        return bool(numbers) and numbers[0] == 0
    return path.startswith("polygon") and bool(numbers) and len(set(numbers)) == 1


def _is_squeezed(*sides: str) -> Callable[[dict[str, str]], bool]:
    def is_squeezed(style: dict[str, str]) -> bool:
        clips = {style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")}
        return any(value.startswith(("hidden", "clip")) for value in clips) and any(
            is_nothing(style.get(side)) for side in sides
        )

    return is_squeezed


def _is_transformed_away(style: dict[str, str]) -> bool:
    value = style["transform"]
    moved = any(_is_beyond(part) for found in _TRANSLATE.findall(value) for part in found.split(","))
    shrunk = any(_is_zero(part) for found in _SCALE.findall(value) for part in found.split(",")[:2])
    return moved or shrunk or bool(_ON_EDGE.search(value))


def _is_zero(value: str) -> bool:
    found = _NUMBERS.search(value)
    return found is not None and abs(float(found[0])) < 0.01


_TESTS: dict[str, Callable[[dict[str, str]], bool]] = {
    "display": lambda style: style["display"] == "none",
    "opacity": _is_transparent,
    "content-visibility": lambda style: style["content-visibility"] == "hidden",
    "filter": lambda style: "opacity(" in style["filter"] and _is_faint(style["filter"].partition("opacity(")[2]),
    "left": _is_out("left"),
    "top": _is_out("top"),
    "right": _is_out("right"),
    "bottom": _is_out("bottom"),
    "margin-left": lambda style: _is_far(style["margin-left"]),
    "margin-top": lambda style: _is_far(style["margin-top"]),
    "margin": lambda style: any(_is_far(part) for part in style["margin"].split()),
    "text-indent": lambda style: _is_beyond(style["text-indent"]),
    "clip": _is_clipped,
    "clip-path": _is_cut_away,
    "width": _is_squeezed("width"),
    "height": _is_squeezed("height"),
    "max-width": _is_squeezed("max-width"),
    "max-height": _is_squeezed("max-height"),
    "transform": _is_transformed_away,
    "translate": lambda style: any(_is_beyond(part) for part in style["translate"].split()),
    "scale": lambda style: any(_is_zero(part) for part in style["scale"].split()),
    "zoom": lambda style: _is_zero(style["zoom"]),
}
# With these any hiding value takes effect.
_HELPFUL = {"position": "absolute", "overflow": "hidden"}
