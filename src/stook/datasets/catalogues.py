"""Catalogues for the command line: fetched, searched, checked and shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.comparison import compare_catalogues, verify_catalogue
from stook.datasets.formats import Format
from stook.datasets.model.bibitem import Bibitem, to_fields
from stook.datasets.processor import Processor
from stook.datasets.registry import FlavourRegistry
from stook.datasets.report.run_report import RunEnd, RunReport
from stook.datasets.search import Hit, search_catalogue
from stook.datasets.search.catalogue import READABLE
from stook.datasets.tree.prune import PruneRule
from stook.engine.errors import UserError
from stook.run.exit_codes import FAILED, INTERRUPTED
from stook.terminal.stdout import Page, print_json
from stook.terminal.tables import fact, plain, plain_table

__all__ = ["FetchOrder", "fetch_catalogue", "find_document", "show_differences", "show_faults", "show_flavours"]

_WIDTH = 12


@dataclass(frozen=True, slots=True)
class FetchOrder:
    """What the command line asked for."""

    flavour: str
    source: Path
    output: Path
    form: str
    uses_ledger: bool
    prune: bool
    allow_prune: int | None
    min_found: int


def show_flavours(*, as_json: bool) -> int:
    """Returns the exit code, as all functions here do."""
    processors = FlavourRegistry().processors
    if as_json:
        print_json([{"name": one.name, "prefixes": one.prefixes, "datasets": one.datasets} for one in processors])
        return 0
    rows = [(one.name, ", ".join(one.prefixes), ", ".join(one.datasets)) for one in processors]
    Page().print(plain_table("Catalogues", ["name", "prefixes", "datasets"], rows))
    return 0


def fetch_catalogue(order: FetchOrder, *, as_json: bool) -> int:
    """Fetch, and tell what became of it."""
    flavour = FlavourRegistry().get(order.flavour).load()
    prunes = order.prune or order.allow_prune is not None
    fetcher = BulkFetcher(
        flavour,
        order.output,
        Format(order.form),
        order.uses_ledger,
        PruneRule(allowed=order.allow_prune) if prunes else None,
        order.min_found,
    )
    report = fetcher.fetch(Checkout(order.source))
    if as_json:
        print_json(report.as_dict())
    else:
        _show_report(report, order.output)
    return _exit_code(report)


def _exit_code(report: RunReport) -> int:
    if report.end is RunEnd.INTERRUPTED:
        return INTERRUPTED
    return 0 if report.is_whole else FAILED


def _show_report(report: RunReport, output: Path) -> None:
    page = Page()
    counts = {"written": report.written, "kept": report.kept, "skipped": report.skipped, "pruned": len(report.pruned)}
    told = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number) or "nothing"
    page.print(fact(report.flavour, f"{report.found:,} found: {told}, in {output}", _WIDTH))
    if report.end is not RunEnd.PUBLISHED:
        page.print(fact(report.end, report.reason, _WIDTH))
    for line in [*report.summary(), *(f"every record lacks: {field}" for field in report.missing_fields)]:
        page.print(plain(line))


def find_document(reference: str, folder: Path, flavour: str | None, *, as_json: bool) -> int:
    """Show the record if there is one, else the documents that the reference covers."""
    hits = search_catalogue(folder, _processor(reference, flavour), reference)
    if as_json:
        print_json([_as_dict(hit) for hit in hits])
    elif len(hits) == 1 and _is_readable(hits[0]):
        _show_record(hits[0].row.file, hits[0].item())
    elif len(hits):
        Page().print(plain_table(reference, ["document", "file"], [(hit.row.id, hit.row.file) for hit in hits]))
    else:
        Page().print(plain(f"{reference}: no document in {folder}"))
    return 0 if len(hits) else FAILED


def _as_dict(hit: Hit) -> dict[str, Any]:
    record = to_fields(hit.item()) if _is_readable(hit) else None
    return {"id": hit.row.id, "file": hit.row.file, "record": record}


def _is_readable(hit: Hit) -> bool:
    return Path(hit.row.file).suffix in READABLE


def _processor(reference: str, flavour: str | None) -> Processor:
    registry = FlavourRegistry()
    if flavour is not None:
        return registry.get(flavour)
    found = registry.by_reference(reference)
    if found is None:
        raise UserError(f"{reference[:80]!r} begins with no known prefix: name the catalogue with --flavour")
    return found


def _show_record(file: str, item: Bibitem) -> None:
    facts = {
        "document": item.primary,
        "title": " ".join(one.content for one in item.title),
        "dates": ", ".join(f"{one.type} {one.at}" for one in item.date),
        "source": item.source[0].content if item.source else "",
        "file": file,
    }
    page = Page()
    for name, value in facts.items():
        if value:
            page.print(fact(name, value, _WIDTH))


def show_faults(folder: Path, *, as_json: bool) -> int:
    """Show what is wrong with a catalogue."""
    faults = list(verify_catalogue(folder))
    if as_json:
        print_json([asdict(one) for one in faults])
    elif faults:
        Page().print(plain_table("Faults", ["where", "what"], [(one.subject, one.reason) for one in faults]))
    else:
        Page().print(plain(f"{folder}: nothing is wrong"))
    return FAILED if faults else 0


def show_differences(old: Path, new: Path, *, as_json: bool) -> int:
    """Show which documents differ."""
    differences = compare_catalogues(old, new)
    if as_json:
        print_json([asdict(one) for one in differences])
    elif differences:
        Page().print(plain_table("Differences", ["how", "document"], [(one.kind, one.docid) for one in differences]))
    else:
        Page().print(plain("no difference"))
    return FAILED if differences else 0
