"""A bibliographic item, with the field names of Relaton's schema so that its consumers read our files."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stook.engine.errors import Malformed

__all__ = [
    "SCHEMA_VERSION",
    "Bibitem",
    "Contributor",
    "DocumentDate",
    "DocumentIdentifier",
    "DocumentType",
    "Extension",
    "Keyword",
    "LocalizedText",
    "Organization",
    "Person",
    "PersonName",
    "Relation",
    "Role",
    "Series",
    "SourceLink",
    "Stage",
    "Status",
    "Subdivision",
    "item_from",
    "item_id",
    "to_fields",
]

SCHEMA_VERSION = "v1.5.6"


class LocalizedText(msgspec.Struct, frozen=True, omit_defaults=True):
    """Text, with its language and script where they are known."""

    type: str = ""
    language: str = ""
    script: str = ""
    content: str = ""


class SourceLink(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the document is to be had; `src` is its own page."""

    type: str = ""
    content: str = ""


class DocumentIdentifier(msgspec.Struct, frozen=True, omit_defaults=True):
    """One name of the document and the scheme it belongs to."""

    content: str
    type: str = ""
    primary: bool = False


class DocumentDate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A date in the document's life, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`."""

    type: str = ""
    at: str = ""


class Role(msgspec.Struct, frozen=True, omit_defaults=True):
    """The part that a contributor had: publisher, author, editor, authorizer."""

    type: str = ""
    description: tuple[LocalizedText, ...] = ()


class Subdivision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of an organization, such as a working group."""

    name: tuple[LocalizedText, ...] = ()
    identifier: tuple[LocalizedText, ...] = ()
    type: str = ""


class Organization(msgspec.Struct, frozen=True, omit_defaults=True):
    """A body that contributes."""

    name: tuple[LocalizedText, ...] = ()
    subdivision: tuple[Subdivision, ...] = ()
    abbreviation: LocalizedText | None = None


class PersonName(msgspec.Struct, frozen=True, omit_defaults=True):
    """A name; `completename` is as the source writes it."""

    forename: tuple[LocalizedText, ...] = ()
    formatted_initials: LocalizedText | None = None
    surname: LocalizedText | None = None
    completename: LocalizedText | None = None


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person who contributes."""

    email: tuple[str, ...] = ()
    name: PersonName = PersonName()


class Contributor(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person or an organization, and its part."""

    role: tuple[Role, ...] = ()
    person: Person | None = None
    organization: Organization | None = None


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step in the document's life."""

    content: str = ""


class Status(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far the document has come."""

    stage: Stage = Stage()


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """A series that the document belongs to, and its number there."""

    type: str = ""
    title: tuple[LocalizedText, ...] = ()
    number: str = ""


class Keyword(msgspec.Struct, frozen=True, omit_defaults=True):
    """A term that the document is found by."""

    vocab: LocalizedText = LocalizedText()


class DocumentType(msgspec.Struct, frozen=True, omit_defaults=True):
    """The kind of document within its flavour."""

    content: str = ""


class Extension(msgspec.Struct, frozen=True, omit_defaults=True):
    """Facts that only this flavour has."""

    schema_version: str = ""
    doctype: DocumentType | None = None
    flavor: str = ""
    stream: str = ""


class Relation(msgspec.Struct, frozen=True, omit_defaults=True):
    """How another document relates to this one: `updates`, `obsoletedBy`, `includes`."""

    type: str
    bibitem: Bibitem


class Bibitem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One document of a catalogue. Empty fields are left out of every format."""

    id: str = ""
    schema_version: str = ""
    type: str = ""
    title: tuple[LocalizedText, ...] = ()
    source: tuple[SourceLink, ...] = ()
    docidentifier: tuple[DocumentIdentifier, ...] = ()
    docnumber: str = ""
    date: tuple[DocumentDate, ...] = ()
    contributor: tuple[Contributor, ...] = ()
    language: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    abstract: tuple[LocalizedText, ...] = ()
    status: Status | None = None
    formattedref: LocalizedText | None = None
    relation: tuple[Relation, ...] = ()
    series: tuple[Series, ...] = ()
    keyword: tuple[Keyword, ...] = ()
    ext: Extension | None = None

    @property
    def primary(self) -> str:
        """The primary identifier, else the first one, else empty."""
        chosen = [one for one in self.docidentifier if one.primary] or self.docidentifier
        return chosen[0].content if chosen else ""


def item_id(docid: str) -> str:
    """The `id` of an item: its identifier without everything but ASCII letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9_]+", "", docid)


def to_fields(item: Bibitem) -> dict[str, Any]:
    """The item as maps, lists and scalars, in the order of the schema."""
    fields: dict[str, Any] = msgspec.to_builtins(item)
    return fields


def item_from(fields: object) -> Bibitem:
    """The item that these maps and lists hold; unknown fields are passed over. Raises Malformed with the place."""
    try:
        return msgspec.convert(fields, Bibitem)
    except msgspec.ValidationError as error:
        raise Malformed(f"no bibliographic item: {error}") from None
