"""Every registry of IANA, and every registry directly within one, as a record."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial

from stook.datasets.checkout import listed_files
from stook.datasets.flavour import CatalogueEntry, Crawl, IncompleteCrawl, Problem, ProblemKind, ask
from stook.datasets.iana.identifier import identify_registry
from stook.datasets.iana.record import registry_record
from stook.datasets.iana.registries import read_registries
from stook.datasets.model.identifier import Identifier
from stook.engine.errors import Malformed
from stook.engine.words import Reply, Request

__all__ = ["IanaFlavour"]

_LINK = re.compile(r'href="(?:https?://www\.iana\.org)?/assignments/([A-Za-z0-9_.+-]+)[/"#]')


@dataclass(frozen=True, slots=True)
class IanaFlavour:
    """A checkout holds the XML files in any folders; the site lists its registries on a page.

    A document is named by the registry's id, a child by both ids with a slash between.
    """

    name: str = "iana"
    version: int = 1
    default_source: str = "https://www.iana.org/"
    required: tuple[str, ...] = ("title", "source", "docidentifier", "docnumber", "date")

    def identify(self, docid: str) -> Identifier | None:
        """See `identify_registry`."""
        return identify_registry(docid)

    def family_of(self, name: str) -> str:
        """All are one family."""
        return ""

    def fetch(self, source: str) -> Crawl:
        """Read each XML file; one that is no registry is passed over, one that is broken is a failure."""
        for url in (yield from _documents(source)):
            reply = yield from ask(Request(url, accept="application/xml, text/xml"))
            if reply is not None:
                yield from _entries(url.removeprefix(source), reply)


def _documents(source: str) -> Generator[Request, Reply, list[str]]:
    """The addresses of the XML files."""
    is_checkout = source.startswith("file:")
    request = Request(source if is_checkout else f"{source}protocols", accept="*/*" if is_checkout else "text/html")
    reply = yield request
    if reply.status != 200:
        raise IncompleteCrawl(f"{request.url} answered with status {reply.status}")
    if is_checkout:
        return [f"{source}{path}" for path in listed_files(reply) if path.endswith(".xml")]
    names = sorted(set(_LINK.findall(reply.body.decode(errors="replace"))))
    if not names:
        raise IncompleteCrawl(f"{request.url} names no registry")
    return [f"{source}assignments/{name}/{name}.xml" for name in names]


def _entries(path: str, reply: Reply) -> Iterator[CatalogueEntry | Problem]:
    try:
        registries = read_registries(reply.body)
    except Malformed as error:
        kind = ProblemKind.FAILED if b"<registry" in reply.body else ProblemKind.SKIPPED
        yield Problem(kind, path, error.reason)
        return
    if registries is None:
        yield Problem(ProblemKind.SKIPPED, path, "its root is not a registry")
        return
    for registry in registries:
        if not registry.id:
            yield Problem(ProblemKind.FAILED, path, f"a registry without an id: {registry.title[:80]!r}")
            continue
        content = [registry.root, registry.title, [[date.type, date.at] for date in registry.dates]]
        yield CatalogueEntry(registry.docnumber, content, partial(registry_record, registry))
