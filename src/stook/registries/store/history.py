"""The history: what changed upstream, append-only."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from stook.engine.ledger import Transaction
from stook.registries.store.schema import HISTORY

__all__ = ["Past", "write_history"]

COLUMNS = ("ID", "LANGUAGE", "PRODUCT_KEY", "VERSION", "KIND", "OLD", "NEW", "SEEN_AT", "SOURCE")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Past:
    """One entry of the history: what changed upstream; `version` is empty when it is the package."""

    version: str
    kind: str
    old: str | None = None
    new: str | None = None


def write_history(
    transaction: Transaction, language: str, entries: Sequence[tuple[str, Past]], source: str, now: datetime
) -> None:
    """Append entries of (package, what changed), all seen now; ordered by ID they stand as they were given."""
    seen = transaction.moment(now)
    rows = [
        (_id(language, name, past, now, place), language, name, *_columns(past), seen, source)
        for place, (name, past) in enumerate(entries)
    ]
    transaction.insert_missing(HISTORY, COLUMNS, rows)


def _columns(past: Past) -> tuple[str | None, ...]:
    return past.version, past.kind, past.old, past.new


def _id(language: str, name: str, past: Past, now: datetime, place: int) -> bytes:
    """Time first, so that the table only ever grows at its end; then the place among those seen at that time."""
    elapsed = now - _EPOCH
    micros = (elapsed.days * 86400 + elapsed.seconds) * 10**6 + elapsed.microseconds
    told = "\0".join((language, name, past.version, past.kind, past.old or "", past.new or ""))
    return micros.to_bytes(8) + min(place, 0xFFFF).to_bytes(2) + hashlib.sha256(told.encode()).digest()[:14]
