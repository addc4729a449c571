"""Visibility: marks the elements whose text a browser does not paint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stook.web.extract.html import Document, Element
from stook.web.extract.links import data_text
from stook.web.extract.style.cascade import Cascade
from stook.web.extract.style.colour import WHITE, Colour, parse_colour
from stook.web.extract.style.hiding import is_removed
from stook.web.extract.style.length import font_size
from stook.web.extract.style.media import applies

__all__ = ["mark_hidden"]

# Never painted, or painted only where something is not supported. Scripts run in the browsers that we go by.
_UNPAINTED = frozenset(
    "head title style script template noscript noembed noframes iframe object applet video audio canvas datalist rp meter "
    "progress desc metadata annotation annotation-xml".split()
)
_SMALL = 2.0  # pixels: text of this size and below cannot be read
_FAINT = 0.1  # opacity
_LINK = Colour(0, 0, 238)


class _Paint(NamedTuple):
    """What an element hands on to its children."""

    is_removed: bool = False
    is_invisible: bool = False
    size: float = 16.0  # pixels
    colour: Colour = Colour(0, 0, 0)
    background: Colour | None = WHITE  # None: a picture, so any colour may be seen

    @property
    def is_hidden(self) -> bool:
        if self.is_removed or self.is_invisible or self.size <= _SMALL:
            return True
        if self.background is None:
            return False
        return self.colour.alpha < _FAINT or self.colour.is_like(self.background)


def mark_hidden(document: Document) -> None:
    """Set `is_hidden` on every element by its attributes, its inline style and the style sheets in the page."""
    elements = document.elements
    cascade = Cascade(_sheets(document), elements)
    roots = _shadow_roots(elements)
    unslotted = frozenset(id(child) for host, slots in roots for child in _left_out(host, slots))
    mute = frozenset(id(host) for host, slots in roots if "" not in slots)
    paints = [_Paint()]
    hidden = [False]
    for place in range(1, len(elements)):
        element = elements[place]
        around = paint = paints[element.parent]
        if not around.is_removed:
            paint = _paint(element, around, cascade.properties(place), id(element) in unslotted)
        is_hidden = hidden[element.parent] if paint is around else paint.is_hidden
        element.is_hidden = is_hidden or id(element) in mute
        hidden.append(is_hidden)
        paints.append(paint)


def _sheets(document: Document) -> Iterator[str]:
    for element in document.elements:
        if element.tag == "style":
            kind = (element.attributes.get("type") or "text/css").strip().lower()
            if kind == "text/css" and applies(element.attributes.get("media") or ""):
                yield "".join(child for child in element.children if isinstance(child, str))
        elif element.tag == "link" and "stylesheet" in (element.attributes.get("rel") or "").lower().split():
            yield data_text(element.attributes.get("href") or "")


def _paint(element: Element, around: _Paint, style: dict[str, str], is_unslotted: bool) -> _Paint:
    tag, attributes = element.tag, element.attributes
    if tag in _UNPAINTED and not ("shadowrootmode" in attributes and tag == "template"):
        return around._replace(is_removed=True)
    if is_unslotted or _is_closed(tag, attributes):
        display = style.get("display", "none")
        if is_unslotted or display == "none":
            return around._replace(is_removed=True)
    if not style and tag not in ("a", "font", "body", "table", "tr", "td", "th"):
        return around
    if tag not in ("html", "body") and is_removed(style):
        # A page that hides itself as a whole is shown by its script.
        return around._replace(is_removed=True)
    return _with_colours(element, around._replace(**_inherited(tag, style, around)), style)


def _is_closed(tag: str, attributes: dict[str, str | None]) -> bool:
    """Tell whether the element is shown only by a script or a click (HTML Standard, section 15.3.1)."""
    return "hidden" in attributes or "popover" in attributes or (tag == "dialog" and "open" not in attributes)


def _inherited(tag: str, style: dict[str, str], around: _Paint) -> dict[str, bool | float]:
    changes: dict[str, bool | float] = {}
    visibility = style.get("visibility")
    if visibility in ("hidden", "collapse", "visible") and tag not in ("html", "body"):
        changes["is_invisible"] = visibility != "visible"
    if "font-size" in style or "font" in style:
        changes["size"] = font_size(style, around.size)
    return changes


def _with_colours(element: Element, paint: _Paint, style: dict[str, str]) -> _Paint:
    attributes = element.attributes
    background = _background(style, attributes.get("bgcolor"))
    if background is not _UNCHANGED:
        paint = paint._replace(background=background)
    written = style.get("-webkit-text-fill-color") or style.get("color")
    if written is None and element.tag in ("font", "body"):
        written = attributes.get("color") or attributes.get("text")
    colour = parse_colour(written) if written else None
    if colour is not None:
        return paint._replace(colour=colour)
    # A link has a colour of its own unless a style sheet says otherwise.
    return paint._replace(colour=_LINK) if element.tag == "a" and "href" in attributes else paint


_UNCHANGED = Colour(-1, -1, -1, 0.0)


def _background(style: dict[str, str], attribute: str | None) -> Colour | None:
    """Return the colour behind the text, None for a picture, `_UNCHANGED` where what is around shows through."""
    image = style.get("background-image", "")
    value = style.get("background", "")
    if "(" in image or "url(" in value or "gradient(" in value:
        return None
    written = style.get("background-color") or value or attribute
    if not written:
        return _UNCHANGED
    colour = parse_colour(written)
    if colour is None:
        found = [parse_colour(part) for part in written.split()]
        colour = next((part for part in found if part is not None), None)
    return colour if colour is not None and colour.alpha >= 0.5 else _UNCHANGED


def _shadow_roots(elements: list[Element]) -> list[tuple[Element, set[str]]]:
    """Return the host of each declarative shadow root with the names of its slots; "" is the slot without a name."""
    return [
        (elements[template.parent], _slots(template))
        for template in elements
        if template.tag == "template" and "shadowrootmode" in template.attributes
    ]


def _left_out(host: Element, slots: set[str]) -> Iterator[Element]:
    """Yield the children of a host that no slot of its shadow root takes."""
    for child in host.children:
        if isinstance(child, Element) and child.tag != "template" and (child.attributes.get("slot") or "") not in slots:
            yield child


def _slots(template: Element) -> set[str]:
    slots: set[str] = set()
    rest = [template]
    while rest:
        element = rest.pop()
        if element.tag == "slot":
            slots.add(element.attributes.get("name") or "")
        rest += [child for child in element.children if isinstance(child, Element)]
    return slots
