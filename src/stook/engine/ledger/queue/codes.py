"""The states of an event: every value of PROCESSED, and how one follows from another.

    0 ── claimed ──▶ 20 ── fails ──▶ 30 ── claimed ──▶ 21 ── fails ──▶ 31 … 38 ── claimed ──▶ 29 ── fails ──▶ 39

A held event that ends well takes the code of its outcome: 1, 2, 3, 5 or 6 (`stook.engine.words.Code`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from stook.engine.words import Code

__all__ = [
    "AFRESH",
    "DONE",
    "ENDED_BADLY",
    "GIVEN_UP",
    "LADDER",
    "PENDING",
    "REVIVED",
    "RUNGS",
    "SUSPECT_DELIVERIES",
    "TOO_MANY_DELIVERIES",
    "URGENT",
    "WAITING",
    "failed_code",
    "held_code",
    "held_column",
    "held_text",
    "held_value",
    "is_held",
    "is_new",
    "is_revived",
    "is_urgent",
    "next_deliveries",
    "released_code",
    "released_value",
    "rung_delay",
]

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
LADDER: Final = (6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY)
"""Seconds to wait on each rung."""

PENDING: Final = int(Code.PENDING)
_HELD: Final = 20  # held, and was pending before
_HELD_MOST: Final = _HELD + len(LADDER)  # held, and stood on the last rung before
_RUNG: Final = 30
_RUNG_MOST: Final = _RUNG + len(LADDER) - 1
_CLAIMED_RUNG: Final = _RUNG - _HELD - 1  # between a rung and the code of an event that is held from it
GIVEN_UP: Final = _RUNG_MOST + 1
"""The last rung failed too, or the event killed its workers."""

RUNGS: Final = tuple(range(_RUNG, _RUNG_MOST + 1))
WAITING: Final = (PENDING, *RUNGS)
"""Nobody holds it: ready, or waiting for its time. An urgent announcement brings it forward."""
REVIVED: Final = (int(Code.NOT_FOUND), GIVEN_UP)
"""Ended in nothing: the next announcement begins anew."""
DONE: Final = (int(Code.COMPLETE), int(Code.MALFORMED), int(Code.ALIAS))
"""Known: woken by an announcement that finds it too old (`Announcement.fresh_for`)."""
ENDED_BADLY: Final = (int(Code.MALFORMED), int(Code.NOT_FOUND), GIVEN_UP)
"""An operator may revive it."""
AFRESH: Final = {"PROCESSED": PENDING, "ATTEMPTS": 0, "DELIVERIES": 0}
"""The columns of an event that begins anew."""

SUSPECT_DELIVERIES: Final = 2
"""Deaths of workers from which on a package is handed out alone, so that innocent neighbours clear themselves."""
TOO_MANY_DELIVERIES: Final = 3
"""Deaths of workers after which an event is given up."""

URGENT: Final = timedelta(days=3650)
"""How far before now an urgent event is due: ahead of everything else in the one column that orders."""


def is_held(code: int) -> bool:
    """Whether a worker holds the event, or held it when its lease ran out."""
    return _HELD <= code <= _HELD_MOST


def is_new(code: int) -> bool:
    """Whether a held event was pending, and stood on no rung, when it was claimed."""
    return code == _HELD


def held_code(code: int) -> int:
    """The code of an event that is claimed at `code`. One whose holder died keeps its number."""
    if _RUNG <= code <= _RUNG_MOST:
        return code - _CLAIMED_RUNG
    return code if _HELD <= code <= _HELD_MOST else _HELD


def released_code(held: int) -> int:
    """Where an event stood before it was claimed."""
    return PENDING if held == _HELD else held + _CLAIMED_RUNG


def failed_code(held: int) -> int:
    """Where an event goes whose visit failed: the next rung; after the last it is given up."""
    return held - _HELD + _RUNG


def rung_delay(code: int, jitter: float) -> timedelta | None:
    """How long to wait on a rung, 10 % more or less as `jitter` says (-1 to 1); None after the last."""
    if code not in RUNGS:
        return None
    return timedelta(seconds=LADDER[code - _RUNG] * (1 + 0.1 * jitter))


def next_deliveries(deliveries: int, code: int) -> int:
    """How many workers have died with an event that is claimed at `code`."""
    return deliveries + is_held(code)


def is_revived(code: int, known: datetime | None, announced: datetime | None) -> bool:
    """Whether an announcement begins anew an event that stands at `code`.

    One that says when it happened must be later than what is known: a feed that is read again revives nothing.
    """
    return code in REVIVED and (known is None or announced is None or announced > known)


def is_urgent(due_at: datetime, now: datetime) -> bool:
    """Whether an event of that due time stands in front of all others."""
    return due_at < now - URGENT / 2


def held_column(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """In SQL: `is_held`. A row with a lease but another code was taken back by an operator's SQL."""
    return column.between(sa.literal_column(str(_HELD)), sa.literal_column(str(_HELD_MOST)))


def held_text(column: str) -> str:
    """In SQL written as text: `is_held`."""
    return f"{column} BETWEEN {_HELD} AND {_HELD_MOST}"


def held_value(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """In SQL: `held_code`, of a row that is not held."""
    on_rung = column.between(sa.literal_column(str(_RUNG)), sa.literal_column(str(_RUNG_MOST)))
    offset: sa.ColumnElement[int] = sa.literal_column(str(_CLAIMED_RUNG))
    return sa.case((on_rung, column - offset), else_=sa.literal_column(str(_HELD)))


def released_value(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """In SQL: `released_code`, of a row that is held."""
    from_pending = column == sa.literal_column(str(_HELD))
    return sa.case(
        (from_pending, sa.literal_column(str(PENDING))), else_=column + sa.literal_column(str(_CLAIMED_RUNG))
    )
