"""The tree that all readings of a page share: plain values in document order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

__all__ = ["Document", "Element"]


class Element(msgspec.Struct, eq=False, gc=False):
    """An element. Its name is in small letters; an attribute without a value is None; a template holds its content.

    `parent` is the place of the parent in `Document.elements`, -1 for the root. The visibility pass sets `is_hidden`,
    which says that the element's own text is not painted, but a child's may be, and `is_removed` on the outermost
    element of a part that leaves no trace on the page. There are no cycles, and thousands of elements, so the garbage
    collector is told to leave them alone.
    """

    tag: str
    attributes: dict[str, str | None]
    parent: int
    children: list[Element | str]
    is_hidden: bool = False
    is_removed: bool = False

    def get(self, name: str) -> str:
        """Return the value of an attribute, "" if it has none or is not there."""
        return self.attributes.get(name) or ""

    def own_text(self) -> str:
        """Return the text that stands directly in the element."""
        return "".join(child for child in self.children if isinstance(child, str))


@dataclass(slots=True, frozen=True)
class Document:
    """A parsed page, in document order.

    `elements` holds every element before its descendants. For each, `ends` has the place after the last of them, and
    `blocks` the place of the block that its text runs in. `texts` holds all texts with the place of the element that
    each stands in; a line break is the text "\\n". `places` finds elements by tag.
    """

    elements: list[Element]
    ends: list[int]
    blocks: list[int]
    texts: list[tuple[int, str]]
    comments: list[str]
    places: dict[str, list[int]]
    doctype: str

    @property
    def root(self) -> Element:
        return self.elements[0]

    def all(self, *tags: str) -> Iterator[Element]:
        """Yield the elements with one of these tags, tag by tag, each in document order."""
        for tag in tags:
            for place in self.places.get(tag, ()):
                yield self.elements[place]
