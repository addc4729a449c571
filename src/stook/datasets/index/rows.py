"""`index-v1.yaml`: a row of two keys for each document, as the original writes it."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from stook.datasets.formats.rows import SCALAR, index_scalar, scan_rows, unquote
from stook.datasets.formats.yaml import load_yaml, scalar
from stook.engine.errors import Malformed

__all__ = ["IndexRow", "format_rows", "read_rows"]

_ROW = re.compile(rf"^- :id: {SCALAR}\n  :file: {SCALAR}\n(?=\S|\Z)", re.MULTILINE)
_START = re.compile(r"^- ", re.MULTILINE)


class IndexRow(msgspec.Struct, frozen=True, gc=False):  # made by the hundred thousand
    """A document's identifier, and its file relative to the folder of the index."""

    id: str
    file: str


def format_rows(rows: Iterable[IndexRow]) -> str:
    """The text of an index, rows in the order of their identifiers."""
    lines = [f"- :id: {_written(row.id)}\n  :file: {_written(row.file)}\n" for row in sorted(rows, key=_by_id)]
    return "---\n" + "".join(lines) if lines else "--- []\n"


def read_rows(text: str) -> tuple[list[IndexRow], list[str]]:
    """The rows of an index, and a reason for each row that cannot be read, with its line."""
    rows: list[IndexRow] = []
    problems: list[str] = []
    for place, part in scan_rows(text, _ROW, _START):
        try:
            row = _fast(part) or _slow(part if isinstance(part, str) else part[0])
        except Malformed as error:
            problems.append(f"line {text.count(chr(10), 0, place) + 1}: {error.reason}")
            continue
        rows.extend(row)
    return rows, problems


def _by_id(row: IndexRow) -> str:
    return row.id


def _written(text: str) -> str:
    return index_scalar(text, scalar(text))


def _fast(part: re.Match[str] | str) -> list[IndexRow]:
    if isinstance(part, str):
        return []
    docid, file = unquote(part[1]), unquote(part[2])
    return [] if docid is None or file is None else [IndexRow(docid, file)]


def _slow(text: str) -> list[IndexRow]:
    found = load_yaml(text)
    if found is None or found == []:
        return []
    row = found[0] if isinstance(found, list) and len(found) == 1 else None
    if not isinstance(row, dict) or set(row) != {":id", ":file"}:
        raise Malformed("a row has the keys :id and :file, and no other")
    if not all(isinstance(value, str) and value for value in row.values()):
        raise Malformed("the identifier and the file of a row are text")
    return [IndexRow(row[":id"], row[":file"])]
