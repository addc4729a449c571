"""What `show` prints of the history."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from stook.terminal.tables import plain_table

__all__ = ["print_history"]


def print_history(console: Console, columns: tuple[str, ...], history: list[dict[str, Any]]) -> None:
    """What changed upstream, newest first."""

    def cells(one: dict[str, Any]) -> tuple[str, ...]:
        known = {"seen": f"{one['SEEN_AT']:%Y-%m-%d %H:%M}", "package": one["PRODUCT_KEY"], "version": one["VERSION"]}
        known |= {"what": one["KIND"], "from": _shortened(one["OLD"]), "to": _shortened(one["NEW"])}
        return tuple(known[name] for name in columns)

    console.print(plain_table("What changed upstream", columns, map(cells, history)))


def _shortened(text: str | None) -> str:
    return "" if text is None else text if len(text) <= 16 else f"{text[:12]}…"
