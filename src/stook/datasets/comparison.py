"""What is wrong with a fetched catalogue, and what differs between two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path, PurePosixPath

from stook.datasets.index.lookup import INDEX_FILE
from stook.datasets.index.rows import IndexRow, read_rows
from stook.datasets.names import name_candidates
from stook.datasets.search.catalogue import READABLE, read_record
from stook.engine.errors import Malformed, UserError

__all__ = ["CatalogueFault", "Difference", "DifferenceKind", "compare_catalogues", "verify_catalogue"]

_CHECKED_NAMES = 4


@dataclass(frozen=True, slots=True)
class CatalogueFault:
    """A file or a document, and what is wrong with it."""

    subject: str
    reason: str


class DifferenceKind(StrEnum):
    """How a document of one catalogue stands in another."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Difference:
    """One document that is not the same in both; `moved` has equal bytes under another name."""

    kind: DifferenceKind
    docid: str


def verify_catalogue(folder: Path) -> Iterator[CatalogueFault]:
    """Everything that is wrong: rows, missing or foreign files, shared and wrong names, records that cannot be read.

    Raises UserError if there is no index.
    """
    rows, problems = _rows(folder)
    yield from (CatalogueFault(INDEX_FILE, reason) for reason in problems)
    owners: dict[str, str] = {}
    for row in rows:
        if row.file in owners:
            yield CatalogueFault(row.id, f"shares {row.file} with {owners[row.file]!r}")
        owners.setdefault(row.file, row.id)
        yield from _record_faults(folder, row)
    for path in sorted({(folder / file).parent for file in owners}):
        yield from _foreign_files(folder, path, owners)


def _record_faults(folder: Path, row: IndexRow) -> Iterator[CatalogueFault]:
    path = PurePosixPath(row.file)
    try:
        if path.name not in islice(name_candidates(row.id, path.suffix.removeprefix(".")), _CHECKED_NAMES):
            yield CatalogueFault(row.id, f"{path.name} is no name of this identifier")
        if path.suffix in READABLE:
            read_record(folder, row)
        elif not (folder / row.file).is_file():
            yield CatalogueFault(row.id, f"{row.file} is missing")
    except FileNotFoundError:
        yield CatalogueFault(row.id, f"{row.file} is missing")
    except (Malformed, OSError) as error:
        yield CatalogueFault(row.id, str(error))


def _foreign_files(folder: Path, place: Path, owners: dict[str, str]) -> Iterator[CatalogueFault]:
    suffixes = {PurePosixPath(file).suffix for file in owners}
    if not place.resolve().is_relative_to(folder.resolve()) or not place.is_dir():
        return
    for path in sorted(place.iterdir()):
        name = path.relative_to(folder).as_posix()
        if path.suffix in suffixes and not path.name.startswith(".") and place != folder and name not in owners:
            yield CatalogueFault(name, "no row of the index names this file")


def compare_catalogues(old: Path, new: Path) -> list[Difference]:
    """The documents that differ, in text order; raises UserError if one has no index."""
    before, after = ({row.id: row for row in _rows(folder)[0]} for folder in (old, new))
    found: list[Difference] = []
    for docid in sorted(before.keys() | after.keys()):
        kind = _difference(old, before.get(docid), new, after.get(docid))
        if kind is not None:
            found.append(Difference(kind, docid))
    return found


def _difference(old: Path, before: IndexRow | None, new: Path, after: IndexRow | None) -> DifferenceKind | None:
    if before is None:
        return DifferenceKind.ADDED
    if after is None:
        return DifferenceKind.REMOVED
    if _bytes(old / before.file) != _bytes(new / after.file):
        return DifferenceKind.CHANGED
    is_moved = PurePosixPath(before.file).name != PurePosixPath(after.file).name
    return DifferenceKind.MOVED if is_moved else None


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _rows(folder: Path) -> tuple[list[IndexRow], list[str]]:
    try:
        text = (folder / INDEX_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"there is no {INDEX_FILE} in {folder}") from None
    except UnicodeDecodeError:
        raise UserError(f"{folder / INDEX_FILE} is no UTF-8 text") from None
    return read_rows(text)
