"""What is remembered of feeds and pages: cursors, and the validators that let the next request be conditional."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
import sqlalchemy as sa
import structlog

from stook.engine.ledger.schema import STATUS, VALIDATOR
from stook.engine.ledger.transaction import Transaction, chunks
from stook.engine.words import Cursor, Validators

__all__ = [
    "GAP",
    "FeedState",
    "FeedStatus",
    "cursor_of",
    "latest_feeds",
    "read_cursor",
    "read_feeds",
    "read_validators",
    "write_cursors",
    "write_validators",
]

log = structlog.get_logger(__name__)
GAP = ":gap:"
"""Stands in a key between a feed and a moment that more events share than a page shows."""
_VALIDATOR = ("ID", "URL", "ETAG", "LAST_MODIFIED", "DIGEST", "CHECKED")


def read_cursor(connection: sa.Connection, feed: str) -> Cursor | None:
    row = connection.execute(
        sa.select(STATUS.c["CURSOR"], STATUS.c["BOUNDARY"]).where(STATUS.c["TYPE"] == feed)
    ).first()
    return cursor_of(feed, *row) if row else None


@dataclass(frozen=True, slots=True)
class FeedStatus:
    """How far a feed, or a stretch of one, was read, and when that was kept."""

    feed: str
    cursor: str
    read_at: datetime


def latest_feeds(connection: sa.Connection, prefix: str, limit: int) -> list[FeedStatus]:
    """The feeds whose keys begin so, those read last first."""
    ours = STATUS.c["TYPE"].startswith(prefix, autoescape=True)
    chosen = sa.select(STATUS.c["TYPE"], STATUS.c["CURSOR"], STATUS.c["UPDATED"]).where(ours)
    rows = connection.execute(chosen.order_by(STATUS.c["UPDATED"].desc(), STATUS.c["TYPE"]).limit(limit))
    return [FeedStatus(feed.removeprefix(prefix), cursor, read_at) for feed, cursor, read_at in rows]


@dataclass(frozen=True, slots=True)
class FeedState:
    """A feed, or a stretch of one: `name` is its key, `cursor` how far it was read; events may lack at its `gaps`."""

    name: str
    cursor: str
    read_at: datetime
    gaps: Sequence[str] = ()

    def as_dict(self) -> dict[str, object]:
        """The state as JSON holds it."""
        read_at = self.read_at.isoformat(timespec="seconds") + "Z"
        return {"feed": self.name, "cursor": self.cursor, "read_at": read_at, "gaps": list(self.gaps)}


def read_feeds(connection: sa.Connection, queue: str) -> list[FeedState]:
    """The feeds of a queue, in order of their keys, each with its gaps."""
    ours = STATUS.c["TYPE"].startswith(f"{queue}:", autoescape=True)
    rows = connection.execute(sa.select(STATUS.c["TYPE"], STATUS.c["CURSOR"], STATUS.c["UPDATED"]).where(ours)).all()
    gaps: dict[str, list[str]] = {}
    for key, moment, _ in rows:
        feed, mark, _ = key.partition(GAP)
        if mark:
            gaps.setdefault(feed, []).append(moment)
    feeds = [FeedState(*row, sorted(gaps.get(row[0], ()))) for row in rows if GAP not in row[0]]
    return sorted(feeds, key=lambda state: state.name)


def cursor_of(feed: str, value: str, packed: str | None) -> Cursor:
    """A cursor as it is stored. Without a boundary that can be read, what stands exactly there is looked at again."""
    try:
        return Cursor(feed, value, msgspec.json.decode(packed) if packed else None)
    except (msgspec.DecodeError, TypeError) as error:
        log.warning("boundary cannot be read", feed=feed, reason=str(error)[:200])
        return Cursor(feed, value)


def write_cursors(transaction: Transaction, cursors: Sequence[Cursor], now: datetime) -> None:
    """Of two cursors of one feed the later counts."""
    moment = transaction.moment(now)
    rows = [(cursor.feed, cursor.value, msgspec.json.encode(cursor.boundary).decode(), moment) for cursor in cursors]
    transaction.upsert(STATUS, ["TYPE", "CURSOR", "BOUNDARY", "UPDATED"], rows, ["CURSOR", "BOUNDARY", "UPDATED"])


def read_validators(connection: sa.Connection, names: Sequence[str]) -> dict[str, Validators]:
    """The validators remembered under these names."""
    known: dict[str, Validators] = {}
    keys = {_key(name): name for name in names}
    columns = [VALIDATOR.c[name] for name in ("ID", "ETAG", "LAST_MODIFIED", "DIGEST", "URL")]
    for part in chunks(list(keys), 500):
        for row in connection.execute(sa.select(*columns).where(VALIDATOR.c["ID"].in_(part))):
            known[keys[bytes(row[0])]] = Validators(row[1] or "", row[2] or "", bytes(row[3] or b""), row[4])
    return known


def write_validators(
    transaction: Transaction, known: Mapping[str, Validators], forget: Collection[str], now: datetime
) -> None:
    """Remember `known`, by name, but for the names to forget."""
    for part in chunks(sorted(map(_key, forget)), 500):
        transaction.execute(sa.delete(VALIDATOR).where(VALIDATOR.c["ID"].in_(part)))
    moment = transaction.moment(now)
    rows = [
        (_key(name), one.url or name, one.etag or None, one.last_modified or None, one.digest or None, moment)
        for name, one in known.items()
        if name not in forget
    ]
    transaction.upsert(VALIDATOR, _VALIDATOR, sorted(rows), _VALIDATOR[1:])


def _key(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:16]
