"""Taking due events: one range of one index, whole packages together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger.feeds import cursor_of
from stook.engine.ledger.queue.model import Queue, by_due, partition, read_facts
from stook.engine.ledger.queue.token import new_token
from stook.engine.ledger.schema import ID_LENGTH, STATUS
from stook.engine.ledger.transaction import Transaction, chunks, these
from stook.engine.words import Cursor, Event

__all__ = ["URGENT", "claim"]

URGENT = timedelta(days=3650)
"""How far before now an urgent event is due: ahead of everything else in the one column that orders."""

ENDS = ("low", "high")
_Asked = tuple[sa.Select[Any], dict[str, Any]]  # a statement and its parameters
RANGES = 50  # packages in one statement, where each adds to its length

# 20 is held from pending, 21-29 from the rungs 30-38; what was held before keeps its number.
HELD = (
    "CASE WHEN PROCESSED BETWEEN 30 AND 38 THEN PROCESSED - 9"
    " WHEN PROCESSED BETWEEN 20 AND 29 THEN PROCESSED ELSE 20 END"
)


@cache
def _due_range(queue: Queue, place: str) -> sa.Select[Any]:
    """The claim's one index range, in index order."""
    table = queue.table
    due = by_due(sa.select(*_columns(queue, place)), queue).where(table.c["DUE_AT"] <= _now(queue))
    some = due.order_by(table.c["DUE_AT"], table.c["ID"]).limit(sa.bindparam("look", type_=sa.Integer))
    return some.with_for_update(skip_locked=True)


def _now(queue: Queue) -> sa.BindParameter[Any]:
    return sa.bindparam("now", type_=queue.table.c["DUE_AT"].type)


def claim(
    transaction: Transaction, queue: Queue, now: datetime, limit: int, lease_end: datetime, look: int
) -> tuple[list[Event], float]:
    """Hold up to `limit` due events until `lease_end`; more only where one package alone has more.

    `look` is how many due rows to begin with: all that is looked at is locked for others, and where a package's events
    lie far apart each row brings some more. The number returned tells how many it brought.
    """
    rows: Sequence[Any] = transaction.rows(_due_range(queue, transaction.dialect.place), {"now": now, "look": look})
    gain = 1.0
    if rows and queue.version_column:
        seen = rows
        rows = _whole_packages(transaction, queue, seen, now, limit)
        taken = {row[1] for row in rows}
        gain = len(rows) / max(sum(row[1] in taken for row in seen), 1)
    token = new_token()
    _hold(transaction, queue, rows, lease_end, token)
    cursors = read_cursors(transaction, queue, [row[1] for row in rows]) if queue.has_cursor else None
    urgent = transaction.moment(now - URGENT / 2)
    return [_event(queue, row, urgent, token, cursors) for row in rows], max(gain, 1.0)


def read_cursors(transaction: Transaction, queue: Queue, names: Sequence[str]) -> dict[str, Cursor | None]:
    """The cursors kept for events of these names."""
    keys = {queue.cursor_key(name): name for name in names}
    found: dict[str, Cursor | None] = dict.fromkeys(names)
    for key, value, boundary, _ in transaction.execute(sa.select(STATUS).where(STATUS.c["TYPE"].in_(list(keys)))):
        found[keys[key]] = cursor_of(key, value, boundary)
    return found


def _whole_packages(
    transaction: Transaction, queue: Queue, rows: Sequence[Any], now: datetime, limit: int
) -> list[Any]:
    """All due events of the packages in `rows`, in order; packages that no longer fit stay for the next claim."""
    names = list(dict.fromkeys(row[1] for row in rows))
    taken: list[Any] = []
    looked, most = 0, len(names) if transaction.dialect.name == "postgresql" else RANGES
    while looked < len(names) and len(taken) < limit:
        # No more packages than fit, if they are like those before: what is looked at is locked for the others.
        fit = (limit - len(taken)) * looked // len(taken) + 1 if taken else RANGES
        some = names[looked : looked + min(fit, most)]
        looked += len(some)
        by_name = _due_of(transaction, queue, some, now)
        for name in some:
            # A row that others wrote may have an id that does not tell its package.
            events = by_name[name] or [row for row in rows if row[1] == name]
            if taken and len(taken) + len(events) > limit:
                limit = 0  # the next claim begins with it
                continue
            taken.extend(sorted(events, key=lambda row: (row[6], row[0])))
    return taken


def _due_of(transaction: Transaction, queue: Queue, names: Sequence[str], now: datetime) -> dict[str, list[Any]]:
    """All due events of these packages: one short range of ids each."""
    by_name: dict[str, list[Any]] = {name: [] for name in names}
    by_ranges = _by_joined_ranges if transaction.dialect.name == "postgresql" else _by_ranges
    for row in transaction.rows(*by_ranges(queue, transaction.dialect.place, names, now)):
        if row[1] in by_name:  # eight bytes of a digest may be shared by chance
            by_name[row[1]].append(row)
    return by_name


def _by_ranges(queue: Queue, place: str, names: Sequence[str], now: datetime) -> _Asked:
    ends: dict[str, Any] = {
        f"{end}{number}": one
        for number, name in enumerate(names)
        for end, one in zip(ENDS, queue.id_range(name), strict=True)
    }
    return _ranges(queue, place, len(names)), ends | {"now": now}


@cache
def _ranges(queue: Queue, place: str, count: int) -> sa.Select[Any]:
    """Made once: putting it together takes longer than running it."""
    identity = queue.table.c["ID"]
    ends = ([sa.bindparam(f"{end}{number}", type_=identity.type) for end in ENDS] for number in range(count))
    is_due = _is_due(queue, _now(queue))
    inside = sa.or_(*(identity.between(low, high) for low, high in ends))
    return sa.select(*_columns(queue, place)).where(*partition(queue), is_due, inside).with_for_update(skip_locked=True)


def _by_joined_ranges(queue: Queue, place: str, names: Sequence[str], now: datetime) -> _Asked:
    """The same in one statement for any number of packages, whose ranges go as one value (see `among`)."""
    low, high = zip(*map(queue.id_range, names), strict=True)
    ends: dict[str, Any] = {"last": len(names) - 1, "low": b"".join(low), "high": b"".join(high)}
    return _joined_ranges(queue, place), ends | {"now": now}


@cache
def _joined_ranges(queue: Queue, place: str) -> sa.Select[Any]:
    """As above."""
    counted = sa.func.generate_series(0, sa.bindparam("last", type_=sa.Integer)).table_valued("number").render_derived()

    def bound(end: str) -> sa.ColumnElement[bytes]:
        joined = sa.bindparam(end, type_=sa.LargeBinary)
        return sa.func.substring(joined, counted.c.number * ID_LENGTH + 1, ID_LENGTH, type_=sa.LargeBinary)

    inside = queue.table.c["ID"].between(bound("low"), bound("high"))
    is_due = _is_due(queue, _now(queue))
    found = sa.select(*_columns(queue, place)).where(*partition(queue), is_due, inside)
    locked = found.with_for_update(skip_locked=True).lateral("found")
    return sa.select(locked).select_from(counted.join(locked, sa.true()))


def _is_due(queue: Queue, now: sa.BindParameter[Any]) -> sa.ColumnElement[bool]:
    """Bare, the column would tempt planners to walk all that is due instead of short ranges of ids."""
    return sa.func.coalesce(queue.table.c["DUE_AT"], None) <= now


def _hold(transaction: Transaction, queue: Queue, rows: Sequence[Any], lease_end: datetime, token: int) -> None:
    for some in chunks(rows, 500):
        here = transaction.dialect.at([row[-1] for row in some])
        transaction.change(_holding(queue, transaction.dialect.place), {"until": lease_end, "token": token}, here)


@cache
def _holding(queue: Queue, place: str) -> sa.Update:
    values = {"DUE_AT": sa.bindparam("until"), "LEASE": sa.bindparam("token"), "PROCESSED": sa.text(HELD)}
    return sa.update(queue.table).where(these(place)).values(values)


def _columns(queue: Queue, place: str) -> list[sa.ColumnElement[Any]]:
    table = queue.table
    version: sa.ColumnElement[Any] = table.c[queue.version_column] if queue.version_column else sa.literal("")
    named = ("PROCESSED", "ATTEMPTS", "RESYNC", "DUE_AT")
    return [
        table.c["ID"],
        table.c[queue.name_column],
        version.label("V"),
        *(table.c[name] for name in (*named, *queue.facts)),
        sa.literal_column(place).label("PLACE"),
    ]


def _event(queue: Queue, row: Any, before: Any, token: int, cursors: Mapping[str, Cursor | None] | None) -> Event:
    """`before` is when urgent events are due, as the driver gives times."""
    identity, name, version, processed, attempts, resync, due_at, *told, _ = row
    facts = dict(zip(queue.facts, told, strict=True))
    facts |= read_facts(name, facts.pop("FACTS", None))
    if cursors is not None:
        facts["cursor"] = cursors[name]
    return Event(
        queue=queue.name,
        id=bytes(identity),
        name=name,
        version=version,
        kind=queue.kind,
        processed=_held_code(processed),
        attempts=attempts,
        resync=bool(resync),
        urgent=due_at < before,
        lease=token,
        facts=facts,
    )


def _held_code(processed: int) -> int:
    if 30 <= processed <= 38:
        return processed - 9
    return processed if 20 <= processed <= 29 else 20
