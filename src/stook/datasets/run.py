"""One run over one catalogue: entries become files, and at the end the index and the ledger say which."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from stook.datasets.flavour import CatalogueEntry, Flavour, Problem, ProblemKind
from stook.datasets.formats import Format, render
from stook.datasets.index.lookup import INDEX_FILE, refresh_lookup
from stook.datasets.index.rows import IndexRow, format_rows, read_rows
from stook.datasets.model.bibitem import SCHEMA_VERSION, Bibitem
from stook.datasets.names import case_clashes, plain_name
from stook.datasets.report.missing import MissingFields
from stook.datasets.report.run_report import RunEnd, RunReport
from stook.datasets.tree.digests import DigestLedger, LedgerVersion, entry_digest
from stook.datasets.tree.listing import list_records
from stook.datasets.tree.name_table import NameTable
from stook.datasets.tree.prune import PruneRule, plan_prune
from stook.datasets.tree.writer import RecordWriter
from stook.engine.errors import Malformed
from stook.engine.files import FileChange, flush_all, write_file

__all__ = ["CatalogueRun"]

_DIGEST_ENDING = re.compile(r"-[0-9a-f]{12,}\.[a-z]+")


@dataclass(slots=True)
class CatalogueRun:
    """The state of one run in a locked folder. The index stands beside the folder, the ledger in it."""

    flavour: Flavour
    folder: Path
    form: Format
    report: RunReport
    uses_ledger: bool
    missing: MissingFields = field(default_factory=MissingFields)
    before: set[str] = field(init=False)
    ledger: DigestLedger = field(init=False)
    writer: RecordWriter = field(init=False)
    _prefix: str = field(init=False)
    _rows: dict[str, str] = field(init=False)
    _is_index_sound: bool = field(init=False)

    def __post_init__(self) -> None:
        self.before = list_records(self.folder, self.form.extension)
        self._prefix = f"{self.folder.name}/"
        self._rows, self._is_index_sound = self._read_index()
        version = LedgerVersion(self.form, self.flavour.name, self.flavour.version, SCHEMA_VERSION)
        self.ledger = DigestLedger(self.folder, version, is_used=self.uses_ledger)
        names = NameTable(self.form.extension, self._rows)
        self.writer = RecordWriter(self.folder, names, before_change=self.ledger.mark_open)

    def add(self, entry: CatalogueEntry) -> None:
        """Make the entry's record and write it; a bad one is told and costs no other. Raises OSError."""
        self.report.found += 1
        try:
            self._add(entry)
        except Malformed as error:
            self._fail(entry, error.reason)
        except OSError:
            raise
        except Exception as error:
            self._fail(entry, f"internal: {type(error).__name__}: {error}"[:300])

    def finish(self, prune: PruneRule | None, min_found: int) -> None:
        """Settle names, then publish: files before the index, the index before the ledger.

        A run that failed or found less than `min_found` percent of a family publishes nothing.
        """
        self.report.moved = len(self.writer.settle())
        self._tell_names()
        if self.report.end is RunEnd.PUBLISHED:
            self._check_size(min_found, prune)
        if self.report.end in (RunEnd.REFUSED, RunEnd.FAILED):
            return
        if self.report.written or self.report.moved:
            flush_all()
        if prune is not None:
            self._prune(prune)
        if self._is_unchanged:
            refresh_lookup(self.folder.parent, self.flavour.identify)
            return
        rows = self._final_rows()
        self._publish_index(rows)
        if self.uses_ledger:
            self.ledger.save({docid: self._file(name) for docid, name in rows.items()})

    @property
    def _is_unchanged(self) -> bool:
        """Whether the run skipped just the documents that the index has."""
        is_same = self.report.skipped == len(self.writer.written) == len(self._rows)
        return is_same and self._is_index_sound and not self.ledger.is_changed

    def _add(self, entry: CatalogueEntry) -> None:
        docid, names = entry.docid, self.writer.names
        if not docid.strip():
            raise Malformed("it has no identifier")
        if docid in names.names:
            self.report.duplicated += 1
            self.report.tell(Problem(ProblemKind.DUPLICATE, docid, "it came before; the first one counts"))
            return
        digest = entry_digest(entry.content) if self.uses_ledger else ""
        previous = names.previous(docid)
        if previous and self.uses_ledger and self.ledger.trusted_file(docid, digest) == self._file(previous):
            self.writer.keep(docid)
            if not self.report.skipped:  # such a record counts as complete, and one is enough
                self.missing.fold(dict.fromkeys(self.flavour.required, False))
            self.report.skipped += 1
            return
        self.ledger.forget(docid)  # until the record is written, no digest speaks for it
        item = entry.build()
        placed = self.writer.write_unique(docid, render(item, self.form))
        self._count(placed.change)
        self.missing.fold(_lacks(item, self.flavour.required))
        if self.uses_ledger:
            self.ledger.note(docid, digest)

    def _count(self, change: FileChange) -> None:
        if change is FileChange.WRITTEN:
            self.report.written += 1
        else:
            self.report.kept += 1

    def _fail(self, entry: CatalogueEntry, reason: str) -> None:
        self.report.failed += 1
        self.report.tell(Problem(ProblemKind.FAILED, entry.docid[:200], reason))

    def _tell_names(self) -> None:
        names = self.writer.names.names
        self.report.collided = sum(
            name != plain_name(docid, self.form.extension)
            for docid, name in names.items()
            if _DIGEST_ENDING.search(name)
        )
        for clash in case_clashes(names.values()):
            reason = "these names are one where upper and lower case are"
            self.report.tell(Problem(ProblemKind.WARNING, ", ".join(clash)[:300], reason))
        self.report.missing_fields = self.missing.fields

    def _check_size(self, min_found: int, prune: PruneRule | None) -> None:
        """Refuse a set that is so small that the source must have been cut short."""
        if (
            prune is not None
            and prune.allowed is not None
            and prune.allowed >= len(self.before - set(self.writer.written))
        ):
            return
        for family in sorted({self.flavour.family_of(name) for name in self.before}):
            existing, found = (self._size(family, names) for names in (self.before, self.writer.written))
            if found * 100 < existing * min_found:
                self.report.end = RunEnd.REFUSED
                self.report.reason = f"{family or self.flavour.name}: {found} records where {existing} were before"

    def _size(self, family: str, names: set[str] | dict[str, str]) -> int:
        return sum(self.flavour.family_of(name) == family for name in names)

    def _prune(self, rule: PruneRule) -> None:
        if not self.report.is_whole:
            self.report.tell(Problem(ProblemKind.WARNING, "prune", "not done: records of the source are missing"))
            return
        plan = plan_prune(self.before, self.writer.written, rule, self.flavour.family_of)
        for reason in plan.refusals:
            self.report.tell(Problem(ProblemKind.WARNING, "prune", f"not done: {reason}"))
        for name in plan.delete:
            self.ledger.mark_open()
            (self.folder / name).unlink()
        self.report.pruned = list(plan.delete)

    def _final_rows(self) -> dict[str, str]:
        """Document to name: those of this run, and those of before whose files are still there."""
        written = self.writer.written
        gone = {*self.report.pruned, *written}
        rows = {docid: name for docid, name in self._rows.items() if name not in gone}
        return rows | {docid: name for name, docid in written.items()}

    def _publish_index(self, rows: dict[str, str]) -> None:
        place = self.folder.parent
        if not (self._is_index_sound and rows == self._rows):
            text = format_rows(IndexRow(docid, self._file(name)) for docid, name in rows.items())
            write_file(place / INDEX_FILE, text.encode())
        refresh_lookup(place, self.flavour.identify)

    def _read_index(self) -> tuple[dict[str, str], bool]:
        """Document to name of the rows whose files are there, and whether the index is just that."""
        try:
            text = (self.folder.parent / INDEX_FILE).read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}, False
        except UnicodeDecodeError:
            self.report.tell(Problem(ProblemKind.WARNING, INDEX_FILE, "is no UTF-8 text, and is made anew"))
            return {}, False
        found, problems = read_rows(text)
        for problem in problems:
            self.report.tell(Problem(ProblemKind.WARNING, INDEX_FILE, problem))
        rows: dict[str, str] = {}
        for row in found:
            name = row.file.removeprefix(self._prefix)
            if row.file.startswith(self._prefix) and name in self.before:
                rows.setdefault(row.id, name)
        return rows, not problems and len(rows) == len(found)

    def _file(self, name: str) -> str:
        """The path of a record relative to the folder of the index."""
        return self._prefix + name


def _lacks(item: Bibitem, required: tuple[str, ...]) -> dict[str, bool]:
    return {field: not getattr(item, field) for field in required}
