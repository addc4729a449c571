"""Every document gets a file of its own, whoever writes beside and whatever lies about."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from stook.datasets.names import assign_names, digest_name
from stook.datasets.tree.name_table import NameTable
from stook.datasets.tree.writer import Placement, RecordWriter
from stook.engine.files import FileChange


def make_writer(folder: Path, previous: dict[str, str] | None = None, *, crossing: bool = False) -> RecordWriter:
    return RecordWriter(folder, NameTable("yaml", previous), is_cross_process=crossing)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("crossing", [False, True])
def test_own_file_is_overwritten(tmp_path: Path, crossing: bool) -> None:
    """First outcome: what this run wrote for the document, it may write again."""
    writer = make_writer(tmp_path, crossing=crossing)
    writer.write_unique("A", b"1")
    assert writer.write_unique("A", b"2") == Placement("A", "a.yaml", FileChange.WRITTEN)
    assert contents(tmp_path) == {"a.yaml": "2"}


@pytest.mark.parametrize("crossing", [False, True])
def test_new_file_is_created(tmp_path: Path, crossing: bool) -> None:
    """Second outcome: a free name is taken."""
    assert make_writer(tmp_path, crossing=crossing).write_unique("A", b"1").change is FileChange.WRITTEN
    assert contents(tmp_path) == {"a.yaml": "1"}


def test_leftover_is_overwritten_when_alone(tmp_path: Path) -> None:
    """Third outcome: without other processes a file at the name is an earlier run's; equal bytes are kept."""
    (tmp_path / "a.yaml").write_text("old")
    assert make_writer(tmp_path).write_unique("A", b"new").change is FileChange.WRITTEN
    assert make_writer(tmp_path).write_unique("A", b"new").change is FileChange.KEPT
    assert contents(tmp_path) == {"a.yaml": "new"}


def test_a_file_of_nobody_is_left_alone_among_processes(tmp_path: Path) -> None:
    """Fourth outcome: it may be another process's, so the document takes its digest name until the parent settles."""
    (tmp_path / "a.yaml").write_text("old")
    child = make_writer(tmp_path, crossing=True)
    placed = child.write_unique("A", b"new")
    assert placed.name == digest_name("A", "yaml")
    assert contents(tmp_path)["a.yaml"] == "old"
    parent = make_writer(tmp_path)
    assert parent.absorb([placed]) == []
    assert parent.settle() == {digest_name("A", "yaml"): "a.yaml"}
    assert contents(tmp_path) == {"a.yaml": "new"}
    assert parent.written == {"a.yaml": "A"}


def test_a_known_document_writes_to_its_file_among_processes(tmp_path: Path) -> None:
    """Who had a name in the run before owns it: no rename, and equal bytes are not touched."""
    previous = assign_names(["a/b", "a b"], "yaml")
    for docid, name in previous.items():
        (tmp_path / name).write_text(docid)
    stamps = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    writer = make_writer(tmp_path, previous, crossing=True)
    changes = [writer.write_unique(docid, docid.encode()).change for docid in previous]
    assert changes == [FileChange.KEPT, FileChange.KEPT]
    assert writer.settle() == {}
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == stamps
    assert writer.write_unique("a/b", b"new").name == previous["a/b"]


def test_equal_bytes_of_two_documents_are_two_files(tmp_path: Path) -> None:
    """If two processes took one file for theirs as the bytes were equal, the parent makes it two."""
    placements = []
    for docid in ("a/b", "a b"):
        placements.append(make_writer(tmp_path, crossing=True).write_unique(docid, b"same"))
    assert len({one.name for one in placements}) == 1
    parent = make_writer(tmp_path)
    parent.absorb(placements)
    parent.settle()
    assert contents(tmp_path) == {"a-b.yaml": "same", digest_name("a/b", "yaml"): "same"}
    assert len(parent.written) == 2


def test_one_document_of_two_processes_stays_once(tmp_path: Path) -> None:
    """The plain file stays, the other goes, and a warning tells of it."""
    placements = [make_writer(tmp_path, crossing=True).write_unique("A", text) for text in (b"1", b"2")]
    parent = make_writer(tmp_path)
    assert len(parent.absorb(reversed(placements))) == 1
    parent.settle()
    assert contents(tmp_path) == {"a.yaml": "1"}


def _write_share(folder: Path, docids: list[str], previous: dict[str, str], pipe: int) -> None:
    writer = make_writer(folder, previous, crossing=True)
    placements = [writer.write_unique(docid, f"record of {docid}".encode()) for docid in docids]
    with os.fdopen(pipe, "w") as out:
        out.writelines(f"{one.docid}\t{one.name}\t{one.change}\n" for one in placements)


def _write_in_processes(folder: Path, docids: list[str], previous: dict[str, str]) -> RecordWriter:
    context = multiprocessing.get_context("fork")
    crew, readers = [], []
    for share in range(4):
        reader, writer = os.pipe()
        process = context.Process(target=_write_share, args=(folder, docids[share::4], previous, writer))
        process.start()
        os.close(writer)
        crew.append(process)
        readers.append(reader)
    placements = []
    for reader in readers:
        with os.fdopen(reader) as lines:
            for line in lines:
                docid, name, change = line.rstrip("\n").split("\t")
                placements.append(Placement(docid, name, FileChange(change)))
    for process in crew:
        process.join()
        assert process.exitcode == 0
    parent = make_writer(folder, previous)
    parent.absorb(placements)
    parent.settle()
    return parent


def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    """Documents that clash across processes all get a file, the names are those of one process, a rerun writes none."""
    docids = [f"doc {number // 2}{'/' if number % 2 else ' '}x" for number in range(800)]
    expected = assign_names(docids, "yaml")
    parent = _write_in_processes(tmp_path, docids, {})
    assert dict(parent.names.names) == expected
    assert contents(tmp_path) == {name: f"record of {docid}" for docid, name in expected.items()}
    stamps = {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    again = _write_in_processes(tmp_path, docids, dict(parent.names.names))
    assert {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in tmp_path.iterdir()} == stamps
    assert dict(again.names.names) == expected
    _write_in_processes(tmp_path, docids, {})
    assert contents(tmp_path) == {name: f"record of {docid}" for docid, name in expected.items()}


def test_the_first_in_text_order_wins_whoever_came_first(tmp_path: Path) -> None:
    """A document that another process was quicker than gets its plain name when the parent settles."""
    placements = [make_writer(tmp_path, crossing=True).write_unique(docid, docid.encode()) for docid in ("a/b", "a b")]
    parent = make_writer(tmp_path)
    parent.absorb(placements)
    assert len(parent.settle()) == 2
    assert contents(tmp_path) == {"a-b.yaml": "a b", digest_name("a/b", "yaml"): "a/b"}
