"""A flavour: one body's catalogue, read by a generator that asks for documents and gives entries."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from stook.datasets.model.bibitem import Bibitem
from stook.datasets.model.identifier import Identifier
from stook.engine.errors import LaneClosed, StookError
from stook.engine.words import Reply, Request

TOO_MANY_REQUESTS = 429

__all__ = ["CatalogueEntry", "Crawl", "Flavour", "IncompleteCrawl", "Problem", "ProblemKind", "ask"]


class IncompleteCrawl(StookError):
    """The source gave less than it has: what there is must not be published as the whole."""


class ProblemKind(StrEnum):
    """What a problem means for the set of records."""

    SKIPPED = "skipped"
    """Something of the source that is no record of the catalogue; the set is whole."""
    FAILED = "failed"
    """A record may be missing, so nothing may be deleted."""
    THROTTLED = "throttled"
    """The same, for the source wanted no more requests."""
    DUPLICATE = "duplicate"
    """A document that came before; the first one counts."""
    WARNING = "warning"
    """Nothing is missing, but somebody should look."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and with which document or identifier."""

    kind: ProblemKind
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One document as the source lists it.

    `content` is JSON values that determine the record: equal content, equal record. `build` makes it, and is not called
    for an entry that the ledger knows; it raises Malformed if the content makes no record.
    """

    docid: str
    content: Any
    build: Callable[[], Bibitem]


Crawl = Generator[Request | CatalogueEntry | Problem, Reply, None]


class Flavour(Protocol):
    """One body's catalogue. `fetch` is pure: no file, no socket, no clock.

    A yielded `Request` is answered by a `Reply` or an error of the engine; entries and problems have no answer.
    `source` is a base URL that ends in a slash. `version` grows with every change of the records that the flavour
    makes. `required` names the fields of a record that the source is expected to fill.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def default_source(self) -> str: ...
    @property
    def required(self) -> tuple[str, ...]: ...

    def fetch(self, source: str) -> Crawl:
        """Every document that the source has."""
        ...

    def identify(self, docid: str) -> Identifier | None:
        """The parts of one of its identifiers; None for one that has another form."""
        ...

    def family_of(self, name: str) -> str:
        """The group of records that a file name belongs to: each group is pruned, and guarded, on its own."""
        ...


def ask(request: Request) -> Generator[Request | Problem, Reply, Reply | None]:
    """Ask for one of many documents: None, and a problem told, if it cannot be had. A closed lane ends the crawl."""
    try:
        reply = yield request
    except LaneClosed:
        raise
    except StookError as error:
        kind = ProblemKind.THROTTLED if error.status == TOO_MANY_REQUESTS else ProblemKind.FAILED
        yield Problem(kind, request.url, error.reason)
        return None
    if reply.status == 200:
        return reply
    yield Problem(ProblemKind.FAILED, request.url, f"answered with status {reply.status}")
    return None
