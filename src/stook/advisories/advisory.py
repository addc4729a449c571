"""What a record means: an advisory, and for each package that it names, which versions are affected and how."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

from stook.advisories.ecosystems import VersionOrder
from stook.advisories.exposure import Exposure, exposures
from stook.advisories.osv import OsvRecord, in_utc
from stook.advisories.severity import AdvisorySeverity, severity_of

__all__ = ["Advisory", "Review", "interpret"]

MAX_SUMMARY = 500  # characters
MAX_DETAILS = 20_000
MAX_LINKS = 200
MAX_ALIASES = 500
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{1,99}", re.ASCII)
_CVE = re.compile(r"CVE-[0-9]{4}-[0-9]{4,19}", re.ASCII)


class Review(StrEnum):
    """Whether people of the database looked at it; most databases do not say."""

    REVIEWED = "reviewed"
    UNREVIEWED = "unreviewed"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class Advisory:
    """One record of a database. Times are UTC and None where the record has none, or the year 1 that means none.

    `aliases` are sorted; `notes` say in sentences what of the record was not used.
    """

    id: str
    modified: datetime | None
    published: datetime | None
    withdrawn: datetime | None
    is_withdrawn: bool
    summary: str
    details: str
    aliases: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    severity: AdvisorySeverity
    review: Review
    digest: bytes
    exposures: tuple[Exposure, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its id and its aliases."""
        return (self.id, *self.aliases)

    @property
    def cves(self) -> tuple[str, ...]:
        """Its CVE identifiers; often none, sometimes several."""
        return tuple(name for name in self.names if _CVE.fullmatch(name))


class _RecordSpecific(msgspec.Struct, frozen=True):
    severity: str | None = None
    review_status: str | None = None
    github_reviewed: bool | None = None


def interpret(record: OsvRecord, orders: Mapping[str, VersionOrder]) -> Advisory:
    """The meaning of a record, by the version orders of its ecosystems; packages of other ecosystems become notes."""
    specific = _specific(record.database_specific)
    aliases = sorted({alias for alias in record.aliases or () if alias != record.id})
    readable = [alias for alias in aliases if _ID.fullmatch(alias)][:MAX_ALIASES]
    found, notes = exposures(record, orders)
    if len(readable) < len(aliases):
        notes = (*notes, f"{len(aliases) - len(readable)} aliases are no identifiers or too many")
    links = [(link.type, link.url) for link in record.references or () if link.url.startswith(("https://", "http://"))]
    return Advisory(
        id=record.id,
        modified=_moment(record.modified),
        published=_moment(record.published),
        withdrawn=_moment(record.withdrawn),
        is_withdrawn=record.withdrawn is not None,
        summary=(record.summary or _first_line(record.details))[:MAX_SUMMARY],
        details=(record.details or "")[:MAX_DETAILS],
        aliases=tuple(readable),
        links=tuple(links[:MAX_LINKS]),
        severity=severity_of(record.severity or (), specific.severity or "", record.id),
        review=_review(specific),
        digest=record.digest,
        exposures=found,
        notes=notes,
    )


def _specific(raw: msgspec.Raw) -> _RecordSpecific:
    """What databases say outside of the schema; anything of another shape says nothing."""
    try:
        return msgspec.json.decode(raw, type=_RecordSpecific) if bytes(raw) else _RecordSpecific()
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _RecordSpecific()


def _review(specific: _RecordSpecific) -> Review:
    """The Go database gives a status, GHSA a boolean."""
    status = (specific.review_status or "").upper()
    if status in ("REVIEWED", "UNREVIEWED"):
        return Review(status.lower())
    if specific.github_reviewed is None:
        return Review.UNSAID
    return Review.REVIEWED if specific.github_reviewed else Review.UNREVIEWED


def _moment(time: datetime | None) -> datetime | None:
    """In UTC. Go's database writes the year 1 for a time it does not know."""
    return None if time is None or time.year == 1 else in_utc(time)


def _first_line(details: str | None) -> str:
    return next((line.strip() for line in (details or "")[:MAX_DETAILS].splitlines() if line.strip()), "")
