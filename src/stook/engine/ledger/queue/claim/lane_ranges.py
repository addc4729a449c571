"""The statements of a walk along lanes: which are due, what is due on each, and what comes first on each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from stook.engine.ledger.queue.claim.rows import columns
from stook.engine.ledger.queue.model import Queue, by_lane
from stook.engine.ledger.schema import QUEUE_LANE
from stook.engine.ledger.transaction import Transaction, chunks

__all__ = ["due_lanes", "due_on_lanes", "first_on_lanes"]

TOGETHER = 16  # lanes in one statement, where the engine cannot join laterally


def due_lanes(transaction: Transaction, queue: Queue, now: datetime, count: int, passed: Collection[str]) -> list[Any]:
    """The first lanes in line, locked, as (LANE, NEXT_AT, TURN): but for those passed, and those others have locked."""
    size = 1 << len(passed).bit_length()  # few statements for all numbers
    values: dict[str, Any] = {f"p{number}": "" for number in range(size)}
    values |= {f"p{number}": lane for number, lane in enumerate(passed)}
    return transaction.rows(_line(size), values | {"queue": queue.name, "now": now, "count": count})


def due_on_lanes(transaction: Transaction, queue: Queue, now: datetime, counts: Mapping[str, int]) -> list[Any]:
    """So many due rows of each lane, oldest first, locked."""
    return _rows(transaction, queue, _due, {"now": now}, list(counts.items()))


def first_on_lanes(transaction: Transaction, queue: Queue, lanes: Iterable[str]) -> dict[str, Any]:
    """When the first event of each lane is due, whoever holds it, as the driver gives times.

    Read without a lock, so that no event is passed over that somebody else has locked.
    """
    return dict(_rows(transaction, queue, _first, {"last": datetime.max}, [(lane, 1) for lane in lanes]))


def _rows(
    transaction: Transaction, queue: Queue, statement: Any, values: Mapping[str, Any], counts: Sequence[tuple[str, int]]
) -> list[Any]:
    dialect = transaction.dialect
    if not counts:
        return []
    if dialect.joins_laterally:
        lanes, limits = (list(column) for column in zip(*counts, strict=True))
        text = statement(queue, dialect.place, 0, in_parentheses=False)
        return transaction.rows(text, {**values, "lanes": lanes, "counts": limits})
    text = statement(queue, dialect.place, TOGETHER, in_parentheses=dialect.parenthesizes_unions)
    rows: list[Any] = []
    for part in chunks(counts, TOGETHER):
        bound = dict(values)
        for number, (lane, count) in enumerate([*part, *[("", 0)] * (TOGETHER - len(part))]):
            bound |= {f"lane{number}": lane, f"count{number}": count}
        rows += transaction.rows(text, bound)
    return rows


@cache
def _line(passed: int) -> sa.Select[Any]:
    lane, next_at, turn = (QUEUE_LANE.c[name] for name in ("LANE", "NEXT_AT", "TURN"))
    others = lane.not_in([sa.bindparam(f"p{number}", type_=lane.type) for number in range(passed)])
    queue = QUEUE_LANE.c["QUEUE"] == sa.bindparam("queue", type_=QUEUE_LANE.c["QUEUE"].type)
    due = sa.select(lane, next_at, turn).where(queue, next_at <= sa.bindparam("now", type_=next_at.type), others)
    due = due.with_hint(QUEUE_LANE, "FORCE INDEX (`IX_TB_CRAWLER_LANE_NEXT`)", "mysql")
    first = due.order_by(next_at, turn, lane).limit(sa.bindparam("count", type_=sa.Integer))
    return first.with_for_update(skip_locked=True)


@cache
def _due(queue: Queue, place: str, lanes: int, *, in_parentheses: bool) -> sa.Executable:
    due = queue.table.c["DUE_AT"]
    rows = sa.select(*columns(queue, place)).where(due <= sa.bindparam("now", type_=due.type))
    return _of_each(queue, rows.with_for_update(skip_locked=True), lanes, in_parentheses)


@cache
def _first(queue: Queue, place: str, lanes: int, *, in_parentheses: bool) -> sa.Executable:
    lane, due = queue.table.c["LANE"], queue.table.c["DUE_AT"]
    rows = sa.select(lane, due).where(due <= sa.bindparam("last", type_=due.type))
    return _of_each(queue, rows, lanes, in_parentheses)


def _of_each(queue: Queue, chosen: sa.Select[Any], lanes: int, in_parentheses: bool) -> sa.Executable:
    """The first of the chosen rows of each lane: joined laterally to all lanes, or a union of the ranges of so many.

    A part of a union that has a limit stands in parentheses, or, where these are no SQL, is a table of its own.
    """

    def first(lane: sa.ColumnElement[Any], count: Any) -> sa.Select[Any]:
        table = queue.table
        return (
            by_lane(chosen, queue)
            .where(table.c["LANE"] == lane)
            .order_by(table.c["DUE_AT"], table.c["ID"])
            .limit(count)
        )

    if not lanes:
        kinds: dict[str, Any] = {"lanes": sa.Text, "counts": sa.Integer}
        arrays: list[Any] = [sa.cast(sa.bindparam(name), ARRAY(kind)) for name, kind in kinds.items()]
        asked = sa.func.unnest(*arrays).table_valued("lane", "count").render_derived("asked")
        found = first(asked.c.lane, asked.c.count).lateral("found")
        return sa.select(found).select_from(asked.join(found, sa.true()))
    kind = queue.table.c["LANE"].type
    ranges = [
        first(sa.bindparam(f"lane{number}", type_=kind), sa.bindparam(f"count{number}", type_=sa.Integer))
        for number in range(lanes)
    ]
    if in_parentheses:
        return sa.union_all(*ranges)
    return sa.union_all(*(sa.select(rows.subquery(f"r{number}")) for number, rows in enumerate(ranges)))
