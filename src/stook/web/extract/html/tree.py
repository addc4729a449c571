"""The tree that all readings of a page share: plain values in document order."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Comment", "Document", "Element"]


@dataclass(slots=True, eq=False)
class Element:
    """An element. Its name is in small letters; an attribute without a value is None; a template holds its content.

    `parent` is the place of the parent in `Document.elements`, -1 for the root. `is_hidden` is set by the visibility
    pass: the element's own text is not painted (a child may still be).
    """

    tag: str
    attributes: dict[str, str | None]
    parent: int
    children: list[Node] = field(default_factory=list)
    is_hidden: bool = False


@dataclass(slots=True, frozen=True)
class Comment:
    """A comment, a processing instruction or a CDATA section outside of foreign content."""

    text: str


Node = Element | Comment | str


@dataclass(slots=True, frozen=True)
class Document:
    """A parsed page.

    `elements` holds every element before its descendants. `nodes` holds all nodes in document order, each with the
    place of its parent in `elements`; an element's own place is its rank among the elements.
    """

    root: Element
    elements: list[Element]
    nodes: list[tuple[int, Node]]
    doctype: str
