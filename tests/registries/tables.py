"""What the shelves of all registries have in common: a ledger, a clock, and tables to be read as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger import Ledger
from stook.testing import ManualClock

TIMES = frozenset({"ID", "CREATED", "LAST_UPDATED", "SEEN_AT"})


class Tables:
    """`tables` by the names that tests use: `list`, `version`, `product`, `history`; `order` sorts their rows."""

    tables: Mapping[str, sa.Table]
    order: tuple[str, ...]

    def __init__(self, ledger: Ledger, clock: ManualClock) -> None:
        self.ledger = ledger
        self.clock = clock

    def rows(self, table: str, *columns: str) -> list[Any]:
        """Rows as dictionaries, or as tuples of the columns asked for."""
        chosen = self.tables[table]
        order = [chosen.c[name] for name in self.order if name in chosen.c]
        with self.ledger.reading() as connection:
            found = connection.execute(sa.select(chosen).order_by(*order)).mappings().all()
        rows = [{str(name).upper(): value for name, value in row.items()} for row in found]
        if not columns:
            return rows
        return [tuple(row[name] for name in columns) if len(columns) > 1 else row[columns[0]] for row in rows]

    def facts(self) -> dict[str, list[Any]]:
        """All four tables without what says when we wrote."""
        left = {
            name: TIMES | ({"TIMESTAMP", "ENRICHED_AT"} if name in ("version", "product") else set())
            for name in self.tables
        }
        return {
            name: [{key: value for key, value in row.items() if key not in left[name]} for row in self.rows(name)]
            for name in self.tables
        }

    def entries(self) -> list[dict[str, Any]]:
        """The history, oldest first."""
        return sorted(self.rows("history"), key=lambda row: (row["SEEN_AT"], row["KIND"], row["VERSION"]))

    def set(self, table: str, where: dict[str, Any], **values: Any) -> None:
        """Set columns of the rows that match."""
        chosen = self.tables[table]
        with self.ledger.transaction() as transaction:
            matching = [chosen.c[name] == value for name, value in where.items()]
            transaction.execute(sa.update(chosen).where(*matching).values(values))
