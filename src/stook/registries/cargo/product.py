"""The product crates.io. Its heavy modules are imported when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stook.engine.errors import UserError
from stook.registries.cargo.settings import CargoSettings
from stook.run.product import LazyCommand, Product
from stook.terminal.stage import Stage

if TYPE_CHECKING:
    from stook.engine.ledger import Queue
    from stook.engine.words import Source
    from stook.settings import Settings

__all__ = ["PRODUCT"]

HOUR = 3600.0
_FOLDER = Path(__file__).parent


def _queues() -> Sequence[Queue]:
    from stook.registries.cargo.sources import QUEUES

    return QUEUES


def _sources(options: CargoSettings, tasks: int, batch: int) -> Sequence[Source]:
    from stook.registries.cargo.sources import CargoApi, CargoIndex

    return (
        CargoIndex(options.index_url.rstrip("/"), options.api_age * HOUR, tasks, batch),
        CargoApi(options.api_url.rstrip("/")),
    )


def _check_contact(settings: Settings) -> None:
    """crates.io's policy asks for a User-Agent that says how to reach whoever runs this."""
    options = settings.section("cargo", CargoSettings)
    hosts = {urlsplit(url).hostname or "" for url in (options.index_url, options.api_url)}
    is_live = any(host == "crates.io" or host.endswith(".crates.io") for host in hosts)
    if is_live and not settings.contact:
        raise UserError(
            "crates.io requires a contact: set STOOK_CONTACT to a mail address or page of yours,"
            " for example STOOK_CONTACT=you@example.org"
        )


PRODUCT = Product(
    name="cargo",
    title="crates.io",
    settings=CargoSettings,
    queues=_queues,
    sources=_sources,
    migrations=(_FOLDER.parent / "store" / "migrations", _FOLDER / "migrations"),
    check=_check_contact,
    commands={
        "cargo": LazyCommand(
            "stook.registries.cargo.commands.cargo:cargo",
            "Collect crates: those you name, or those a project's locks name.",
        )
    },
    show=LazyCommand("stook.registries.cargo.commands.show:show", "Show a crate, or one of its versions."),
    stages=(Stage("index", "crates.io index", "cargo.index"), Stage("API", "crates.io API", "cargo.api")),
)
