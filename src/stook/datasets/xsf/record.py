"""The bibliographic record of one extension protocol."""

from __future__ import annotations

from stook.datasets.model.bibitem import (
    SCHEMA_VERSION,
    Bibitem,
    Contributor,
    DocumentDate,
    DocumentIdentifier,
    DocumentType,
    Extension,
    LocalizedText,
    Person,
    PersonName,
    Role,
    Series,
    SourceLink,
    item_id,
)
from stook.datasets.xsf.header import XepAuthor, XepHeader

__all__ = ["xep_record"]


def xep_record(header: XepHeader) -> Bibitem:
    """Identifier `XEP 0001`, document number `XEP-0001`, in the series `XSF XEP`."""
    docid = f"XEP {header.number}"
    page = f"http://xmpp.org/extensions/xep-{header.number}.html"
    return Bibitem(
        id=item_id(docid),
        schema_version=SCHEMA_VERSION,
        type="standard",
        title=(LocalizedText(language="en", script="Latn", content=header.title),) if header.title else (),
        source=(SourceLink("src", page), SourceLink("HTML", page)),
        docidentifier=(DocumentIdentifier(docid, "XEP", primary=True),),
        docnumber=f"XEP-{header.number}",
        date=(DocumentDate("published", header.date),) if header.date else (),
        contributor=tuple(map(_contributor, header.authors)),
        language=("en",),
        script=("Latn",),
        series=(
            Series("main", (LocalizedText(language="en", script="Latn", content="XSF XEP"),), number=header.number),
        ),
        ext=Extension(doctype=DocumentType("rfc"), flavor="xsf"),
    )


def _contributor(author: XepAuthor) -> Contributor:
    initial = author.firstname[:1].upper()
    name = PersonName(
        forename=(_text(author.firstname),) if author.firstname else (),
        formatted_initials=_text(f"{initial}.") if initial else None,
        surname=_text(author.surname) if author.surname else None,
        completename=_text(f"{author.firstname} {author.surname}"),  # the blank stays where a part is empty
    )
    return Contributor((Role("author"),), person=Person((author.email,) if author.email else (), name))


def _text(content: str) -> LocalizedText:
    return LocalizedText(language="en", content=content)
