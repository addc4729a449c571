"""crates.io's two sources: the sparse index, which decides what exists, and the JSON API, which enriches."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

import msgspec
import sqlalchemy as sa

from stook.engine.decoding import DECODE_ERRORS
from stook.engine.errors import FailureCode, Malformed, Unavailable
from stook.engine.ledger import Queue, Transaction, poll_queue
from stook.engine.offload import off_loop
from stook.engine.words import Announcement, Ask, Code, Event, Found, Look, Outcome, Reply, Request, Visit, Written
from stook.registries.cargo.api import read_crate
from stook.registries.cargo.index import IndexFile, read_index_file
from stook.registries.cargo.keep import keep_snapshots
from stook.registries.cargo.keep.enrichment import keep_enrichments
from stook.registries.cargo.names import index_path
from stook.registries.cargo.records import Enrichment, Known, Snapshot
from stook.registries.cargo.tables import RUST_LIST, RUST_PRODUCT, RUST_VERSION
from stook.registries.store import package_rows
from stook.registries.vanishing import Vanishing, denied

__all__ = ["API", "API_LANE", "INDEX", "INDEX_LANE", "QUEUES", "VERSIONS", "CargoApi", "CargoIndex"]

INDEX_LANE, API_LANE = "cargo.index", "cargo.api"
KEY = ("rust", "Cargo")
STORED, OTHER = "crate that is stored", "another crate that is stored"
VERSIONS = Queue("cargo", "version", RUST_LIST, "CRATE_NAME", "VERSION", fact_columns=("SOURCE",))
INDEX = poll_queue("cargo-index", "index")
API = poll_queue("cargo-api", "api")
QUEUES = (VERSIONS, INDEX, API)

GONE = frozenset({404, 410, 451})  # the index specification's ways to say "no such crate"
INDEX_BYTES = 12 << 20  # of a crate's file; the longest real one has three megabytes
ANSWER_BYTES = 12 << 20  # of the API about a crate
INDEX_TYPES = ("text/plain", "application/octet-stream", "binary/octet-stream", "application/json")


@dataclass(frozen=True, slots=True)
class CargoIndex:
    """The sparse index: a crate's file holds every version it has (cargo book, "Index protocols").

    `api_age` is how old an enrichment may be, in seconds, before it is asked for again.
    """

    index_url: str
    api_age: float
    tasks: int
    batch: int
    name: str = "crates.io index"
    queues: tuple[str, ...] = (INDEX.name, VERSIONS.name)
    vanishing: Vanishing = field(default_factory=Vanishing, compare=False)

    def visit(self, events: Sequence[Event]) -> Visit:
        """One request for the crate's file answers for all its events."""
        name = events[0].name
        known = _known(name, events)
        memory = f"cargo:{name}"  # whichever mirror serves the file
        reply = yield Request(
            self._url(name),
            lane=INDEX_LANE,
            accept="text/plain",
            content_types=INDEX_TYPES,
            conditional=True,
            memory=memory,
            max_bytes=INDEX_BYTES,
            # An unchanged file cannot tell whether it has the version that an event names.
            afresh=any(event.resync or event.version for event in events),
        )
        self.vanishing.looked += 1
        if reply.not_modified:
            outcome = Outcome(Code.COMPLETE, status=reply.status)
            return Found(outcome, announcements=[self._enrich(events, self.api_age)])
        if reply.status in GONE:
            yield from self._confirm(name)
            return _gone(known, memory, reply)
        if reply.status != 200:
            raise Unavailable(f"the index answered HTTP {reply.status}", status=reply.status)
        file = yield from off_loop(read_index_file, name, reply.body, size=len(reply.body))
        return self._found(known, events, memory, _whole(file))

    def keep(self, transaction: Transaction, records: Sequence[Any], now: datetime) -> Written:
        return keep_snapshots(transaction, records, now)

    def look(self, connection: sa.Connection | None, look: Look) -> Any:
        """Whether a crate is stored and alive, and the name of another one that is."""
        if connection is None:
            return None
        is_other = look.subject == OTHER
        name = RUST_PRODUCT.c["PRODUCT_KEY"]
        alive = sa.select(name).where(*package_rows(RUST_PRODUCT, KEY), RUST_PRODUCT.c["COMP_STATUS"] == 1)
        chosen = alive.where(name > look.key) if is_other else alive.where(name == look.key)
        found = connection.execute(chosen.order_by(name).limit(1)).scalar()
        if found is None and is_other:
            found = connection.execute(alive.where(name < look.key).order_by(name).limit(1)).scalar()
        return found

    def _url(self, name: str) -> str:
        return f"{self.index_url}/{quote(index_path(name))}"

    def _confirm(self, name: str) -> Generator[Ask, Any, None]:
        """Raise Unavailable unless the index answers for itself, and has other crates that we know."""
        is_stored = (yield Look(STORED, name)) is not None
        needs_canary = is_stored and self.vanishing.needs_canary()
        if needs_canary or not self.vanishing.answers:
            reply = yield Request(f"{self.index_url}/config.json", lane=INDEX_LANE, accept="application/json")
            if reply.status != 200 or not _is_config(reply.body):
                raise denied(f"{self.index_url} is not a registry index: its config.json is HTTP {reply.status}")
            self.vanishing.answers = True
        if not is_stored:
            return
        if needs_canary and (other := (yield Look(OTHER, name))):
            reply = yield Request(self._url(other), lane=INDEX_LANE, accept="text/plain")
            if reply.status != 200:
                raise denied(f"the index has neither {name} nor {other}, which are stored")
        self.vanishing.believe("crates")

    def _found(self, known: Known, events: Sequence[Event], memory: str, file: IndexFile) -> Found:
        rewrite = any(event.resync for event in events)
        return Found(
            outcomes=_outcomes(events, file),
            records=[Snapshot(known, file.releases, file.unreadable, rewrite)],
            announcements=[self._enrich(events, 0.0)] if file.releases else (),
            # A body that was not wholly understood must be read again, whatever its validators say.
            forget=frozenset({memory}) if file.unreadable else frozenset(),
        )

    def _enrich(self, events: Sequence[Event], fresh_for: float) -> Announcement:
        urgent = any(event.urgent for event in events)
        return Announcement(API.name, events[0].name, source="index", fresh_for=fresh_for, urgent=urgent)


@dataclass(frozen=True, slots=True)
class CargoApi:
    """The JSON API: one request a crate tells licences, dates and pages of all its versions.

    The registry's policy is one request a second and an honest User-Agent; it answers abuse with 403,
    which closes the lane for the run.
    """

    api_url: str
    tasks: int = 2
    batch: int = 20
    name: str = "crates.io API"
    queues: tuple[str, ...] = (API.name,)

    def visit(self, events: Sequence[Event]) -> Visit:
        name = events[0].name
        reply = yield Request(
            f"{self.api_url}/api/v1/crates/{quote(name)}",
            lane=API_LANE,
            accept="application/json",
            content_types=("application/json",),
            closes_on=frozenset({403}),
            max_bytes=ANSWER_BYTES,
        )
        if reply.status == 404:
            return Found(_not_enriched("the API does not know this crate yet", 404))
        if reply.status != 200:
            raise Unavailable(f"the API answered HTTP {reply.status}", status=reply.status)
        enrichment = yield from off_loop(read_crate, name, reply.body, size=len(reply.body))
        if enrichment is None:
            return Found(_not_enriched("the API answered with another crate", 200))
        return Found(Outcome(Code.COMPLETE, status=200), records=[enrichment])

    def keep(self, transaction: Transaction, records: Sequence[Enrichment], now: datetime) -> Written:
        return keep_enrichments(transaction, RUST_PRODUCT, RUST_VERSION, KEY, records, now)


def _not_enriched(reason: str, status: int) -> Outcome:
    """Nobody's failure, and never the last word: the API is asked again after hours, then days."""
    return Outcome(Code.FAILED, reason, status, is_deferred=True, failure=FailureCode.NOT_FOUND)


def _is_config(body: bytes) -> bool:
    """Whether this is a registry's config.json: an object that says where crates are downloaded."""
    try:
        return "dl" in msgspec.json.decode(body, type=dict[str, Any])
    except DECODE_ERRORS:
        return False


def _known(name: str, events: Sequence[Event]) -> Known:
    facts: dict[str, Any] = {}
    for event in events:
        facts = {**event.facts, **facts}
    return Known(name, facts.get("SOURCE") or "index")


def _whole(file: IndexFile) -> IndexFile:
    """The file, if it is one: what is missing from half a file, or from somebody else's page, is not gone."""
    if file.is_torn:
        raise Unavailable("the index file is cut short: it ends within a line", status=200)
    if file.is_foreign:
        reason = file.unreadable[0].reason if file.unreadable else "it is empty"
        raise Malformed(f"not the index file of this crate: {reason}", status=200)
    return file


def _gone(known: Known, memory: str, reply: Reply) -> Found:
    reason = f"the index has no such crate (HTTP {reply.status})"
    return Found(
        Outcome(Code.NOT_FOUND, reason, reply.status), records=[Snapshot(known, ())], forget=frozenset({memory})
    )


def _outcomes(events: Sequence[Event], file: IndexFile) -> dict[bytes, Outcome]:
    """An event about a version ends as its line did; one about the crate is complete."""
    readable = {one.version for one in file.releases}
    broken = {one.version: one.reason for one in file.unreadable}
    outcomes = {}
    for event in events:
        if not event.version or event.version in readable:
            outcomes[event.id] = Outcome(Code.COMPLETE, status=200)
        elif event.version in broken:
            outcomes[event.id] = Outcome(Code.MALFORMED, broken[event.version], 200)
        else:
            outcomes[event.id] = Outcome(Code.NOT_FOUND, "the crate's index file does not have this version", 200)
    return outcomes
