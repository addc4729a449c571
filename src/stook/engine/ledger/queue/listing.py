"""Rows of a list that a look at something else completes: a package's file tells the end of all its versions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Table

from stook.engine.errors import FailureCode
from stook.engine.ledger.queue import codes
from stook.engine.ledger.transaction import Transaction
from stook.engine.words import Code

__all__ = ["complete_rows"]

ENDS = ("DUE_AT", "PROCESSED", "LAST_CODE", "LAST_ERROR", "CREATED", "LAST_UPDATED")
KEPT_IF_BUSY = ("LAST_CODE", "LAST_ERROR", "DUE_AT", "PROCESSED")
"""In this order: what tells that the row is busy comes last, as MySQL reads columns that it has already set."""


def complete_rows(
    transaction: Transaction,
    table: Table,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    update: Sequence[str],
    problems: Sequence[str],
    now: datetime,
) -> None:
    """Insert or update rows of a list, which are complete then; those with a problem, "" for none, are malformed.

    `columns` and `update` are the product's own (see `Transaction.upsert`); the queue's are written here. A row that a
    worker holds, or that waits to be seen again as an operator asked, keeps its place in the queue.
    """
    at = transaction.moment(now)
    ended = [(*row, *_end(problem), at, at) for row, problem in zip(rows, problems, strict=True)]
    busy = (
        f"({codes.held_text(f'{table.name}.PROCESSED')} OR {table.name}.RESYNC = 1 AND {table.name}.DUE_AT IS NOT NULL)"
    )
    kept = [f"{name}=CASE WHEN {busy} THEN {{old}} ELSE {{new}} END" for name in KEPT_IF_BUSY]
    asked = f"RESYNC=CASE WHEN {busy} THEN {{old}} ELSE 0 END"
    transaction.upsert(table, [*columns, *ENDS], ended, [*update, "LAST_UPDATED", *kept, asked])


def _end(problem: str) -> tuple[Any, ...]:
    if problem:
        return None, int(Code.MALFORMED), FailureCode.MALFORMED.value, problem[:500]
    return None, int(Code.COMPLETE), None, None
