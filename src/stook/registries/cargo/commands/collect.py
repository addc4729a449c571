"""The command `cargo collect`: gather the names, announce them, work until they are settled, report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from stook.engine.errors import FailureCode, UserError
from stook.engine.ledger import Ledger
from stook.engine.words import Announcement, Source
from stook.registries.cargo.alike import spelt_alike
from stook.registries.cargo.commands.pins import check_pins, record_pins
from stook.registries.cargo.locks import LockReading, TagReading, load_presets, read_locks
from stook.registries.cargo.names import canonical, is_crate_name
from stook.registries.cargo.product import PRODUCT
from stook.registries.cargo.settings import CargoSettings
from stook.registries.cargo.sources import API, INDEX, CargoIndex
from stook.run.build import open_ledger, sources_of
from stook.run.collection import settled_events, work_on
from stook.run.report import INTERRUPTION, Report
from stook.run.report_view import show_report
from stook.settings import Settings

__all__ = ["CollectOptions", "collect_crates"]

DEFAULT_SEEDS = Path("seeds.txt")
USER_PRESETS = Path("projects.toml")
LASTING = frozenset(
    {
        FailureCode.MALFORMED,
        FailureCode.NOT_FOUND,
        FailureCode.PIN,
        FailureCode.PROCESS,
        FailureCode.TOO_LARGE,
    }
)
"""Failures that the same command would meet again."""


@dataclass(frozen=True, slots=True)
class CollectOptions:
    """The arguments of the command line."""

    names: tuple[str, ...] = ()
    seeds: Path | None = None
    lock: str | None = None
    tags: tuple[str, ...] = ()
    folder: str = ""
    name: str = ""
    limit: int | None = None
    resync: bool = False
    allow_deletions: bool = False


def collect_crates(settings: Settings, options: CollectOptions, *, tasks: int | None, as_json: bool) -> int:
    """Collect crates and print the report; returns the exit code."""
    PRODUCT.check(settings)
    if options.lock is not None and not options.lock.strip():
        raise UserError("--lock is empty: name a project, a path or a URL")
    if options.tags and not options.lock:
        raise UserError("--tag names a tag of a project: say which with --lock")
    if (options.folder or options.name) and not options.lock:
        raise UserError("--subdir and --name belong to a project: say which with --lock")
    report = Report("cargo collect", datetime.now(UTC))
    seeds = _seeds(settings, options)
    reading = _read_locks(settings, options, report) if options.lock else None
    if not seeds and reading is None:
        raise UserError("nothing to collect: name crates, put them into seeds.txt, or give --lock")
    with open_ledger(settings) as ledger:
        locked = record_pins(ledger, reading) if reading else []
        announcements = _announcements(seeds, locked, reading.source if reading else "", options)
        names = [announcement.name for announcement in announcements]
        ledger.announce(announcements)
        ids = {queue.name: [queue.id_of(name, "") for name in names] for queue in (INDEX, API)}
        work_on(
            PRODUCT,
            settings,
            ledger,
            report,
            settled=settled_events(ledger, ids),
            packages=len(names),
            sources=_sources(settings, tasks, options),
        )
        if reading:
            check_pins(ledger, reading, report)
        _suggest(ledger, report)
    if INTERRUPTION in report.notes or any(failure.code not in LASTING for failure in report.failures):
        report.next.append("the same command again: it goes on where this run stopped")
    elif stored := report.without_failure(names, INDEX.name):
        report.next.append(f"stook show cargo {stored}")
    return show_report(report, as_json=as_json)


def _suggest(ledger: Ledger, report: Report) -> None:
    """To a crate that was not found, name the stored one that is spelt alike."""
    missed = [failure.name for failure in report.failures if failure.code is FailureCode.NOT_FOUND and failure.name]
    with ledger.reading() as connection:
        alike = spelt_alike(connection, missed)
    for place, failure in enumerate(report.failures):
        if failure.queue == INDEX.name and (spelt := alike.get(failure.name)):
            report.failures[place] = replace(failure, reason=f"{failure.reason}; did you mean {spelt}?")


def _seeds(settings: Settings, options: CollectOptions) -> list[str]:
    """Names of the command line, the seeds file and the settings, canonical, each once."""
    names = [*options.names, *_seed_file(options.seeds), *settings.section("cargo", CargoSettings).seeds]
    for name in names:
        if not is_crate_name(name):
            raise UserError(f"not a crate name: {name[:80]!r}; letters, digits, - and _, at most 64, a letter first")
    return list(dict.fromkeys(map(canonical, names)))


def _seed_file(path: Path | None) -> list[str]:
    if path is None and not DEFAULT_SEEDS.is_file():
        return []
    chosen = path or DEFAULT_SEEDS
    try:
        lines = chosen.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the seeds file {chosen} cannot be read: {error}") from None
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def _read_locks(settings: Settings, options: CollectOptions, report: Report) -> LockReading:
    presets = load_presets(*[path for path in (USER_PRESETS,) if path.is_file()])
    index_url = settings.section("cargo", CargoSettings).index_url
    reading = read_locks(
        str(options.lock),
        options.tags,
        index_url=index_url,
        presets=presets,
        progress=_print_tag,
        folder=options.folder,
        name=options.name,
    )
    for tag in reading.failed:
        report.fail(f"{reading.project} {tag.tag}", tag.code or FailureCode.PROCESS, tag.reason)
    report.notes["tags"] = [f"{tag.tag}: {tag.how}, {len(tag.packages)} packages" for tag in reading.readings]
    report.notes["crates_in_locks"] = len(reading.crates)
    for name in reading.crates:
        if not is_crate_name(name):
            report.fail(f"{reading.project}: {name[:80]!r}", FailureCode.MALFORMED, "not a crate name")
    if reading.others:
        report.notes["not_from_the_registry"] = [
            f"{package.name} {package.version} ({package.source})" for package in reading.others
        ]
    if reading.notes:
        report.notes["lock_notes"] = list(reading.notes)
    return reading


def _print_tag(tag: TagReading) -> None:
    if sys.stderr.isatty():
        Console(stderr=True, highlight=False).print(f"{tag.tag}: {tag.how}, {len(tag.packages)} packages", markup=False)


def _sources(settings: Settings, tasks: int | None, options: CollectOptions) -> Sequence[Source]:
    sources = sources_of(PRODUCT, settings, tasks)
    for source in sources:
        if isinstance(source, CargoIndex):
            source.vanishing.is_allowed = options.allow_deletions
    return sources


def _announcements(
    seeds: Sequence[str], locked: Sequence[str], lock_source: str, options: CollectOptions
) -> list[Announcement]:
    """One event a crate; a crate that is a seed and in a lock is a seed."""
    sources = dict.fromkeys(locked, lock_source) | dict.fromkeys(seeds, "seed")
    return [
        Announcement(INDEX.name, name, source=sources[name], urgent=True, fresh_for=0.0, resync=options.resync)
        for name in sorted(sources)[: options.limit]
    ]
