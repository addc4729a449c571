"""Visibility: marks the elements whose text a browser does not paint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stook.web.extract.html import Document, Element
from stook.web.extract.links import data_text
from stook.web.extract.style.cascade import winning_styles
from stook.web.extract.style.colour import WHITE, Colour, parse_colour
from stook.web.extract.style.length import font_size
from stook.web.extract.style.media import applies
from stook.web.extract.style.removal import is_removed

__all__ = ["mark_hidden"]

# Never painted, or painted only where something is not supported. Scripts run in the browsers that we go by.
_UNPAINTED = frozenset(
    "head title style script template noscript noembed noframes iframe object applet video audio canvas datalist "
    "rp meter progress desc metadata annotation annotation-xml".split()
)
_SMALL = 2.0  # pixels: text of this size and below cannot be read
_FAINT = 0.1  # opacity
_LINK = Colour(0, 0, 238)


class _Paint(NamedTuple):
    """What an element hands on to its children, and whether its own text is hidden by it."""

    is_removed: bool = False
    is_invisible: bool = False
    size: float = 16.0  # pixels
    colour: Colour = Colour(0, 0, 0)
    background: Colour | None = WHITE  # None: a picture, so any colour may be seen
    is_hidden: bool = False

    def judged(self) -> _Paint:
        """Return the same with `is_hidden` as the other fields ask for."""
        is_hidden = self.is_invisible or self.size <= _SMALL or self._is_drowned()
        return self if is_hidden == self.is_hidden else self._replace(is_hidden=is_hidden)

    def _is_drowned(self) -> bool:
        if self.background is None:
            return False
        return self.colour.alpha < _FAINT or self.colour.is_like(self.background)


_REMOVED = _Paint(is_removed=True, is_hidden=True)
_NO_STYLE: dict[str, str] = {}
_COLOURED = frozenset(("font", "body", "table", "tr", "td", "th"))  # by attributes
_NOTABLE = _UNPAINTED | _COLOURED | {"dialog"}


def mark_hidden(document: Document) -> None:
    """Set `is_hidden` on every element by its attributes, its inline style and the style sheets in the page."""
    elements, ends = document.elements, document.ends
    styles = winning_styles(_sheets(document), document)
    unslotted, mute = _shadowed(document)
    paints = {0: _Paint()}  # of the places where it changes
    hidden = bytearray(len(elements))
    links = document.places.get("a", ()) if any("color" in style for style in styles.values()) else ()
    for place in sorted({*styles, *unslotted, *links, *_notable(document)}):
        element = elements[place]
        around = _around(place, elements, paints)
        if around.is_removed:
            continue
        paint = _REMOVED if place in unslotted else _paint(element, around, styles.get(place, _NO_STYLE))
        if paint is not around:
            paints[place] = paint
            element.is_removed = paint.is_removed
            hidden[place : ends[place]] = (b"\1" if paint.is_hidden else b"\0") * (ends[place] - place)
    for place in mute:
        hidden[place] = 1
    place = hidden.find(1)
    while place >= 0:
        elements[place].is_hidden = True
        place = hidden.find(1, place + 1)


def _around(place: int, elements: list[Element], paints: dict[int, _Paint]) -> _Paint:
    """Return what the nearest element around hands on."""
    place = elements[place].parent
    while place not in paints:
        place = elements[place].parent
    return paints[place]


def _notable(document: Document) -> Iterator[int]:
    """Yield the places of elements that are looked at even without a style."""
    for tag in _NOTABLE & document.places.keys():
        yield from document.places[tag]
    for place, element in enumerate(document.elements):
        if element.attributes and ("hidden" in element.attributes or "popover" in element.attributes):
            yield place


def _sheets(document: Document) -> Iterator[str]:
    for style in document.all("style"):
        kind = (style.get("type") or "text/css").strip().lower()
        if kind == "text/css" and applies(style.get("media")):
            yield style.own_text()
    for link in document.all("link"):
        if link.get("href")[:5].lower() == "data:" and "stylesheet" in link.get("rel").lower().split():
            yield data_text(link.get("href"))


def _paint(element: Element, around: _Paint, style: dict[str, str]) -> _Paint:
    tag, attributes = element.tag, element.attributes
    if tag in _UNPAINTED and not ("shadowrootmode" in attributes and tag == "template"):
        return _REMOVED
    if _is_closed(tag, attributes) and style.get("display", "none") == "none":
        return _REMOVED
    if not style and tag not in _COLOURED and tag != "a":
        return around
    is_page = tag in ("html", "body")  # a page that hides itself as a whole is shown by its script
    if style and not is_page and is_removed(style):
        return _REMOVED
    paint = around
    if style.get("visibility") in ("hidden", "collapse", "visible") and not is_page:
        paint = paint._replace(is_invisible=style["visibility"] != "visible")
    if "font-size" in style or "font" in style:
        paint = paint._replace(size=font_size(style, around.size))
    return _with_colours(element, paint, style).judged()


def _is_closed(tag: str, attributes: dict[str, str | None]) -> bool:
    """Tell whether the element is shown only by a script or a click (HTML Standard, section 15.3.1)."""
    return "hidden" in attributes or "popover" in attributes or (tag == "dialog" and "open" not in attributes)


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


def _shadowed(document: Document) -> tuple[set[int], set[int]]:
    """Return the places of children that a shadow root has no slot for, and of hosts whose own text has none."""
    unslotted, mute = set(), set()
    for template in document.all("template"):
        if "shadowrootmode" not in template.attributes:
            continue
        host, slots = template.parent, _slots(template)
        if "" not in slots:
            mute.add(host)
        place = host + 1
        while place < document.ends[host]:
            child = document.elements[place]
            if child.tag != "template" and child.get("slot") not in slots:
                unslotted.add(place)
            place = document.ends[place]
    return unslotted, mute


def _slots(template: Element) -> set[str]:
    slots: set[str] = set()
    rest = [template]
    while rest:
        element = rest.pop()
        if element.tag == "slot":
            slots.add(element.get("name"))
        rest += [child for child in element.children if isinstance(child, Element)]
    return slots
