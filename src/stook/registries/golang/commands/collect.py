"""The commands `go index` and `go collect`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from stook.engine.errors import Malformed, StookError, UserError
from stook.engine.ledger import Ledger
from stook.engine.words import Announcement, Source
from stook.registries.golang.commands.pins import (
    GoProject,
    announcements_of,
    check_pins,
    read_project,
    record_pins,
)
from stook.registries.golang.commands.scope import ModuleScope
from stook.registries.golang.feed import Boundary
from stook.registries.golang.paths import path_problem
from stook.registries.golang.product import PRODUCT
from stook.registries.golang.queues import FEED, MODULE
from stook.registries.golang.sources import GoFeed, GoModules
from stook.registries.golang.times import nanoseconds
from stook.run.build import open_ledger, sources_of
from stook.run.collection import work_on
from stook.run.report import INTERRUPTION, UNREACHABLE, Report
from stook.run.report_view import show_report
from stook.settings import Settings

__all__ = ["collect_modules", "fill_queue"]


def fill_queue(
    settings: Settings, since: str | None, until: str | None, pages: int | None, tail_from: str | None, *, as_json: bool
) -> int:
    """Walk the feed; returns the exit code."""
    report = Report("go index", datetime.now(UTC))
    options = PRODUCT.options(settings)
    with open_ledger(settings) as ledger:
        ranges = _ranges(ledger, options.feed, _moment(since), _moment(until), _moment(tail_from))
        ids = [*ledger.announce(ranges), FEED.id_of(_past(options.feed), "")]
        # Where pages are counted each is a visit.
        source = GoFeed(options.index_url) if pages is None else GoFeed(options.index_url, pages=1)
        work_on(
            PRODUCT,
            settings,
            ledger,
            report,
            settled=_walked(ledger, ids),
            packages=pages or 0,
            sources=[source],
            visits=pages,
            urgent_only=False,
        )
        cursor = ledger.cursor(FEED.cursor_key(options.feed))
    report.notes["cursor"] = cursor.value if cursor and cursor.value else "at the beginning"
    report.next.append(
        "the same command again: it goes on where this run stopped"
        if {INTERRUPTION, UNREACHABLE} & set(report.notes)
        else "stook work go --once"
    )
    return show_report(report, as_json=as_json)


def _ranges(
    ledger: Ledger, feed: str, since: str | None, until: str | None, tail_from: str | None
) -> list[Announcement]:
    """The ranges to walk now: a window of its own, or the feed itself with what its tail left behind."""
    if since is not None:
        if tail_from is not None:
            raise UserError("--since walks a window again, --tail-from begins a new database: give one of them")
        end = until or _now(ledger)
        _check_order("--since", since, end, until)
        name = f"{feed}/window/{since}..{until or ''}"
        facts = {"since": since, "until": end}
        return [Announcement(FEED.name, name, source="index", urgent=True, fresh_for=0.0, facts=facts)]
    # A feed that was walked up to an end is complete: it is woken.
    main = Announcement(FEED.name, feed, source="index", urgent=True, fresh_for=0.0, facts={"until": until})
    if tail_from is None:
        return [main]
    if ledger.cursor(FEED.cursor_key(feed)) is not None:
        raise UserError(
            f"the {feed} feed has been followed from its beginning already; --tail-from is for a new database"
        )
    if nanoseconds(tail_from) > nanoseconds(_now(ledger)):
        raise UserError(f"--tail-from {tail_from} lies ahead; what is published until then would be missed")
    if until is not None:
        _check_order("--tail-from", tail_from, until, until)
    past = Announcement(FEED.name, _past(feed), source="index", facts={"until": tail_from})
    tail = Announcement(FEED.name, feed, source="index", urgent=True, facts={"since": tail_from, "until": until})
    return [tail, past]


def _check_order(option: str, since: str, end: str, until: str | None) -> None:
    """A window that ends before it begins would be walked without a word, and hold nothing."""
    if nanoseconds(since) >= nanoseconds(end):
        raise UserError(f"{option} {since} {f'is not before --until {until}' if until else 'lies ahead'}")


def _past(feed: str) -> str:
    """The range that fills what lies before the tail."""
    return f"{feed}/backfill"


def _now(ledger: Ledger) -> str:
    return ledger.clock.now().isoformat(timespec="microseconds") + "Z"


def _moment(text: str | None) -> str | None:
    """A date or time of the command line as RFC 3339 text."""
    if text is None:
        return None
    full = f"{text}T00:00:00Z" if len(text) == 10 else text if text.endswith("Z") else f"{text}Z"
    try:
        nanoseconds(full)
    except Malformed:
        raise UserError(f"not a date: {text[:60]!r}; write 2026-11-30 or 2026-11-30T12:00:00Z") from None
    return Boundary.unpacked(full).raw


def _walked(ledger: Ledger, ids: Sequence[bytes]) -> Callable[[], bool]:
    """Whether none of these ranges is under way, and no page of any range is due."""

    def settled() -> bool:
        ledger.release_abandoned()
        first = ledger.next_due([FEED.name])
        is_due = first is not None and first <= ledger.clock.now()
        return not is_due and not any(one.is_held for one in ledger.states(FEED.name, ids))

    return settled


def collect_modules(
    settings: Settings,
    modules: Sequence[str],
    tasks: int | None,
    *,
    resync: bool,
    as_json: bool,
    allow_deletions: bool = False,
    lock: str | None = None,
    project_name: str = "",
) -> int:
    """Ask for the modules, named or pinned by a project, then for each version they list; returns the exit code."""
    if not modules and not lock:
        raise UserError("nothing to collect: name modules, or give --lock")
    if project_name and not lock:
        raise UserError("--name belongs to a project: say which with --lock")
    for path in modules:
        if problem := path_problem(path):
            raise UserError(f"not a module path: {path[:100]!r} ({problem})")
    report = Report("go collect", datetime.now(UTC))
    project = _read_project(settings, lock, project_name) if lock else None
    pinned = {each.path for each in project.lock.modules if not each.is_local} if project else set()
    chosen = list(dict.fromkeys([*modules, *sorted(pinned)]))
    with open_ledger(settings) as ledger:
        if project:
            record_pins(ledger, project)
            ledger.announce(announcements_of(project, resync=resync))
        facts = {"collect": True}
        ledger.announce(
            [
                Announcement(MODULE.name, path, source="seed", urgent=True, fresh_for=0.0, resync=resync, facts=facts)
                for path in chosen
                if path not in pinned
            ]
        )
        work_on(
            PRODUCT,
            settings,
            ledger,
            report,
            settled=ModuleScope(ledger, chosen).is_settled,
            packages=len(chosen),
            sources=_sources(settings, tasks, allow_deletions=allow_deletions),
        )
        if project:
            check_pins(ledger, project, report)
    if INTERRUPTION in report.notes:
        report.next.append("the same command again: it goes on where this run stopped")
    elif stored := report.without_failure(chosen, MODULE.name):
        report.next.append(f"stook show go {stored}")
    return show_report(report, as_json=as_json)


def _read_project(settings: Settings, lock: str, name: str) -> GoProject:
    """What the user named; what is wrong with it is the user's to mend."""
    try:
        return read_project(settings, lock, name)
    except StookError as error:
        raise UserError(f"--lock {_shown(lock)}: {error.reason}") from None


def _shown(spec: str) -> str:
    """A path or URL without credentials, cut to a sane length."""
    return re.sub(r"//[^/@\s]+@", "//", spec)[:200]


def _sources(settings: Settings, tasks: int | None, *, allow_deletions: bool) -> Sequence[Source]:
    """All but the feed."""
    sources = [source for source in sources_of(PRODUCT, settings, tasks) if FEED.name not in source.queues]
    for source in sources:
        if isinstance(source, GoModules):
            source.vanishing.is_allowed = allow_deletions
    return sources
