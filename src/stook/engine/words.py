"""The vocabulary of the engine: the values that move between ledger, source and door."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from stook.engine.errors import FailureCode

__all__ = [
    "Announcement",
    "Answer",
    "Ask",
    "Code",
    "Compute",
    "Cursor",
    "Event",
    "Found",
    "Hop",
    "Look",
    "Method",
    "Outcome",
    "Part",
    "Reply",
    "Request",
    "Source",
    "Validators",
    "Visit",
    "Written",
]


class Code(IntEnum):
    """How a source may end an event (column PROCESSED); the codes from 20 on are the ledger's own."""

    PENDING = 0
    COMPLETE = 1
    EXCLUDED = 2
    MALFORMED = 3
    NOT_FOUND = 5
    ALIAS = 6
    FAILED = 30
    """The visit failed on the data: the ledger turns this into the event's next rung, 30-38, then 39."""


class Event(msgspec.Struct, frozen=True):  # made by the million: a data class takes ten times as long
    """Something to look at, as claimed: one row of a queue.

    `version` is empty when the event is about the package itself; `kind` tells such events apart
    (`index`, `api`, `feed`), and is `version` for a row of a registry's list. `lane` is empty in a queue that has no
    lanes. `deliveries` counts the workers that died while they held it.
    """

    queue: str
    id: bytes
    name: str
    version: str
    kind: str
    processed: int
    attempts: int = 0
    resync: bool = False
    urgent: bool = False
    lease: int = 0
    lane: str = ""
    deliveries: int = 0
    facts: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" if self.version else f"{self.name} ({self.kind})"


@dataclass(frozen=True, slots=True)
class Announcement:
    """An event to enqueue: nothing happens to one that exists, but for the revival of terminal ones.

    `fresh_for` (seconds) also wakes an event that was completed longer ago; 0 wakes it at once.
    `urgent` puts it in front of everything else, and cuts short a wait for a retry. From the worker that holds it, an
    event is taken by `resync`, and by `urgent` with facts that are new.
    """

    queue: str
    name: str
    version: str = ""
    source: str = ""
    timestamp: datetime | None = None
    timestamp_raw: str | None = None
    fresh_for: float | None = None
    urgent: bool = False
    resync: bool = False
    lane: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request that a visit asks the door for.

    `lane` names the timeline it queues on; empty means the URL's host. `closes_on` lists the statuses
    that close that lane for the rest of the run. `conditional` remembers the reply's validators and
    sends those of last time, unless `afresh`. They are remembered under the name `memory`, by default the URL, and sent
    only to the URL they came from: a record that two mirrors may serve has one memory, which tells the URL whose body
    was read last. `max_bytes` counts decoded bytes. `silence` is for a host
    that thinks long before it answers: None is the door's own limit.

    `redirects`: `follow` judges and follows each hop; `return` hands a redirect back as the reply, so that the
    visit judges where it leads. With `into`, the body is streamed into that file and the reply has its path and
    digest in place of bytes; `offset` asks for the bytes from there on, to go on with a file that was cut short: what
    came of it lies beside `into` (`stook.engine.door.partial_size`). A request with a body or an unsafe method is not
    sent again by the door after a lost connection; throttled ones are, as the server says that it did not process them.
    """

    url: str
    method: Method = "GET"
    body: bytes = b""
    lane: str = ""
    accept: str = "*/*"
    conditional: bool = False
    afresh: bool = False
    memory: str = ""
    closes_on: frozenset[int] = frozenset()
    content_types: tuple[str, ...] = ()
    max_bytes: int = 64 * 1024 * 1024
    timeout: float = 60.0  # seconds, the whole exchange
    silence: float | None = None  # seconds between two reads
    headers: tuple[tuple[str, str], ...] = ()
    redirects: Literal["follow", "return"] = "follow"
    into: Path | None = None
    offset: int = 0  # bytes

    @property
    def memory_name(self) -> str:
        """The name under which validators are remembered."""
        return self.memory or self.url


@dataclass(frozen=True, slots=True)
class Hop:
    """One exchange on the way to a reply: the URL as judged, the status, and where a redirect led."""

    url: str
    status: int
    location: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request: any status below 500 but 429; header names in lower case, body decoded.

    `not_modified` is true for a 304 that was asked for, and for a 200 whose bytes equal those seen last time.
    `hops` are the exchanges that led here, this one last. Of a body streamed into a file, `path` is the file,
    `size` its length in bytes and `digest` its sha256. `received_at` is when the answer had come: UTC without a zone,
    None in replies that were written beforehand.
    """

    url: str
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    not_modified: bool = False
    hops: tuple[Hop, ...] = ()
    path: Path | None = None
    size: int = 0
    digest: bytes = b""
    received_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Validators:
    """What lets the next request be conditional: the reply's header pair as sent, the body's sha256, and its URL."""

    etag: str = ""
    last_modified: str = ""
    digest: bytes = b""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one event ended; `delay` (seconds) asks for another look without climbing the ladder.

    `failure` is the stored code of what went wrong; None where nothing did. `is_deferred`: no failure, not even a
    try: its lane is closed, or what it asks for only adds to what is known. `is_afresh` with a delay: the next look
    begins as a new event does, without the tries and the rung of this one. `facts` set columns of the product's own.
    `lane` is the closed lane because of which the event was not tried.
    """

    code: Code
    reason: str = ""
    status: int | None = None
    delay: float | None = None
    is_deferred: bool = False
    failure: FailureCode | None = None
    is_afresh: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a feed was read: raw text, and what was already seen exactly there."""

    feed: str
    value: str
    boundary: Any = None


@dataclass(frozen=True, slots=True)
class Found:
    """All that a visit taught: kept in one transaction.

    `outcomes` names the end of single events by id; every other event of the visit ends as `outcome`.
    `forget` lists the memory names of requests whose validators must go: a body was not wholly understood, or is gone.
    """

    outcome: Outcome = Outcome(Code.COMPLETE)
    outcomes: Mapping[bytes, Outcome] = field(default_factory=dict)
    records: Sequence[Any] = ()
    announcements: Sequence[Announcement] = ()
    cursor: Cursor | None = None
    forget: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Part:
    """What a long visit has learnt so far: kept in a transaction of its own while the visit goes on.

    The visit's events stay held. A visit whose lease was lost, or a part of which could not be kept, has nothing
    further kept.
    """

    records: Sequence[Any] = ()
    announcements: Sequence[Announcement] = ()
    cursor: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Compute:
    """A pure function to run in another process, so that its work never holds the loop.

    `function` is importable by name, its arguments and its answer can be pickled. The visit is sent what it returns;
    an error of ours (`Malformed`) that it raises is raised in the visit. When it takes longer than `seconds` of CPU
    time, or more memory than the run allows, `Malformed` with the code `compute_limit` is raised.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    seconds: float = 30.0  # of CPU time


@dataclass(frozen=True, slots=True)
class Look:
    """One read of what is known already, answered by the source's own `look`: a host's robots rules, a digest."""

    subject: str
    key: Any = None


Ask = Request | tuple[Request, ...] | Compute | Look | Part
"""What a visit may yield. A tuple of requests is sent at once, and answered by a tuple in the same order, in which
an error stands where a reply could not be had; a single request's error is raised in the visit."""
Answer = Any
"""What a visit is sent: a Reply, a tuple of Reply | StookError, what a Compute or Look gave, None for a Part."""
Visit = Generator[Ask, Answer, Found]


@dataclass(frozen=True, slots=True)
class Written:
    """Rows that keeping some records wrote, and rows it found equal, by table; `rejected` lists what was
    kept aside as unreadable, with its reason."""

    written: Mapping[str, int] = field(default_factory=dict)
    unchanged: Mapping[str, int] = field(default_factory=dict)
    rejected: Sequence[tuple[str, str]] = ()


class Source(Protocol):
    """One registry, flavour or site. `visit` is pure: no socket, no transaction, no clock.

    `queues` names the queues whose events it visits; `tasks` is how many visits may be under way at
    once, `batch` how many events are claimed at a time.
    """

    @property
    def name(self) -> str: ...
    @property
    def queues(self) -> Sequence[str]: ...
    @property
    def tasks(self) -> int: ...
    @property
    def batch(self) -> int: ...

    def visit(self, events: Sequence[Event]) -> Visit:
        """Look at all due events of one package. A yielded `Part` has no answer."""
        ...

    def keep(self, transaction: Any, records: Sequence[Any], now: datetime) -> Written:
        """Write the records of many visits; `transaction` is the ledger's (`stook.engine.ledger.Transaction`)."""
        ...
