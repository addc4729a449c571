"""Records into files: a file of its own for each document, whoever else writes beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from stook.datasets.tree.name_table import NameTable
from stook.engine.files import FileChange, create_file, file_equals, move_files, write_file

__all__ = ["Placement", "RecordWriter"]


@dataclass(frozen=True, slots=True)
class Placement:
    """The file that a document was written to, and whether that changed it."""

    docid: str
    name: str
    change: FileChange


def _nothing() -> None:
    """No ledger has to be told."""


@dataclass(slots=True)
class RecordWriter:
    """Writes the records of one run.

    With `is_cross_process` other processes write new documents into the same folder: each makes a writer of its own,
    and the parent takes over what they placed and settles the names. `before_change` is called before a file changes.
    """

    folder: Path
    names: NameTable
    is_cross_process: bool = False
    before_change: Callable[[], None] = _nothing
    written: dict[str, str] = field(default_factory=dict)
    """Name to document, of all files of this run."""

    def write_unique(self, docid: str, content: bytes) -> Placement:
        """Write the record of one document; raises Malformed for an identifier that cannot name a file, and OSError.

        Four outcomes: this run's own file is overwritten; a new file is created; a file of an earlier run is
        overwritten; a file that may be another process's is left alone, and the document takes its digest name.
        """
        name = self.names.reserve(docid)
        if self.written.get(name) == docid or not self.is_cross_process or not self.names.is_new(docid):
            return self._placed(docid, name, self._write(name, content))
        self.before_change()
        if create_file(self._path(name), content, is_durable=False):
            return self._placed(docid, name, FileChange.WRITTEN)
        if file_equals(self._path(name), content):  # a leftover of this document: its identifier is in the bytes
            return self._placed(docid, name, FileChange.KEPT)
        name = self.names.give_way(docid)
        return self._placed(docid, name, self._write(name, content))

    def keep(self, docid: str) -> str:
        """Count the document's file of the run before as this run's, unread."""
        name = self.names.keep(docid)
        self.written[name] = docid
        return name

    def absorb(self, placements: Iterable[Placement]) -> list[str]:
        """Take over what other processes placed; returns a warning for each document that two of them had."""
        warnings: list[str] = []
        for placed in sorted(placements, key=lambda one: (one.docid, len(one.name), one.name)):
            present = self.names.names.get(placed.docid)
            if present not in (None, placed.name):
                warnings.append(f"{placed.docid}: written as {present} and {placed.name}; the first stays")
                self._remove_stray(placed.name)
            elif self.names.adopt(placed.docid, placed.name):
                self.written[placed.name] = placed.docid
            else:  # two documents of equal bytes met in one file
                self._write(self.names.reserve(placed.docid), Path(self._path(placed.name)).read_bytes())
                self.written[self.names.names[placed.docid]] = placed.docid
        return warnings

    def settle(self) -> dict[str, str]:
        """Give new documents the names that do not depend on who came first; returns old name to new."""
        for docid, name in list(self.names.names.items()):
            if name not in self.written:  # its write was broken off
                self.names.forget(docid)
        moves = self.names.settle()
        if moves:
            self.before_change()
            move_files(self.folder, moves)
            moved = {new: self.written.pop(old) for old, new in moves.items()}
            self.written.update(moved)
        return moves

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def _placed(self, docid: str, name: str, change: FileChange) -> Placement:
        self.written[name] = docid
        return Placement(docid, name, change)

    def _write(self, name: str, content: bytes) -> FileChange:
        return write_file(self._path(name), content, is_durable=False, before=self.before_change)

    def _remove_stray(self, name: str) -> None:
        if name not in self.written:
            Path(self._path(name)).unlink()
