"""Tables: a grid of cells as a Markdown table (GitHub Flavored Markdown, section 4.10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stook.web.extract.html import Element
from stook.web.extract.markdown.code import is_line_number

__all__ = ["TableRow", "is_data_table", "table_lines", "table_rows"]

_SECTIONS = ("thead", "tbody", "tfoot")
_LAYOUT = frozenset("table h1 h2 h3 h4 h5 h6 article section main aside nav form blockquote dl hr".split())
_MAX_SPAN = 16  # columns that one cell may take
_MAX_COLUMNS = 64  # a wider table is not drawn


class TableRow(NamedTuple):
    """The cells of a row."""

    cells: list[Element]
    is_header: bool


def table_rows(table: Element) -> list[TableRow]:
    """Return the rows of a table, those of its head first, without those of tables inside."""
    rows = {section: list[TableRow]() for section in _SECTIONS}
    for section, row in _row_elements(table):
        cells = [cell for cell in row.children if isinstance(cell, Element) and _is_cell(cell)]
        if cells:
            is_header = section == "thead" or all(cell.tag == "th" for cell in cells)
            rows[section].append(TableRow(cells, is_header))
    return [*rows["thead"], *rows["tbody"], *rows["tfoot"]]


def _is_cell(element: Element) -> bool:
    return element.tag in ("td", "th") and not is_line_number(element)


def _row_elements(table: Element) -> Iterator[tuple[str, Element]]:
    for child in table.children:
        if isinstance(child, Element):
            if child.tag in _SECTIONS:
                yield from ((child.tag, row) for row in child.children if isinstance(row, Element) and row.tag == "tr")
            elif child.tag == "tr":
                yield "tbody", child


def is_data_table(table: Element, rows: list[TableRow]) -> bool:
    """Tell a table of data from one that only places blocks on the page."""
    if (table.attributes.get("role") or "") in ("presentation", "none"):
        return False
    width = max((len(row.cells) for row in rows), default=0)
    if not 2 <= width <= _MAX_COLUMNS:
        return False
    return not any(_holds_layout(cell) for row in rows for cell in row.cells)


def _holds_layout(cell: Element) -> bool:
    """Look at the cell without recursion; a cell of many paragraphs is a place on the page, too."""
    rest, paragraphs = [cell], 0
    while rest:
        for child in rest.pop().children:
            if isinstance(child, Element):
                paragraphs += child.tag == "p"
                if child.tag in _LAYOUT or paragraphs > 3:
                    return True
                rest.append(child)
    return False


def table_lines(rows: list[TableRow], texts: list[list[str]]) -> list[str]:
    """Draw the table. `texts` holds the inline Markdown of each cell; a cell over many columns fills the first."""
    grid = [_spread(row, line) for row, line in zip(rows, texts, strict=True)]
    width = max(map(len, grid))
    header = grid.pop(0) if rows[0].is_header else []
    header += [""] * (width - len(header))
    return [_line(header), "| " + " | ".join(["---"] * width) + " |", *map(_line, grid)]


def _spread(row: TableRow, texts: list[str]) -> list[str]:
    line: list[str] = []
    for cell, text in zip(row.cells, texts, strict=True):
        span = cell.attributes.get("colspan") or "1"
        columns = min(int(span), _MAX_SPAN) if span.isascii() and span.isdigit() and len(span) < 6 else 1
        line += [text, *[""] * (columns - 1)]
    return line


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("\n", " ").replace("|", "\\|") for cell in cells) + " |"
