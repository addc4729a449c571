"""The parts of a run, built from the settings and joined: ledger, door, registries."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy.engine import URL

from stook.engine.clock import RealClock
from stook.engine.errors import UserError
from stook.engine.ledger import Ledger, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.words import Source
from stook.run.product import Registry, find_registries
from stook.settings.sections import SECTIONS

if TYPE_CHECKING:
    from stook.engine.door import Door, LaneStore
    from stook.settings import Settings

__all__ = ["announce_standing", "check_contact", "open_door", "open_ledger", "registry_named", "sources_of"]

LANE_BATCH = 4  # slots that a process takes at once when that many of its requests wait


def registry_named(name: str) -> Registry:
    """The registry of that name; UserError names those there are."""
    found = find_registries()
    if name not in found:
        raise UserError(f"no registry is called {name!r}; there are: {', '.join(found)}")
    return found[name]


@contextmanager
def open_ledger(settings: Settings) -> Iterator[Ledger]:
    """The ledger of the settings' database, its schema up to date."""
    registries = find_registries().values()
    engine, dialect = connect(settings.db)
    try:
        _make_folder(engine.url)
        migrate(engine, [ENGINE_MIGRATIONS, *sorted({one.migrations for one in registries if one.migrations})])
        queues = [queue for one in registries for queue in one.queues]
        yield Ledger(engine, dialect, queues, RealClock(), settings.work.lease)
    finally:
        engine.dispose()


def _make_folder(url: URL) -> None:
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)


def open_door(settings: Settings, ledger: Ledger | None = None, run: str = "") -> Door:
    """The door, with the settings' guard, lanes and name. With a ledger, all processes on it share the lanes.

    `run` names the processes that share a closed lane too; a run of its own without it.
    """
    from stook.engine.door import BackOff, Door, Guard, Lanes, LaneSettings

    def lane_settings(name: str) -> LaneSettings:
        rule = settings.lane(name)
        back_off = BackOff(rule.throttle_base, rule.throttle_max, rule.throttle_giveup)
        return LaneSettings(rule.gap, back_off, rule.concurrency)

    clock = RealClock()
    guard = Guard(str(network) for network in settings.unsafe_allow_networks)
    lanes = Lanes(
        clock,
        {name: lane_settings(name) for name in settings.lane_names},
        default=lane_settings(""),
        store=_lane_store(ledger, run),
        batch=LANE_BATCH,
    )
    return Door(guard, lanes, settings.user_agent, clock)


def sources_of(registry: Registry, settings: Settings, tasks: int | None) -> Sequence[Source]:
    """The registry's sources, told its own section of the settings."""
    options = getattr(settings, registry.name) if registry.name in SECTIONS else None
    return registry.sources(options, tasks or settings.work.tasks, settings.work.claim)


def announce_standing(ledger: Ledger, registry: Registry, settings: Settings) -> None:
    """Make sure that the registry's standing polls are in the queue."""
    options = getattr(settings, registry.name) if registry.name in SECTIONS else None
    ledger.announce(registry.standing(options))


def _lane_store(ledger: Ledger | None, run: str) -> LaneStore | None:
    """Where lanes live. Processes on one SQLite file find each other, so nobody has to say how many there are."""
    if ledger is None:
        return None
    from stook.engine.ledger.lanes import DatabaseLanes, Presence, ResidentLanes

    table = DatabaseLanes(ledger.engine, ledger.dialect, run or secrets.token_hex(8), ledger.clock)
    if ledger.dialect.name != "sqlite":
        return table
    return ResidentLanes(table, Presence(Path(f"{ledger.engine.url.database}-lanes")), ledger.clock)


def check_contact(settings: Settings, registry: str = "cargo") -> None:
    """crates.io's policy asks for a User-Agent that says how to reach whoever runs this."""
    hosts = {urlsplit(url).hostname or "" for url in (settings.cargo.index_url, settings.cargo.api_url)}
    live = any(host == "crates.io" or host.endswith(".crates.io") for host in hosts)
    if registry == "cargo" and live and not settings.contact:
        raise UserError(
            "crates.io asks who is calling: set STOOK_CONTACT to a mail address or page of yours,"
            " for example STOOK_CONTACT=you@example.org"
        )
