"""Taking due events: one range of one index, whole packages together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from stook.engine.ledger.lease import new_token
from stook.engine.ledger.queue import Queue
from stook.engine.ledger.schema import STATUS
from stook.engine.ledger.transaction import Transaction, among, chunks
from stook.engine.words import Cursor, Event

__all__ = ["URGENT", "claim", "due_range", "partition"]

URGENT = timedelta(days=3650)
"""How far before now an urgent event is due: ahead of everything else in the one column that orders."""

# 20 is held from pending, 21-29 from the rungs 30-38; what was held before keeps its number.
HELD = (
    "CASE WHEN PROCESSED BETWEEN 30 AND 38 THEN PROCESSED - 9"
    " WHEN PROCESSED BETWEEN 20 AND 29 THEN PROCESSED ELSE 20 END"
)


def due_range(queue: Queue, now: datetime, limit: int) -> sa.Select[Any]:
    """The claim's one index range, in index order."""
    table = queue.table
    due = sa.select(*_columns(queue)).where(*partition(queue), table.c["DUE_AT"] <= now)
    return due.order_by(table.c["DUE_AT"], table.c["ID"]).limit(limit).with_for_update(skip_locked=True)


def claim(transaction: Transaction, queue: Queue, now: datetime, limit: int, lease_end: datetime) -> list[Event]:
    """Hold up to `limit` due events until `lease_end`; more only where one package alone has more."""
    rows = transaction.execute(due_range(queue, now, limit)).all()  # a list at once costs half of row by row
    if rows and queue.version_column:
        rows = _whole_packages(transaction, queue, rows, now, limit)
    token = new_token()
    _hold(transaction, queue, rows, lease_end, token)
    cursors = read_cursors(transaction, queue, [row[1] for row in rows]) if queue.has_cursor else None
    return [_event(queue, row, now, token, cursors) for row in rows]


def read_cursors(transaction: Transaction, queue: Queue, names: Sequence[str]) -> dict[str, Cursor | None]:
    """The cursors kept for events of these names."""
    keys = {queue.cursor_key(name): name for name in names}
    found: dict[str, Cursor | None] = dict.fromkeys(names)
    for key, value, boundary, _ in transaction.execute(sa.select(STATUS).where(STATUS.c["TYPE"].in_(list(keys)))):
        found[keys[key]] = Cursor(key, value, msgspec.json.decode(boundary) if boundary else None)
    return found


def _whole_packages(
    transaction: Transaction, queue: Queue, rows: Sequence[Any], now: datetime, limit: int
) -> list[Any]:
    """All due events of the packages in `rows`, in order; packages that no longer fit stay for the next claim."""
    names = list(dict.fromkeys(row[1] for row in rows))
    taken: list[Any] = []
    looked = 0
    while looked < len(names) and len(taken) < limit:
        # No more packages than fit, if they are like those before: what is looked at is locked for the others.
        fit = (limit - len(taken)) * looked // len(taken) + 1 if taken else 20
        some = names[looked : looked + min(fit, 50)]
        looked += len(some)
        by_name = _due_of(transaction, queue, some, now)
        for name in some:
            if taken and len(taken) + len(by_name[name]) > limit:
                continue
            taken.extend(sorted(by_name[name], key=lambda row: (row[6], row[0])))
    return taken


def _due_of(transaction: Transaction, queue: Queue, names: Sequence[str], now: datetime) -> dict[str, list[Any]]:
    """All due events of these packages: one short range of ids each."""
    table = queue.table
    ranges = [table.c["ID"].between(*queue.id_range(name)) for name in names]
    # Bare, the column would tempt planners to walk all that is due instead.
    is_due = sa.func.coalesce(table.c["DUE_AT"], None) <= now
    due = sa.select(*_columns(queue)).where(*partition(queue), is_due, sa.or_(*ranges))
    by_name: dict[str, list[Any]] = {name: [] for name in names}
    for row in transaction.execute(due.with_for_update(skip_locked=True)).all():
        if row[1] in by_name:  # eight bytes of a digest may be shared by chance
            by_name[row[1]].append(row)
    return by_name


def _hold(transaction: Transaction, queue: Queue, rows: Sequence[Any], lease_end: datetime, token: int) -> None:
    table = queue.table
    for some in chunks(rows, 500):
        held = among(transaction.connection, table.c["ID"], [row[0] for row in some])
        transaction.execute(sa.update(table).where(held).values(PROCESSED=sa.text(HELD), DUE_AT=lease_end, LEASE=token))


def _columns(queue: Queue) -> list[sa.ColumnElement[Any]]:
    table = queue.table
    version: sa.ColumnElement[Any] = table.c[queue.version_column] if queue.version_column else sa.literal("")
    named = ("PROCESSED", "ATTEMPTS", "RESYNC", "DUE_AT")
    return [
        table.c["ID"],
        table.c[queue.name_column],
        version.label("V"),
        *(table.c[name] for name in (*named, *queue.facts)),
    ]


def partition(queue: Queue) -> list[sa.ColumnElement[bool]]:
    """The condition that tells a queue's rows in a shared table."""
    return [queue.table.c["QUEUE"] == queue.partition] if queue.partition else []


def _event(queue: Queue, row: Any, now: datetime, token: int, cursors: Mapping[str, Cursor | None] | None) -> Event:
    return Event(
        queue=queue.name,
        id=bytes(row[0]),
        name=row[1],
        version=row[2],
        kind=queue.kind,
        processed=_held_code(row[3]),
        attempts=row[4],
        resync=bool(row[5]),
        urgent=row[6] < now - URGENT / 2,
        lease=token,
        facts=_facts(queue, row[7:]) | ({} if cursors is None else {"cursor": cursors[row[1]]}),
    )


def _held_code(processed: int) -> int:
    if 30 <= processed <= 38:
        return processed - 9
    return processed if 20 <= processed <= 29 else 20


def _facts(queue: Queue, values: Sequence[Any]) -> dict[str, Any]:
    facts = dict(zip(queue.facts, values, strict=True))
    packed = facts.pop("FACTS", None)
    return facts | (msgspec.json.decode(packed) if packed else {})
