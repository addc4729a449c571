"""Every RFC, and every number of a sub-series that stands for some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

from stook.datasets.flavour import CatalogueEntry, Crawl, IncompleteCrawl, Problem, ProblemKind
from stook.datasets.ietf.identifier import identify_rfc
from stook.datasets.ietf.record import rfc_record, series_record
from stook.datasets.ietf.rfc_index import RfcIndex, read_rfc_index
from stook.datasets.model.identifier import Identifier
from stook.engine.words import Request

__all__ = ["IetfFlavour"]

_INDEX = "rfc-index.xml"


@dataclass(frozen=True, slots=True)
class IetfFlavour:
    """One document, `rfc-index.xml`, lists everything; a checkout has it in its folder.

    Documents are named as the index names them: `RFC0001`, `BCP0014`.
    """

    name: str = "ietf"
    version: int = 1
    default_source: str = "https://www.rfc-editor.org/"
    required: tuple[str, ...] = ("title", "source", "docidentifier", "docnumber", "date")

    def identify(self, docid: str) -> Identifier | None:
        """See `identify_rfc`."""
        return identify_rfc(docid)

    def family_of(self, name: str) -> str:
        """RFCs and each sub-series are guarded apart."""
        return name[:3]

    def fetch(self, source: str) -> Crawl:
        """Read the index; raises Malformed if it is broken, for then nothing is known."""
        reply = yield Request(f"{source}{_INDEX}", accept="application/xml, text/xml", timeout=300.0)
        if reply.status != 200:
            raise IncompleteCrawl(f"{_INDEX} answered with status {reply.status}")
        index = read_rfc_index(reply.body)
        if index.nameless:
            yield Problem(ProblemKind.FAILED, _INDEX, f"{index.nameless} entries have no number")
        for rfc in index.rfcs:
            yield CatalogueEntry(rfc.docid, asdict(rfc), partial(rfc_record, rfc))
        yield from _series(index)


def _series(index: RfcIndex) -> Iterator[CatalogueEntry | Problem]:
    rfcs = {rfc.docid: rfc for rfc in index.rfcs}
    for entry in index.series:
        if not entry.is_also:
            continue  # a number that is not in use
        parts = [rfcs[docid] for docid in entry.is_also if docid in rfcs]
        if len(parts) < len(entry.is_also):
            missing = ", ".join(docid for docid in entry.is_also if docid not in rfcs)
            yield Problem(ProblemKind.WARNING, entry.docid, f"the index has no entry of {missing}")
        yield CatalogueEntry(
            entry.docid, [entry.docid, [asdict(part) for part in parts]], partial(series_record, entry, parts)
        )
