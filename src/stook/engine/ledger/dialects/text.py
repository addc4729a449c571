"""Rows as text, for bulk writes: column by column, as most of what a row at a time costs is looking at each value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from stook.engine.ledger.dialects.dialect import Rows

__all__ = ["ColumnWriter", "written"]

ColumnWriter = Callable[[Sequence[Any]], Iterable[str]]
"""Writes values that are all of one type."""


def written(rows: Rows, writers: Mapping[type, ColumnWriter], between: str) -> list[str]:
    """Each row as one text, its values with `between` between them; TypeError for a type that has no writer."""
    return list(map(between.join, zip(*(_column(column, writers) for column in zip(*rows, strict=True)), strict=True)))


def _column(column: Sequence[Any], writers: Mapping[type, ColumnWriter]) -> Iterable[str]:
    kinds = set(map(type, column))
    if len(kinds) > 1:
        return [text for value in column for text in _column_of(type(value), writers)((value,))]
    writer = _column_of(kinds.pop(), writers)
    if column.count(column[0]) == len(column):  # one value for all, as moments and marks often are
        return repeat(next(iter(writer(column[:1]))), len(column))
    return writer(column)


def _column_of(kind: type, writers: Mapping[type, ColumnWriter]) -> ColumnWriter:
    try:
        return writers[kind]
    except KeyError:
        raise TypeError(f"no SQL text for {kind.__name__}") from None
