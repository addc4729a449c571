"""The bibliographic records of RFCs and of the numbers of their sub-series."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from stook.datasets.ietf.contributors import contributors_of
from stook.datasets.ietf.identifier import identify_rfc, spaced
from stook.datasets.ietf.rfc_index import RfcEntry, SeriesEntry
from stook.datasets.model.bibitem import (
    SCHEMA_VERSION,
    Bibitem,
    DocumentDate,
    DocumentIdentifier,
    DocumentType,
    Extension,
    Keyword,
    LocalizedText,
    Relation,
    Series,
    SourceLink,
    Stage,
    Status,
    item_id,
)
from stook.datasets.model.dates import parse_date
from stook.engine.errors import Malformed

__all__ = ["rfc_record", "series_record"]

_TITLES = {
    "BCP": "Best Current Practice",
    "FYI": "For Your Information",
    "STD": "Internet Standard technical specification",
}


def rfc_record(rfc: RfcEntry) -> Bibitem:
    """Identifier `RFC 1`, document number `RFC0001`."""
    docid = spaced(rfc.docid)
    identifiers = [DocumentIdentifier(docid, "IETF", primary=True)]
    if rfc.doi:
        identifiers.append(DocumentIdentifier(rfc.doi, "DOI"))
    return Bibitem(
        id=item_id(docid),
        schema_version=SCHEMA_VERSION,
        type="standard",
        title=(LocalizedText(type="main", content=rfc.title),) if rfc.title else (),
        source=_page(docid),
        docidentifier=tuple(identifiers),
        docnumber=rfc.docid,
        date=_date(rfc),
        contributor=contributors_of(rfc),
        language=("en",),
        script=("Latn",),
        abstract=_abstract(rfc),
        status=Status(Stage(rfc.status)) if rfc.status else None,
        relation=(*_relations("updates", rfc.updates), *_relations("obsoletedBy", rfc.obsoleted_by)),
        series=_series(rfc),
        keyword=tuple(Keyword(LocalizedText(content=one)) for one in rfc.keywords),
        ext=Extension(doctype=DocumentType("rfc"), flavor="ietf", stream=rfc.stream),
    )


def series_record(entry: SeriesEntry, parts: Sequence[RfcEntry]) -> Bibitem:
    """A number of a sub-series includes the whole record of each of its RFCs, and has the date of the newest.

    Raises Malformed for an identifier of another series.
    """
    identifier = identify_rfc(entry.docid)
    if identifier is None or identifier.publisher not in _TITLES:
        raise Malformed(f"{entry.docid[:80]!r} is no number of BCP, FYI or STD")
    docid = spaced(entry.docid)
    records = [rfc_record(part) for part in parts]
    newest = max(records, key=lambda record: [date.at for date in record.date], default=Bibitem())
    return Bibitem(
        id=item_id(docid),
        schema_version=SCHEMA_VERSION,
        type="standard",
        title=(LocalizedText(type="main", content=f"{_TITLES[identifier.publisher]} {identifier.number}"),),
        source=_page(docid),
        docidentifier=(DocumentIdentifier(docid, "IETF", primary=True),),
        docnumber=entry.docid,
        date=newest.date,
        language=("en",),
        script=("Latn",),
        relation=tuple(Relation("includes", record) for record in records),
        ext=Extension(doctype=DocumentType("rfc"), flavor="ietf"),
    )


def _page(docid: str) -> tuple[SourceLink, ...]:
    return (SourceLink("src", f"https://www.rfc-editor.org/info/{docid.lower().replace(' ', '')}"),)


def _date(rfc: RfcEntry) -> tuple[DocumentDate, ...]:
    found = parse_date(f"{rfc.month} {rfc.year}".strip())
    return (DocumentDate("published", str(found)),) if found else ()


def _abstract(rfc: RfcEntry) -> tuple[LocalizedText, ...]:
    content = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in rfc.abstract)
    return (LocalizedText(language="en", script="Latn", content=content),) if content else ()


def _relations(kind: str, docids: Sequence[str]) -> list[Relation]:
    return [
        Relation(
            kind,
            Bibitem(
                formattedref=LocalizedText(content=docid),
                docidentifier=(DocumentIdentifier(docid, "IETF", primary=True),),
            ),
        )
        for docid in docids
    ]


def _series(rfc: RfcEntry) -> tuple[Series, ...]:
    found = [identifier for docid in (*rfc.is_also, rfc.docid) if (identifier := identify_rfc(docid))]
    numbers = [Series(title=(LocalizedText(content=one.publisher),), number=one.number) for one in found]
    stream = [Series("stream", (LocalizedText(content=rfc.stream),))] if rfc.stream else []
    return (*numbers, *stream)
