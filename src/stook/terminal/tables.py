"""Text and tables for a terminal, of values that a source may have written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Group, JustifyMethod
from rich.table import Table
from rich.text import Text

__all__ = ["cut", "fact", "plain", "plain_table"]


def plain(value: object) -> Text:
    """Text that a source may have written, as it stands: never markup, never a terminal's control sequence.

    Tabs, which indent what the programs behind a source print, are blanks.
    """
    text = str(value).replace("\t", " ")
    return Text("".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text))


def fact(name: str, value: object, width: int) -> Text:
    """A name and its value, which begins at column `width`; further lines are indented, so none passes for a fact."""
    return plain(f"{name:{width}}{value}".replace("\n", "\n" + " " * width))


def plain_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Group:
    """A titled table of plain cells, numbers with their thousands.

    A column is right-aligned when its name begins with `>`; with `~` its cells are one line, cut with an ellipsis.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        is_number = name.startswith(">")
        justify: JustifyMethod = "right" if is_number else "left"
        table.add_column(
            name.lstrip(">~"), justify=justify, overflow="ellipsis" if is_number else "fold", no_wrap=is_number
        )
    for row in rows:
        table.add_row(*(_cell(name, value) for name, value in zip(columns, row, strict=True)))
    return Group(Text(plain(title).plain, style="bold"), table)


def _cell(column: str, value: object) -> Text:
    text = plain(f"{value:,}" if isinstance(value, int) else value)
    if column.startswith("~"):
        text.no_wrap, text.overflow = True, "ellipsis"
    return text


def cut(text: str, length: int) -> str:
    """At most `length` characters, the last of them an ellipsis where something is left out."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
