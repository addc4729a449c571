"""The ledger of digests: which entries of a source are unchanged, so that their records need no work.

It is two files beside the records. `.digests.yaml` is the original's map of document to digest and file;
`.digests.meta.json` says for which format, flavour and schema it holds, and whether the last run that wrote saved it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from stook.datasets.formats.rows import SCALAR, index_scalar, scan_rows, unquote
from stook.datasets.formats.yaml import load_yaml, scalar
from stook.engine.errors import Malformed
from stook.engine.files import write_file

__all__ = ["LEDGER_FILE", "META_FILE", "DigestLedger", "LedgerRow", "LedgerVersion", "entry_digest"]

LEDGER_FILE = ".digests.yaml"
META_FILE = ".digests.meta.json"
_ROW = re.compile(rf'^{SCALAR}:\n  digest: "?([0-9a-f]{{64}})"?\n  file: {SCALAR}\n(?=\S|\Z)', re.MULTILINE)
_START = re.compile(r"^[^\s#:]", re.MULTILINE)  # a line with a colon first goes on with a long key


class LedgerVersion(msgspec.Struct, frozen=True):
    """What the rows depend on besides the entries; `is_saved` is false from a run's first write to its end."""

    format: str
    flavour: str
    flavour_version: int
    schema: str
    is_saved: bool = True


class LedgerRow(msgspec.Struct, frozen=True, gc=False):  # made by the hundred thousand
    """The digest of a document's entry when its record was made, and the record's file."""

    digest: str
    file: str


def entry_digest(entry: object) -> str:
    """SHA-256 of the entry as compact JSON with sorted keys; raises Malformed if JSON cannot hold it."""
    try:
        return hashlib.sha256(msgspec.json.encode(entry, order="sorted")).hexdigest()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Malformed(f"the entry cannot be told apart by a digest: {error}") from None


class DigestLedger:
    """The rows of one folder; all are distrusted when the version differs or the last run was not saved.

    A run that does not use the ledger makes it with `is_used=False`: it only has to say that records change.
    """

    def __init__(self, folder: Path, version: LedgerVersion, *, is_used: bool = True) -> None:
        self._folder = folder
        self._version = version
        self._found = _read_version(folder / META_FILE)
        self._rows = _read_rows(folder / LEDGER_FILE) if is_used and self._found == version else {}
        self._notes: dict[str, str] = {}
        self._has_lost = False

    def __len__(self) -> int:
        return len(self._rows)

    def trusted_file(self, docid: str, digest: str) -> str | None:
        """The record's file if the entry has the digest of last time, else None; whether it is there, see yourself."""
        row = self._rows.get(docid)
        return row.file if row is not None and row.digest == digest else None

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save."""
        return self._has_lost or bool(self._notes) or self._found != self._version

    def forget(self, docid: str) -> None:
        """The record is about to change."""
        self._has_lost |= self._rows.pop(docid, None) is not None

    def note(self, docid: str, digest: str) -> None:
        """The record was made from an entry of this digest."""
        self._notes[docid] = digest

    def mark_open(self) -> None:
        """Say on disk that records change: until `save`, the rows on disk are not trusted.

        Without this, a run that changes files and is killed would leave rows that fit older bytes.
        """
        if self._found is not None and self._found.is_saved:
            self._found = msgspec.structs.replace(self._found, is_saved=False)
            write_file(self._folder / META_FILE, _encode(self._found))

    def save(self, files: Mapping[str, str]) -> None:
        """Write the rows of the documents that have a file: the rows first, then for what they hold."""
        digests = {docid: row.digest for docid, row in self._rows.items()} | self._notes
        rows = {docid: LedgerRow(digests[docid], file) for docid, file in files.items() if docid in digests}
        if not self.is_changed and rows == self._rows:
            return
        write_file(self._folder / LEDGER_FILE, _format(rows).encode())
        write_file(self._folder / META_FILE, _encode(self._version))
        self._rows, self._notes = rows, {}
        self._found, self._has_lost = self._version, False


def _format(rows: Mapping[str, LedgerRow]) -> str:
    parts = [
        f"{_key(docid)}:\n  digest: {scalar(row.digest)}\n  file: {index_scalar(row.file, scalar(row.file))}\n"
        for docid, row in sorted(rows.items())
    ]
    return "---\n" + "".join(parts) if parts else "--- {}\n"


def _key(docid: str) -> str:
    """A long key is written with a question mark, as YAML wants it."""
    name = scalar(docid)
    return name if len(name) <= 1000 else f"? {name}\n"


def _encode(version: LedgerVersion) -> bytes:
    return msgspec.json.format(msgspec.json.encode(version), indent=2) + b"\n"


def _read_version(path: Path) -> LedgerVersion | None:
    """The version on disk; None if there is none, or none that can be read: then every record is done again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=LedgerVersion)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _read_rows(path: Path) -> dict[str, LedgerRow]:
    """The rows that can be read; the record of any other is done again."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return {}
    rows: dict[str, LedgerRow] = {}
    for _, part in scan_rows(text, _ROW, _START):
        docid = file = None
        if not isinstance(part, str):
            docid, file = unquote(part[1]), unquote(part[3])
        if docid is not None and file is not None and not isinstance(part, str):
            rows[docid] = LedgerRow(part[2], file)
        else:
            rows.update(_slow(part if isinstance(part, str) else part[0]))
    return rows


def _slow(text: str) -> dict[str, LedgerRow]:
    try:
        found = load_yaml(text)
    except Malformed:
        return {}
    rows = found.items() if isinstance(found, dict) else ()
    return {
        docid: LedgerRow(row["digest"], row["file"])
        for docid, row in rows
        if isinstance(docid, str) and isinstance(row, dict) and _is_row(row)
    }


def _is_row(row: Mapping[object, object]) -> bool:
    return isinstance(row.get("digest"), str) and isinstance(row.get("file"), str)
