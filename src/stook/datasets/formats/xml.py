"""A record as Relaton's XML: the element `bibdata`."""

from __future__ import annotations

from stook.datasets.formats.markup import XmlWriter
from stook.datasets.model.bibitem import Bibitem, Contributor, LocalizedText, Organization, Person

__all__ = ["render_xml", "write_item"]


def render_xml(item: Bibitem) -> str:
    """The document, its elements in the order of the Relaton grammar."""
    writer = XmlWriter()
    write_item(writer, "bibdata", item)
    return writer.document()


def write_item(writer: XmlWriter, name: str, item: Bibitem) -> None:
    """The item as an element of that name, within what is open."""
    writer.open(name, id=item.id, type=item.type, schema_version=item.schema_version)
    if item.formattedref:
        _text(writer, "formattedref", item.formattedref)
    for title in item.title:
        _text(writer, "title", title)
    for source in item.source:
        writer.leaf("uri", source.content, type=source.type)
    for one in item.docidentifier:
        writer.leaf("docidentifier", one.content, type=one.type, primary="true" if one.primary else "")
    writer.leaf("docnumber", item.docnumber)
    for date in item.date:
        writer.open("date", type=date.type)
        writer.leaf("on", date.at)
        writer.close()
    for contributor in item.contributor:
        _contributor(writer, contributor)
    _rest(writer, item)
    writer.close()


def _rest(writer: XmlWriter, item: Bibitem) -> None:
    for language in item.language:
        writer.leaf("language", language)
    for script in item.script:
        writer.leaf("script", script)
    for abstract in item.abstract:
        _text(writer, "abstract", abstract)
    if item.status:
        writer.open("status")
        writer.leaf("stage", item.status.stage.content)
        writer.close()
    for relation in item.relation:
        writer.open("relation", type=relation.type)
        write_item(writer, "bibitem", relation.bibitem)
        writer.close()
    for series in item.series:
        writer.open("series", type=series.type)
        for title in series.title:
            _text(writer, "title", title)
        writer.leaf("number", series.number)
        writer.close()
    for keyword in item.keyword:
        writer.open("keyword")
        _text(writer, "vocab", keyword.vocab)
        writer.close()
    _extension(writer, item)


def _extension(writer: XmlWriter, item: Bibitem) -> None:
    if item.ext is None:
        return
    writer.open("ext", schema_version=item.ext.schema_version)
    if item.ext.doctype:
        writer.leaf("doctype", item.ext.doctype.content)
    writer.leaf("flavor", item.ext.flavor)
    writer.leaf("stream", item.ext.stream)
    writer.close()


def _text(writer: XmlWriter, name: str, text: LocalizedText) -> None:
    writer.leaf(name, text.content, type=text.type, language=text.language, script=text.script)


def _contributor(writer: XmlWriter, contributor: Contributor) -> None:
    writer.open("contributor")
    for role in contributor.role:
        if role.description:
            writer.open("role", type=role.type)
            for description in role.description:
                _text(writer, "description", description)
            writer.close()
        else:
            writer.empty("role", type=role.type)
    if contributor.person:
        _person(writer, contributor.person)
    if contributor.organization:
        _organization(writer, contributor.organization)
    writer.close()


def _person(writer: XmlWriter, person: Person) -> None:
    writer.open("person")
    writer.open("name")
    for forename in person.name.forename:
        _text(writer, "forename", forename)
    for name, part in (
        ("formatted-initials", person.name.formatted_initials),
        ("surname", person.name.surname),
        ("completename", person.name.completename),
    ):
        if part:
            _text(writer, name, part)
    writer.close()
    for email in person.email:
        writer.leaf("email", email)
    writer.close()


def _organization(writer: XmlWriter, organization: Organization) -> None:
    writer.open("organization")
    for name in organization.name:
        _text(writer, "name", name)
    for part in organization.subdivision:
        writer.open("subdivision", type=part.type)
        for name in part.name:
            _text(writer, "name", name)
        for identifier in part.identifier:
            writer.leaf("identifier", identifier.content)
        writer.close()
    if organization.abbreviation:
        _text(writer, "abbreviation", organization.abbreviation)
    writer.close()
