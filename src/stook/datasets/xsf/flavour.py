"""Every extension protocol (XEP) as a record."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict, dataclass

from stook.datasets.checkout import listed_files
from stook.datasets.flavour import CatalogueEntry, Crawl, IncompleteCrawl, Problem, ProblemKind, ask
from stook.datasets.formats.elements import read_elements
from stook.datasets.model.identifier import Identifier
from stook.datasets.xsf.header import read_header
from stook.datasets.xsf.identifier import identify_xep
from stook.datasets.xsf.record import xep_record
from stook.engine.errors import Malformed
from stook.engine.words import Reply, Request

__all__ = ["XsfFlavour"]

_FILE = re.compile(r"(?:.*/)?xep-[^/]*\.xml")
_NUMBER = re.compile(r"[0-9]{4}")
_ENTITIES = "xep.ent"
_TYPE = "xep.dtd"


@dataclass(frozen=True, slots=True)
class XsfFlavour:
    """A checkout holds `xep-….xml` beside `xep.ent`; the site lists its numbers in `xeplist.xml`."""

    name: str = "xsf"
    version: int = 1
    default_source: str = "https://xmpp.org/extensions/"
    required: tuple[str, ...] = ("title", "source", "docidentifier", "docnumber", "date", "contributor")

    def identify(self, docid: str) -> Identifier | None:
        """See `identify_xep`."""
        return identify_xep(docid)

    def family_of(self, name: str) -> str:
        """All are one family."""
        return ""

    def fetch(self, source: str) -> Crawl:
        """Read each header; entities come from the two files of the source and from nowhere else."""
        reply = yield Request(f"{source}{_ENTITIES}")
        if reply.status != 200:
            raise IncompleteCrawl(f"{_ENTITIES} cannot be had, so no author can be read: status {reply.status}")
        entities = {_ENTITIES: reply.body, _TYPE: b""}  # the type declares elements, and no entity
        for url in (yield from _documents(source)):
            reply_or_none = yield from ask(Request(url, accept="application/xml, text/xml"))
            if reply_or_none is not None:
                yield from _entries(url.removeprefix(source), reply_or_none, entities)


def _documents(source: str) -> Generator[Request, Reply, list[str]]:
    is_checkout = source.startswith("file:")
    request = Request(source if is_checkout else f"{source}xeplist.xml")
    reply = yield request
    if reply.status != 200:
        raise IncompleteCrawl(f"{request.url} answered with status {reply.status}")
    if is_checkout:
        return [f"{source}{path}" for path in listed_files(reply) if _FILE.fullmatch(path)]
    root = read_elements(reply.body, lambda parent, tag: True)
    numbers = sorted({one.text_of("number").zfill(4) for one in root.children("xep")})
    found = [number for number in numbers if _NUMBER.fullmatch(number)]
    if not found:
        raise IncompleteCrawl(f"{request.url} names no protocol")
    return [f"{source}xep-{number}.xml" for number in found]


def _entries(path: str, reply: Reply, entities: Mapping[str, bytes]) -> Iterator[CatalogueEntry | Problem]:
    try:
        header = read_header(reply.body, entities)
    except Malformed as error:
        yield Problem(ProblemKind.FAILED, path, error.reason)
        return
    if not _NUMBER.fullmatch(header.number):
        yield Problem(ProblemKind.SKIPPED, path, f"not a proposal: its number is {header.number[:40]!r}")
        return
    yield CatalogueEntry(f"XEP {header.number}", asdict(header), lambda: xep_record(header))
