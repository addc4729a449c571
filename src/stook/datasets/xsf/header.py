"""The header of one extension protocol (XEP)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stook.datasets.formats.elements import XmlElement, read_elements
from stook.engine.errors import Malformed

__all__ = ["XepAuthor", "XepHeader", "read_header"]


@dataclass(frozen=True, slots=True)
class XepAuthor:
    """An author as the header writes the name."""

    firstname: str
    surname: str
    email: str


@dataclass(frozen=True, slots=True)
class XepHeader:
    """`date` is that of the first revision in the file, which is the newest."""

    number: str
    title: str
    date: str
    authors: tuple[XepAuthor, ...]


def read_header(data: bytes, entities: Mapping[str, bytes]) -> XepHeader:
    """Read the header; authors and more are entities of `xep.ent`. Raises Malformed."""
    root = read_elements(data, _is_wanted, entities)
    header = root.child("header")
    if root.tag != "xep" or header is None:
        raise Malformed("no XEP: there is no header")
    revision = header.child("revision")
    return XepHeader(
        number=header.text_of("number"),
        title=header.text_of("title"),
        date=revision.text_of("date") if revision is not None else "",
        authors=tuple(map(_author, header.children("author"))),
    )


def _is_wanted(parent: XmlElement, tag: str) -> bool:
    return parent.tag != "xep" or tag == "header"


def _author(element: XmlElement) -> XepAuthor:
    return XepAuthor(element.text_of("firstname"), element.text_of("surname"), element.text_of("email"))
