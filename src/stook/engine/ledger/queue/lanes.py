"""Lanes of a queue: so many timelines, a host's each, of which a claim takes some events from each in turn.

Each lane that ever had an event is a row of TB_CRAWLER_LANE, whose NEXT_AT says when a claim must look at it. The rule
that all of this keeps: when an event is due, NEXT_AT of its lane has come. Claims alone move a lane's NEXT_AT forward,
and hold its row's lock while they read its events. Whatever makes an event due earlier wakes the lane last in its
transaction, whether or not the lane seems awake: so either the claim has seen the event, or it ends before the lane is
woken. All wake lanes in the same order, and claims wait for nobody, so that no two wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit

import sqlalchemy as sa

from stook.engine.errors import FailureCode, Refused
from stook.engine.ledger.queue.model import NO_LANE, Queue, due_ranges
from stook.engine.ledger.schema import LANE_LENGTH, QUEUE_LANE
from stook.engine.ledger.transaction import Transaction, chunks
from stook.engine.words import Announcement

__all__ = ["LANE_COLUMNS", "NEVER", "lane_of", "overlooked_lanes", "wake_lanes", "wake_lanes_of"]

LANE_COLUMNS = ("QUEUE", "LANE", "NEXT_AT", "TURN")
EARLIER = "NEXT_AT=CASE WHEN {old} > {new} THEN {new} ELSE {old} END"
NEVER = datetime.max  # where nothing waits; no NULL, as MariaDB would begin with those rows
SAMPLE = 64  # events at each end of what is due


def lane_of(announcement: Announcement) -> str:
    """The announcement's own lane; else, of an http(s) URL, its host; else none."""
    if announcement.lane:
        if len(announcement.lane) > LANE_LENGTH:
            raise Refused(f"lane {announcement.lane[:80]!r}… is longer than {LANE_LENGTH}", FailureCode.TOO_LARGE)
        return announcement.lane
    name = announcement.name
    if not name[:8].lower().startswith(("http://", "https://")):
        return ""
    try:
        host = urlsplit(name).hostname or ""
    except ValueError:
        return ""
    return host if host.isascii() and len(host) <= LANE_LENGTH else ""


def wake_lanes(transaction: Transaction) -> None:
    """Write what the transaction noted: the last thing it does."""
    rows = [(*key, transaction.moment(due), 0) for key, due in sorted(transaction.woken.items())]
    transaction.upsert(QUEUE_LANE, LANE_COLUMNS, rows, [EARLIER])
    transaction.woken.clear()


def wake_lanes_of(transaction: Transaction, queue: Queue, ids: Sequence[bytes]) -> None:
    """Note the lanes of these events, as far as they wait for anything."""
    if not queue.has_lanes:
        return
    table = queue.table
    lane, due = table.c["LANE"], table.c["DUE_AT"]
    for part in chunks(sorted(ids), 500):
        rows = sa.select(lane, sa.func.min(due, type_=due.type)).where(table.c["ID"].in_(part), lane != NO_LANE)
        for name, first in transaction.execute(rows.where(due.is_not(None)).group_by(lane)):
            transaction.wake_lane(queue.name, name, first)


def overlooked_lanes(
    connection: sa.Connection, queue: Queue, now: datetime, *, is_partial: bool
) -> dict[str, datetime]:
    """Lanes with an event that is due, though no claim would look there, and since when it is.

    Only SQL by hand leaves any, and a clock that was set back. Looks at the first and the last events that are due.
    """
    table = queue.table
    lane, due = table.c["LANE"], table.c["DUE_AT"]
    by_time = due_ranges(queue, is_partial=is_partial)[-1].of(sa.select(lane, due), queue).where(due <= now)
    found: dict[str, datetime] = {}
    for order in (due, due.desc()):
        for name, moment in connection.execute(by_time.order_by(order).limit(SAMPLE)):
            if name:
                found[name] = min(moment, found.get(name, moment))
    known = sa.select(QUEUE_LANE.c["LANE"]).where(QUEUE_LANE.c["QUEUE"] == queue.name, QUEUE_LANE.c["NEXT_AT"] <= now)
    if found:
        for name in connection.execute(known.where(QUEUE_LANE.c["LANE"].in_(list(found)))).scalars():
            del found[name]
    return found
