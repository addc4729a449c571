"""OSV records (schema 1.7) as typed values, decoded one by one: an unreadable record is kept aside with its reason.

https://ossf.github.io/osv-schema/ is the source of the rules. Unknown fields are ignored, as the schema asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, TypeAlias

import msgspec

from stook.engine.errors import Malformed

__all__ = [
    "MAX_RECORD_BYTES",
    "OsvAffected",
    "OsvEvent",
    "OsvPackage",
    "OsvRange",
    "OsvRecord",
    "OsvReference",
    "OsvSeverity",
    "UnreadableRecord",
    "decode_record",
    "in_utc",
    "read_records",
]

MAX_RECORD_BYTES = 4 * 1024 * 1024
MAX_NESTED = 40_000  # objects and lists in one record: each costs many times its two bytes of text
MAX_PACKAGES = 5_000  # affected entries in one record
MAX_VERSIONS = 20_000  # listed versions in one record, all its packages together
MAX_REASON = 300  # characters

_Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=500)]
_Version: TypeAlias = Annotated[str, msgspec.Meta(max_length=500)]
_Address: TypeAlias = Annotated[str, msgspec.Meta(max_length=4000)]
_Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{1,99}", re.ASCII)


class OsvPackage(msgspec.Struct, frozen=True):
    """Ecosystem and name as the record spells them."""

    ecosystem: _Name = ""
    name: _Name = ""


class OsvEvent(msgspec.Struct, frozen=True):
    """One event of a range; a valid one has exactly one of the four."""

    introduced: _Version | None = None
    fixed: _Version | None = None
    last_affected: _Version | None = None
    limit: _Version | None = None


class OsvRange(msgspec.Struct, frozen=True):
    """One range; its events may come in any order."""

    type: _Name = ""
    events: list[OsvEvent] | None = None


class OsvSeverity(msgspec.Struct, frozen=True):
    """A severity: `score` is a CVSS vector, or a word for type Ubuntu."""

    type: _Name = ""
    score: _Name = ""


class OsvReference(msgspec.Struct, frozen=True):
    """A link, with its kind."""

    type: _Name = ""
    url: _Address = ""


class OsvAffected(msgspec.Struct, frozen=True):
    """One affected package. The two free-form objects are decoded later, by those who know a database's habits."""

    package: OsvPackage | None = None
    ranges: list[OsvRange] | None = None
    versions: list[_Version] | None = None
    severity: list[OsvSeverity] | None = None
    ecosystem_specific: msgspec.Raw = msgspec.Raw(b"")
    database_specific: msgspec.Raw = msgspec.Raw(b"")


class OsvRecord(msgspec.Struct, frozen=True):
    """One record. `digest` is the sha256 of its bytes."""

    id: _Name
    modified: _Time
    published: _Time | None = None
    withdrawn: _Time | None = None
    aliases: list[_Name] | None = None
    related: list[_Name] | None = None
    upstream: list[_Name] | None = None
    summary: str | None = None
    details: str | None = None
    severity: list[OsvSeverity] | None = None
    affected: list[OsvAffected] | None = None
    references: list[OsvReference] | None = None
    database_specific: msgspec.Raw = msgspec.Raw(b"")
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A record that could not be read: its name in the dump, and the reason (at most 300 characters)."""

    name: str
    reason: str


_DECODER = msgspec.json.Decoder(OsvRecord)


def decode_record(data: bytes) -> OsvRecord:
    """One record from its JSON. Raises Malformed with a short reason."""
    if len(data) > MAX_RECORD_BYTES:
        raise Malformed(f"the record has more than {MAX_RECORD_BYTES} bytes")
    if data.count(b"{") + data.count(b"[") > MAX_NESTED:
        raise Malformed(f"the record has more than {MAX_NESTED} objects and lists")
    try:
        record = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Malformed(str(error)[:MAX_REASON]) from error
    except RecursionError as error:
        raise Malformed("the record is nested too deeply") from error
    _check(record)
    return msgspec.structs.replace(record, digest=sha256(data).digest())


def _check(record: OsvRecord) -> None:
    affected = record.affected or ()
    if _ID.fullmatch(record.id) is None:
        raise Malformed(f"not an identifier: {record.id[:100]!r}")
    if len(affected) > MAX_PACKAGES:
        raise Malformed(f"the record names more than {MAX_PACKAGES} packages")
    if sum(len(entry.versions or ()) for entry in affected) > MAX_VERSIONS:
        raise Malformed(f"the record lists more than {MAX_VERSIONS} versions")


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC; a time without a zone is taken for UTC, as are the first and last hours there are."""
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)


def read_records(entries: Iterable[tuple[str, bytes] | UnreadableRecord]) -> Iterator[OsvRecord | UnreadableRecord]:
    """A stream of named JSON texts as records; what a dump or this function cannot read passes as UnreadableRecord."""
    for entry in entries:
        if isinstance(entry, UnreadableRecord):
            yield entry
            continue
        name, data = entry
        try:
            yield decode_record(data)
        except Malformed as error:
            yield UnreadableRecord(name[:MAX_REASON], error.reason)
