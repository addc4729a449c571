"""Who contributed to an RFC."""

from __future__ import annotations

import re

from stook.datasets.ietf.rfc_index import RfcAuthor, RfcEntry
from stook.datasets.model.bibitem import (
    Contributor,
    LocalizedText,
    Organization,
    Person,
    PersonName,
    Role,
    Subdivision,
)

__all__ = ["contributors_of"]

_INITIALS = re.compile(r"((?:[^\W\d_][\w-]?\.[\s-]*)+)(\S.*)")
_NO_GROUP = frozenset({"", "NON WORKING GROUP"})
_STREAMS = {
    "IETF": "Internet Engineering Task Force",
    "IAB": "Internet Architecture Board",
    "IRTF": "Internet Research Task Force",
}


def contributors_of(rfc: RfcEntry) -> tuple[Contributor, ...]:
    """The authors, the publisher, the series that authorizes it, and the working group where there was one."""
    authors = [_author(one) for one in rfc.authors if one.name]
    return (*authors, _body("publisher", "RFC Publisher"), _body("authorizer", "RFC Series"), *_groups(rfc))


def _author(author: RfcAuthor) -> Contributor:
    """A name with initials is a person's, any other an organization's."""
    role = Role(author.title.lower() or "author")
    match = _INITIALS.fullmatch(author.name)
    if match is None:
        return Contributor((role,), organization=Organization((LocalizedText(language="en", content=author.name),)))
    initials = match[1].strip()
    name = PersonName(formatted_initials=_text(initials), surname=_text(match[2]), completename=_text(author.name))
    return Contributor((role,), person=Person(name=name))


def _body(role: str, name: str) -> Contributor:
    return Contributor((Role(role),), organization=Organization((LocalizedText(language="en", content=name),)))


def _groups(rfc: RfcEntry) -> list[Contributor]:
    if rfc.group.upper() in _NO_GROUP:
        return []
    role = Role("author", (LocalizedText(content="committee"),))
    group = Subdivision(
        name=(LocalizedText(content=rfc.group),), identifier=(LocalizedText(content=rfc.group),), type="workgroup"
    )
    stream = rfc.stream if rfc.stream in _STREAMS else "IETF"
    organization = Organization(
        name=(LocalizedText(language="en", content=_STREAMS[stream]),),
        subdivision=(group,),
        abbreviation=LocalizedText(language="en", content=stream),
    )
    return [Contributor((role,), organization=organization)]


def _text(content: str) -> LocalizedText:
    return LocalizedText(language="en", script="Latn", content=content)
