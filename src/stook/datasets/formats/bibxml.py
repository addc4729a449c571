"""A record as a `reference` of RFC XML (RFC 7991, section 2.40), which bibliographies of Internet-Drafts include."""

from __future__ import annotations

import calendar
import re

from stook.datasets.formats.markup import XmlWriter
from stook.datasets.model.bibitem import Bibitem, Contributor, Organization, Person

__all__ = ["render_bibxml"]

_AUTHORS = frozenset({"author", "editor"})


def render_bibxml(item: Bibitem) -> str:
    """The document; a record without an author is its publisher's."""
    writer = XmlWriter()
    target = next((one.content for one in item.source if one.type == "src"), "")
    writer.open("reference", anchor=_anchor(item), target=target)
    writer.open("front")
    writer.leaf("title", item.title[0].content if item.title else item.primary)
    for contributor in _authors(item):
        _author(writer, contributor)
    _date(writer, item)
    for abstract in item.abstract:
        writer.open("abstract")
        for paragraph in _paragraphs(abstract.content):
            writer.leaf("t", paragraph)
        writer.close()
    writer.close()
    for one in item.docidentifier:
        name, _, value = one.content.partition(" ")
        writer.empty("seriesInfo", name=one.type if one.type == "DOI" or not value else name, value=value or name)
    writer.close()
    return writer.document()


def _anchor(item: Bibitem) -> str:
    """An XML name: what it may not hold becomes a dot, and it begins with a letter."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", ".", item.primary or item.id)
    return name if re.match("[A-Za-z_]", name) else f"_{name}"


def _authors(item: Bibitem) -> list[Contributor]:
    authors = [one for one in item.contributor if any(role.type in _AUTHORS for role in one.role)]
    people = [one for one in authors if one.person]
    return people or authors or [one for one in item.contributor if any(r.type == "publisher" for r in one.role)]


def _author(writer: XmlWriter, contributor: Contributor) -> None:
    role = "editor" if any(role.type == "editor" for role in contributor.role) else ""
    if contributor.person:
        _person(writer, contributor.person, role)
    elif contributor.organization:
        writer.open("author", role=role)
        _organization(writer, contributor.organization)
        writer.close()


def _person(writer: XmlWriter, person: Person, role: str) -> None:
    name = person.name
    full = name.completename.content if name.completename else ""
    initials = name.formatted_initials.content if name.formatted_initials else ""
    surname = name.surname.content if name.surname else ""
    writer.empty("author", fullname=full, initials=initials, surname=surname, role=role)


def _organization(writer: XmlWriter, organization: Organization) -> None:
    short = organization.abbreviation.content if organization.abbreviation else ""
    writer.leaf("organization", organization.name[0].content if organization.name else short, abbrev=short)


def _date(writer: XmlWriter, item: Bibitem) -> None:
    """The date of publication, else the newest; an empty element where there is none, as the grammar wants it."""
    dates = [one.at for one in item.date if one.type == "published"] or sorted(one.at for one in item.date)
    year, month, day, *_ = [*(dates[-1] if dates else "").split("-"), "", "", ""]
    is_month = month.isdecimal() and 1 <= int(month) <= 12
    writer.empty("date", year=year, month=calendar.month_name[int(month)] if is_month else "", day=day.lstrip("0"))


def _paragraphs(content: str) -> list[str]:
    return [text for part in re.split(r"</?p>", content) if (text := part.strip())]
