"""Documents are found by identifier, by a spelling like it, and by its parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stook.datasets.iana.identifier import identify_registry
from stook.datasets.index.lookup import INDEX_FILE, LOOKUP_FILE, Index
from stook.datasets.index.rows import IndexRow, format_rows
from stook.datasets.model.identifier import Identifier
from stook.engine.errors import UserError

ROWS = [
    IndexRow("tls", "data/tls.yaml"),
    IndexRow("tls/ciphers", "data/tls-ciphers.yaml"),
    IndexRow("Ü x", "data/ü-x.yaml"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an index."""
    (tmp_path / INDEX_FILE).write_text(format_rows(ROWS), encoding="utf-8")
    return tmp_path


@pytest.fixture
def index(folder: Path) -> Iterator[Index]:
    """Its look-ups."""
    with closing(Index.open(folder, identify_registry)) as index:
        yield index


@pytest.mark.parametrize(
    ("docid", "file"),
    [
        ("tls", "data/tls.yaml"),
        ("TLS/Ciphers", "data/tls-ciphers.yaml"),
        ("ü  X", "data/ü-x.yaml"),
        ("tl", None),
        ("", None),
    ],
)
def test_find(index: Index, docid: str, file: str | None) -> None:
    """Case, blanks and dots do not count; a part of an identifier is not it."""
    found = index.find(docid)
    assert (found.file if found else None) == file


def test_search_by_parts(index: Index) -> None:
    """A reference covers everything that has at least its parts."""
    assert [row.id for row in index.search(Identifier("IANA", "tls"))] == ["tls", "tls/ciphers"]
    assert [row.id for row in index.search(Identifier("IANA", "tls", part="ciphers"))] == ["tls/ciphers"]
    assert index.search(Identifier("ISO", "tls")) == []
    assert [row.id for row in index.containing("LS", 5)] == ["tls", "tls/ciphers"]
    assert [row.id for row in index.containing("LS", 1)] == ["tls"]


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\0" * 100])
def test_the_database_is_made_anew(folder: Path, damage: bytes) -> None:
    """A missing, damaged or older database is that of the index again; a right one is not written."""
    with closing(Index.open(folder, identify_registry)) as index:
        assert len(index) == 3
    (folder / LOOKUP_FILE).write_bytes(damage)
    with closing(Index.open(folder, identify_registry)) as index:
        assert len(index) == 3
    before = (folder / LOOKUP_FILE).stat().st_mtime_ns
    Index.open(folder, identify_registry).close()
    assert (folder / LOOKUP_FILE).stat().st_mtime_ns == before
    (folder / INDEX_FILE).write_text(format_rows(ROWS[:1]))
    with closing(Index.open(folder, identify_registry)) as index:
        assert len(index) == 1


def test_no_index(tmp_path: Path) -> None:
    """The error says that a catalogue must be fetched."""
    with pytest.raises(UserError, match="fetch"):
        Index.open(tmp_path, identify_registry)
