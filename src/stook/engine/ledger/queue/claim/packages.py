"""What is due in a queue without lanes: one range of one index, whole packages together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger.queue.claim.rows import DUE_AT, ID, NAME, columns
from stook.engine.ledger.queue.model import Queue, by_due, partition
from stook.engine.ledger.schema import ID_LENGTH
from stook.engine.ledger.transaction import Transaction

__all__ = ["due_rows"]

ENDS = ("low", "high")
_Bound = tuple[sa.Select[Any], dict[str, Any]]  # a statement and its parameters
RANGES = 50  # packages in one statement, where each adds to its length


def due_rows(transaction: Transaction, queue: Queue, now: datetime, limit: int, look: int) -> tuple[list[Any], float]:
    """Due rows, locked, oldest first: up to `limit`, more only where one package alone has more.

    `look` is how many due rows to begin with: all that is looked at is locked for others, and where a package's events
    lie far apart each row brings some more. The number returned tells how many it brought.
    """
    seen = transaction.rows(_due_range(queue, transaction.dialect.place), {"now": now, "look": look})
    if not seen or queue.version_column is None:
        return seen, 1.0
    rows = _whole_packages(transaction, queue, seen, now, limit)
    taken = {row[NAME] for row in rows}
    gain = len(rows) / max(sum(row[NAME] in taken for row in seen), 1)
    return rows, max(gain, 1.0)


@cache
def _due_range(queue: Queue, place: str) -> sa.Select[Any]:
    """The claim's one index range, in index order."""
    table = queue.table
    due = by_due(sa.select(*columns(queue, place)), queue).where(table.c["DUE_AT"] <= _now(queue))
    first = due.order_by(table.c["DUE_AT"], table.c["ID"]).limit(sa.bindparam("look", type_=sa.Integer))
    return first.with_for_update(skip_locked=True)


def _now(queue: Queue) -> sa.BindParameter[Any]:
    return sa.bindparam("now", type_=queue.table.c["DUE_AT"].type)


def _whole_packages(
    transaction: Transaction, queue: Queue, rows: Sequence[Any], now: datetime, limit: int
) -> list[Any]:
    """All due events of the packages in `rows`, in order; packages that no longer fit stay for the next claim."""
    names = list(dict.fromkeys(row[NAME] for row in rows))
    taken: list[Any] = []
    looked, most = 0, len(names) if transaction.dialect.joins_laterally else RANGES
    while looked < len(names) and len(taken) < limit:
        # No more packages than fit, if they are like those before: what is looked at is locked for the others.
        fit = (limit - len(taken)) * looked // len(taken) + 1 if taken else RANGES
        batch = names[looked : looked + min(fit, most)]
        looked += len(batch)
        by_name = _due_of(transaction, queue, batch, now)
        for name in batch:
            # A row that others wrote may have an id that does not tell its package.
            events = by_name[name] or [row for row in rows if row[NAME] == name]
            if taken and len(taken) + len(events) > limit:
                limit = 0  # the next claim begins with it
                continue
            taken.extend(sorted(events, key=lambda row: (row[DUE_AT], row[ID])))
    return taken


def _due_of(transaction: Transaction, queue: Queue, names: Sequence[str], now: datetime) -> dict[str, list[Any]]:
    """All due events of these packages: one short range of ids each."""
    by_name: dict[str, list[Any]] = {name: [] for name in names}
    by_ranges = _by_joined_ranges if transaction.dialect.joins_laterally else _by_ranges
    for row in transaction.rows(*by_ranges(queue, transaction.dialect.place, names, now)):
        if row[NAME] in by_name:  # eight bytes of a digest may be shared by chance
            by_name[row[NAME]].append(row)
    return by_name


def _by_ranges(queue: Queue, place: str, names: Sequence[str], now: datetime) -> _Bound:
    ends: dict[str, Any] = {
        f"{end}{number}": bound
        for number, name in enumerate(names)
        for end, bound in zip(ENDS, queue.id_range(name), strict=True)
    }
    return _ranges(queue, place, len(names)), ends | {"now": now}


@cache
def _ranges(queue: Queue, place: str, count: int) -> sa.Select[Any]:
    """Made once: putting it together takes longer than running it."""
    identity = queue.table.c["ID"]
    ends = ([sa.bindparam(f"{end}{number}", type_=identity.type) for end in ENDS] for number in range(count))
    is_due = _is_due(queue, _now(queue))
    inside = sa.or_(*(identity.between(low, high) for low, high in ends))
    return sa.select(*columns(queue, place)).where(*partition(queue), is_due, inside).with_for_update(skip_locked=True)


def _by_joined_ranges(queue: Queue, place: str, names: Sequence[str], now: datetime) -> _Bound:
    """The same in one statement for any number of packages, whose ranges go as one value (see `among`)."""
    low, high = zip(*map(queue.id_range, names), strict=True)
    ends: dict[str, Any] = {"last": len(names) - 1, "low": b"".join(low), "high": b"".join(high)}
    return _joined_ranges(queue, place), ends | {"now": now}


@cache
def _joined_ranges(queue: Queue, place: str) -> sa.Select[Any]:
    """Made once, too."""
    counted = sa.func.generate_series(0, sa.bindparam("last", type_=sa.Integer)).table_valued("number").render_derived()

    def bound(end: str) -> sa.ColumnElement[bytes]:
        joined = sa.bindparam(end, type_=sa.LargeBinary)
        return sa.func.substring(joined, counted.c.number * ID_LENGTH + 1, ID_LENGTH, type_=sa.LargeBinary)

    inside = queue.table.c["ID"].between(bound("low"), bound("high"))
    is_due = _is_due(queue, _now(queue))
    found = sa.select(*columns(queue, place)).where(*partition(queue), is_due, inside)
    locked = found.with_for_update(skip_locked=True).lateral("found")
    return sa.select(locked).select_from(counted.join(locked, sa.true()))


def _is_due(queue: Queue, now: sa.BindParameter[Any]) -> sa.ColumnElement[bool]:
    """Bare, the column would tempt planners to walk all that is due instead of short ranges of ids."""
    return sa.func.coalesce(queue.table.c["DUE_AT"], None) <= now
