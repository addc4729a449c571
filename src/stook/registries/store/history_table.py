"""The history as a table."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from stook.terminal.tables import plain_table

__all__ = ["print_history"]


def print_history(console: Console, columns: tuple[str, ...], history: list[dict[str, Any]]) -> None:
    """Print changes upstream, newest first."""

    def cells(row: dict[str, Any]) -> tuple[str, ...]:
        known = {"seen": f"{row['SEEN_AT']:%Y-%m-%d %H:%M}", "package": row["PRODUCT_KEY"], "version": row["VERSION"]}
        known |= {"what": row["KIND"], "from": _shortened(row["OLD"]), "to": _shortened(row["NEW"])}
        return tuple(known[name] for name in columns)

    console.print(plain_table("What changed upstream", columns, map(cells, history)))


def _shortened(text: str | None) -> str:
    return "" if text is None else text if len(text) <= 16 else f"{text[:12]}…"
