"""`rfc-index.xml` of the RFC Editor, as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stook.datasets.formats.elements import XmlElement, read_elements
from stook.engine.errors import Malformed

__all__ = ["RfcAuthor", "RfcEntry", "RfcIndex", "SeriesEntry", "read_rfc_index"]

_NAMESPACES = ("https://www.rfc-editor.org/rfc-index", "http://www.rfc-editor.org/rfc-index")
_SERIES = ("bcp-entry", "fyi-entry", "std-entry")


@dataclass(frozen=True, slots=True)
class RfcAuthor:
    """A name as the index writes it; `title` is `Editor` or empty."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class RfcEntry:
    """One RFC; document numbers are as the index writes them, `RFC0001`, `BCP0014`."""

    docid: str
    title: str
    authors: tuple[RfcAuthor, ...]
    month: str
    year: str
    keywords: tuple[str, ...]
    abstract: tuple[str, ...]
    updates: tuple[str, ...]
    obsoleted_by: tuple[str, ...]
    is_also: tuple[str, ...]
    status: str
    stream: str
    group: str
    doi: str


@dataclass(frozen=True, slots=True)
class SeriesEntry:
    """One number of a sub-series, and the documents that it stands for."""

    docid: str
    is_also: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RfcIndex:
    """What the index lists, in its order; an entry without a number is in neither, and is counted."""

    rfcs: tuple[RfcEntry, ...]
    series: tuple[SeriesEntry, ...]
    nameless: int


def read_rfc_index(data: bytes) -> RfcIndex:
    """Read the whole index; raises Malformed."""
    root = read_elements(data, lambda parent, tag: True)
    prefix = root.tag.removesuffix("rfc-index")
    if root.tag != f"{prefix}rfc-index" or prefix.strip("{}") not in ("", *_NAMESPACES):
        raise Malformed(f"no RFC index: its root is {root.tag[:80]!r}")
    rfcs = tuple(_rfc(one, prefix) for one in root.children(f"{prefix}rfc-entry"))
    series = tuple(_series(one, prefix) for one in root.children(*(f"{prefix}{name}" for name in _SERIES)))
    nameless = [*(one.docid for one in rfcs), *(one.docid for one in series)].count("")
    return RfcIndex(tuple(one for one in rfcs if one.docid), tuple(one for one in series if one.docid), nameless)


def _rfc(entry: XmlElement, prefix: str) -> RfcEntry:
    date = entry.child(f"{prefix}date") or XmlElement("")
    authors = entry.children(f"{prefix}author")
    return RfcEntry(
        docid=entry.text_of(f"{prefix}doc-id"),
        title=entry.text_of(f"{prefix}title"),
        authors=tuple(RfcAuthor(one.text_of(f"{prefix}name"), one.text_of(f"{prefix}title")) for one in authors),
        month=date.text_of(f"{prefix}month"),
        year=date.text_of(f"{prefix}year"),
        keywords=_texts(entry, f"{prefix}keywords", f"{prefix}kw"),
        abstract=_texts(entry, f"{prefix}abstract", f"{prefix}p"),
        updates=_documents(entry, "updates", prefix),
        obsoleted_by=_documents(entry, "obsoleted-by", prefix),
        is_also=_documents(entry, "is-also", prefix),
        status=entry.text_of(f"{prefix}current-status"),
        stream=entry.text_of(f"{prefix}stream"),
        group=entry.text_of(f"{prefix}wg_acronym"),
        doi=entry.text_of(f"{prefix}doi"),
    )


def _series(entry: XmlElement, prefix: str) -> SeriesEntry:
    return SeriesEntry(entry.text_of(f"{prefix}doc-id"), _documents(entry, "is-also", prefix))


def _documents(entry: XmlElement, name: str, prefix: str) -> tuple[str, ...]:
    return _texts(entry, f"{prefix}{name}", f"{prefix}doc-id")


def _texts(entry: XmlElement, outer: str, inner: str) -> tuple[str, ...]:
    return tuple(_inner_texts(entry, outer, inner))


def _inner_texts(entry: XmlElement, outer: str, inner: str) -> Iterator[str]:
    for one in entry.children(outer):
        yield from (part.text for part in one.children(inner) if part.text)
