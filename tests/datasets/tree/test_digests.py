"""The ledger is read back as it was written, and one bad row costs one record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stook.datasets.tree.digests import LEDGER_FILE, META_FILE, DigestLedger, LedgerVersion, entry_digest
from stook.engine.errors import Malformed

VERSION = LedgerVersion("yaml", "hand", 1, "v1")
DIGEST = "0" * 63 + "a"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def read(folder: Path) -> DigestLedger:
    return DigestLedger(folder, VERSION)


@given(st.dictionaries(TEXT, TEXT, max_size=5))
@example({"k" * 3000: "data/k.yaml", "é" * 1500: "x", "null": "y", "a: b": "c # d", "-": "?"})
@example({"? x": "a", ": y": "b", "#": "c", "12": "d", "\x85": "\u2028", "\n": "\r"})
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)  # it waits for the disk
def test_round_trip(tmp_path: Path, files: dict[str, str]) -> None:
    """Any identifier and any path come back; the original's reader, a plain YAML one, reads the same."""
    ledger = read(tmp_path)
    for docid in files:
        ledger.note(docid, DIGEST)
    ledger.save(files)
    again = read(tmp_path)
    assert {docid: again.trusted_file(docid, DIGEST) for docid in files} == files
    rows = yaml.safe_load((tmp_path / LEDGER_FILE).read_text(encoding="utf-8"))
    assert rows == {docid: {"digest": DIGEST, "file": file} for docid, file in files.items()}
    for path in (LEDGER_FILE, META_FILE):
        (tmp_path / path).unlink()


def test_a_bad_row_costs_itself(tmp_path: Path) -> None:
    """Broken, foreign and strange rows are passed over; the rows beside them count."""
    ledger = read(tmp_path)
    for docid in ("A", "B"):
        ledger.note(docid, DIGEST)
    ledger.save({"A": "data/a.yaml", "B": "data/b.yaml"})
    path = tmp_path / LEDGER_FILE
    bad = "X: [\nY: 1\nZ:\n  digest: 1\n  file: 2\nnull:\n  digest: a\n  file: b\nV:\n  digest: a\n"
    path.write_text(path.read_text().replace("---\n", f"---\n# a note\n{bad}"))
    again = read(tmp_path)
    assert again.trusted_file("A", DIGEST) == "data/a.yaml"
    assert again.trusted_file("B", DIGEST) == "data/b.yaml"
    assert again.trusted_file("X", DIGEST) is None


def test_the_originals_form_is_read(tmp_path: Path) -> None:
    """Rows as another program writes them count too."""
    read(tmp_path).save({})
    (tmp_path / LEDGER_FILE).write_text(f"---\nRFC 1:\n  file: data/rfc1.yaml\n  digest: '{DIGEST}'\n")
    assert read(tmp_path).trusted_file("RFC 1", DIGEST) == "data/rfc1.yaml"


@pytest.mark.parametrize("content", [b"\xff", b"", b"{", b"[]", b'{"format": 1}'])
def test_an_unreadable_version_distrusts_all(tmp_path: Path, content: bytes) -> None:
    """Every record is done again."""
    ledger = read(tmp_path)
    ledger.note("A", DIGEST)
    ledger.save({"A": "a"})
    (tmp_path / META_FILE).write_bytes(content)
    assert read(tmp_path).trusted_file("A", DIGEST) is None


def test_open_until_saved(tmp_path: Path) -> None:
    """From the first change to the end of a run the rows on disk count for nobody."""
    ledger = read(tmp_path)
    ledger.note("A", DIGEST)
    ledger.save({"A": "a"})
    assert json.loads((tmp_path / META_FILE).read_text())["is_saved"] is True
    ledger.mark_open()
    assert len(read(tmp_path)) == 0
    ledger.save({"A": "a"})
    assert len(read(tmp_path)) == 1


def test_only_documents_with_a_file_have_rows(tmp_path: Path) -> None:
    """What was noted for a record that is not there is not kept, nor a row of a record that is gone."""
    ledger = read(tmp_path)
    for docid in ("A", "B"):
        ledger.note(docid, DIGEST)
    ledger.save({"A": "a"})
    assert len(read(tmp_path)) == 1
    later = read(tmp_path)
    later.save({})
    assert len(read(tmp_path)) == 0
    assert (tmp_path / LEDGER_FILE).read_text() == "--- {}\n"


def test_digest_does_not_depend_on_the_order_of_keys() -> None:
    """Two ways to write one entry have one digest, two entries have two."""
    assert entry_digest({"a": 1, "b": [1, "é"]}) == entry_digest({"b": [1, "é"], "a": 1})
    assert entry_digest({"a": 1}) != entry_digest({"a": "1"})
    with pytest.raises(Malformed, match="digest"):
        entry_digest({"a": object()})
