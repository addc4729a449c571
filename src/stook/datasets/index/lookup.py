"""`index.sqlite`: the rows of an index, to be found by identifier, by its spelling and by its parts."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from stook.datasets.index.rows import IndexRow, read_rows
from stook.datasets.model.identifier import Identifier
from stook.engine.errors import UserError
from stook.engine.files import write_file

__all__ = ["INDEX_FILE", "LOOKUP_FILE", "Identify", "Index", "build_lookup", "refresh_lookup"]

INDEX_FILE = "index-v1.yaml"
LOOKUP_FILE = "index.sqlite"
Identify = Callable[[str], Identifier | None]

_VERSION = 1
_SCHEMA = """
CREATE TABLE record (
    docid TEXT PRIMARY KEY, folded TEXT NOT NULL, number TEXT NOT NULL, identifier TEXT NOT NULL, file TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE source (digest TEXT NOT NULL);
"""
_INDEXES = """
CREATE INDEX record_folded ON record (folded);
CREATE INDEX record_number ON record (number) WHERE number <> '';
"""


class Index:
    """Read-only look-ups among the rows of one folder's index."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)

    @classmethod
    def open(cls, folder: Path, identify: Identify) -> Index:
        """The index of a folder; the database is made anew where it is not that of `index-v1.yaml`.

        Raises UserError if there is no index.
        """
        refresh_lookup(folder, identify)
        return cls(folder / LOOKUP_FILE)

    def close(self) -> None:
        """No more look-ups."""
        self._connection.close()

    def __len__(self) -> int:
        count: int = self._connection.execute("SELECT count(*) FROM record").fetchone()[0]
        return count

    def find(self, docid: str) -> IndexRow | None:
        """The document of that identifier, else the first one spelt alike: case, blanks and dots do not count."""
        query = "SELECT docid, file FROM record WHERE "
        found = self._connection.execute(f"{query} docid = ?", (docid,)).fetchone()
        if found is None:
            folded = _folded(docid)
            found = self._connection.execute(f"{query} folded = ? ORDER BY docid", (folded,)).fetchone()
        return IndexRow(*found) if found else None

    def search(self, wanted: Identifier) -> list[IndexRow]:
        """The documents that the identifier covers, in text order."""
        rows = self._connection.execute(
            "SELECT docid, file, identifier FROM record WHERE number = ? AND number <> '' ORDER BY docid",
            (wanted.root.number,),
        )
        return [
            IndexRow(docid, file)
            for docid, file, identifier in rows
            if wanted.covers(Identifier.from_dict(json.loads(identifier)))
        ]

    def containing(self, text: str, limit: int) -> list[IndexRow]:
        """Documents whose identifier contains the text as it is spelt alike; looks at every row."""
        rows = self._connection.execute(
            "SELECT docid, file FROM record WHERE instr(folded, ?) > 0 ORDER BY docid LIMIT ?", (_folded(text), limit)
        )
        return [IndexRow(*row) for row in rows]


def refresh_lookup(folder: Path, identify: Identify) -> None:
    """Make the database of a folder anew if it is not that of the index there; raises UserError if there is none."""
    try:
        data = (folder / INDEX_FILE).read_bytes()
    except FileNotFoundError:
        raise UserError(f"there is no {INDEX_FILE} in {folder}: fetch a catalogue first") from None
    if _digest_of(folder / LOOKUP_FILE) != sha256(data).hexdigest():
        rows, _ = read_rows(data.decode(errors="replace"))
        write_file(folder / LOOKUP_FILE, build_lookup(rows, data, identify))


def build_lookup(rows: Iterable[IndexRow], yaml: bytes, identify: Identify) -> bytes:
    """The bytes of the database for these rows of the index `yaml`. Of two rows of one document the first counts."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        connection.executemany("INSERT OR IGNORE INTO record VALUES (?, ?, ?, ?, ?)", _values(rows, identify))
        connection.execute("INSERT INTO source VALUES (?)", (sha256(yaml).hexdigest(),))
        connection.executescript(_INDEXES)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.commit()
        return connection.serialize()


def _values(rows: Iterable[IndexRow], identify: Identify) -> Iterator[tuple[str, str, str, str, str]]:
    for row in rows:
        identifier = identify(row.id)
        number = identifier.root.number if identifier else ""
        text = json.dumps(identifier.to_dict(), ensure_ascii=False) if identifier else ""
        yield row.id, _folded(row.id), number, text, row.file


def _folded(docid: str) -> str:
    return re.sub(r"[\s.]+", " ", docid.casefold()).strip()


def _digest_of(path: Path) -> str:
    """The digest of the index that the database was made from; empty if it is none of ours."""
    if not path.is_file():
        return ""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                return ""
            digest: str = connection.execute("SELECT digest FROM source").fetchone()[0]
            return digest
    except (sqlite3.DatabaseError, TypeError):
        return ""
