"""What `cargo collect` does: gather the names, announce them, work until they are settled, report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from stook.engine.errors import UserError
from stook.engine.ledger import Ledger
from stook.engine.words import Announcement
from stook.registries.cargo.alike import spelt_alike
from stook.registries.cargo.locked import locked, named_before
from stook.registries.cargo.locks import LockReading, TagReading, load_presets, read_locks
from stook.registries.cargo.names import canonical, is_crate_name
from stook.registries.cargo.registry import REGISTRY
from stook.registries.cargo.sources import API, INDEX
from stook.run.build import check_contact, open_door, open_ledger, sources_of
from stook.run.loop import run_work
from stook.run.report import INTERRUPTION, Report
from stook.run.report_view import show_report
from stook.settings import Settings
from stook.terminal.progress import CrateProgress

__all__ = ["Wanted", "collect_crates"]

DEFAULT_SEEDS = Path("seeds.txt")
USER_PRESETS = Path("projects.toml")
STAYS = frozenset({"Malformed", "not_found", "lock"})  # failures that the same command again would meet again


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asked for."""

    names: tuple[str, ...] = ()
    seeds: Path | None = None
    lock: str | None = None
    tags: tuple[str, ...] = ()
    limit: int | None = None
    resync: bool = False


def collect_crates(settings: Settings, wanted: Wanted, *, workers: int | None, as_json: bool) -> int:
    """Returns the exit code."""
    check_contact(settings)
    if wanted.lock is not None and not wanted.lock.strip():
        raise UserError("--lock is empty: name a project, a path or a URL")
    if wanted.tags and not wanted.lock:
        raise UserError("--tag names a tag of a project: say which with --lock")
    report = Report("cargo collect", datetime.now(UTC))
    seeds = _seeds(settings, wanted)
    reading = _read_locks(settings, wanted, report) if wanted.lock else None
    if not seeds and reading is None:
        raise UserError("nothing to collect: name crates, put them into seeds.txt, or give --lock")
    with open_ledger(settings) as ledger:
        announcements = _announcements(seeds, _locked(ledger, reading) if reading else [], wanted)
        names = [one.name for one in announcements]
        ledger.announce(announcements)
        sources = sources_of(REGISTRY, settings, workers)
        with CrateProgress(len(names), settings.lane_gap("cargo.api")) as progress:
            run_work(
                ledger,
                open_door(settings, ledger),
                sources,
                report,
                once=True,
                settled=_settled(ledger, names),
                show=progress.update if progress.is_shown else None,
            )
        _suggest(ledger, report)
    if INTERRUPTION in report.notes or any(one.error not in STAYS for one in report.failures):
        report.next.append("the same command again: it goes on where this run stopped")
    elif stored := report.without_failure(names, "index"):
        report.next.append(f"stook show cargo {stored}")
    return show_report(report, as_json=as_json)


def _settled(ledger: Ledger, names: Sequence[str]) -> Callable[[], bool]:
    """Whether nothing of these crates is due or held any more; what a dead process held is freed on the way."""
    ids = {queue.name: [queue.id_of(name, "") for name in names] for queue in (INDEX, API)}

    def settled() -> bool:
        ledger.release_abandoned()
        now = ledger.clock.now()
        states = [one for queue, some in ids.items() for one in ledger.states(queue, some)]
        return not any(one.is_held or (one.due_at is not None and one.due_at <= now) for one in states)

    return settled


def _suggest(ledger: Ledger, report: Report) -> None:
    """To a crate that was not found, name the stored one that is spelt alike."""
    missed = [
        name for one in report.failures if one.error == "not_found" and (name := one.event.removesuffix(" (index)"))
    ]
    with ledger.reading() as connection:
        alike = spelt_alike(connection, missed)
    for place, one in enumerate(report.failures):
        if spelt := alike.get(one.event.removesuffix(" (index)")):
            report.failures[place] = replace(one, reason=f"{one.reason}; did you mean {spelt}?")


def _seeds(settings: Settings, wanted: Wanted) -> list[str]:
    """Names of the command line, the seeds file and the settings, canonical, each once."""
    names = [*wanted.names, *_seed_file(wanted.seeds), *settings.cargo.seeds]
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


def _read_locks(settings: Settings, wanted: Wanted, report: Report) -> LockReading:
    presets = load_presets(*[path for path in (USER_PRESETS,) if path.is_file()])
    reading = read_locks(
        str(wanted.lock), wanted.tags, index_url=settings.cargo.index_url, presets=presets, progress=_tell_tag
    )
    for tag in reading.failed:
        report.fail(f"{reading.project} {tag.tag}", "lock", tag.reason)
    report.notes["tags"] = [f"{one.tag}: {one.how}, {len(one.packages)} packages" for one in reading.readings]
    report.notes["crates in locks"] = len(reading.crates)
    for name in reading.crates:
        if not is_crate_name(name):
            report.fail(f"{reading.project}: {name[:80]!r}", "lock", "not a crate name")
    if reading.others:
        report.notes["not from the registry"] = [f"{one.name} {one.version} ({one.source})" for one in reading.others]
    if reading.notes:
        report.notes["lock notes"] = list(reading.notes)
    return reading


def _tell_tag(tag: TagReading) -> None:
    if sys.stderr.isatty():
        Console(stderr=True, highlight=False).print(f"{tag.tag}: {tag.how}, {len(tag.packages)} packages", markup=False)


def _locked(ledger: Ledger, reading: LockReading) -> list[Announcement]:
    """The crates that locks name, with the tags that do, and those that they named when they were read before."""
    with ledger.reading() as connection:
        before = named_before(connection, INDEX.name, reading)
    told = locked(reading, before)
    return [Announcement(INDEX.name, name, source=reading.source, facts=facts) for name, facts in told.items()]


def _announcements(seeds: Sequence[str], locked: Sequence[Announcement], wanted: Wanted) -> list[Announcement]:
    """One event a crate; what a seed and a lock both name is a seed that the lock names too."""
    told = {name: Announcement(INDEX.name, name, source="seed") for name in seeds}
    for one in locked:
        before = told.get(one.name)
        told[one.name] = replace(before, facts=one.facts) if before else one
    chosen = [told[name] for name in sorted(told)][: wanted.limit]
    return [replace(one, urgent=True, fresh_for=0.0, resync=wanted.resync) for one in chosen]
