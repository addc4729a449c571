"""The page of a package, or of one of its versions, as `show` prints it for every registry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

from stook.registries.store.history_table import print_history
from stook.registries.store.reading import Package
from stook.terminal.stdout import Page, print_json
from stook.terminal.tables import fact, plain, plain_table

__all__ = ["VERSIONS_SHOWN", "as_text", "print_facts", "print_package", "print_package_json"]

VERSIONS_SHOWN = 15
"""Versions on a package's page, unless all are asked for."""


def print_package_json(package: Package, more: Mapping[str, Any] | None = None) -> None:
    """The package as one JSON document; `more` are facts of its registry."""
    told = {"product": package.product, "versions": package.versions, "history": package.history}
    print_json({**told, **(more or {})})


def print_package(
    title: str,
    facts: Iterable[tuple[str, str]],
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    history: list[dict[str, Any]],
    *,
    everything: bool,
) -> None:
    """A title, facts, one row a version from the highest down, and the history."""
    console = Page()
    console.print(plain(title), style="bold")
    for name, value in facts:
        console.print(fact(name, value, 14), soft_wrap=True)
    shown = rows if everything else rows[:VERSIONS_SHOWN]
    console.print(plain_table("Versions", columns, shown))
    if len(shown) < len(rows):
        console.print(f"{len(rows) - len(shown):,} more: --all")
    if history:
        print_history(console, ("seen", "version", "what", "from", "to"), history)


def print_facts(console: Console, row: Mapping[str, Any], left_out: Collection[str], width: int) -> None:
    """The columns of a row that say something, one a line."""
    for name, value in row.items():
        if value not in (None, "", [], {}) and name not in left_out:
            console.print(fact(name.lower(), as_text(value), width), soft_wrap=True)


def as_text(value: Any) -> str:
    """A column's value for people: a list with commas, of a document its URL."""
    if isinstance(value, dict):
        return str(value.get("url") or value.get("URL") or value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
