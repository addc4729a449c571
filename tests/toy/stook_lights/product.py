"""The product: lighthouses, one text file each, and a dump of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stook.api import LazyCommand, Product, Stage, UserError, setting, values

if TYPE_CHECKING:
    from stook.api import Queue, Settings, Source

__all__ = ["PRODUCT", "LightSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LightSettings:
    """Lighthouses, or a mirror of them."""

    list_url: str = setting("https://lights.example", values.url, "Where the lighthouses' files are.")
    list_gap: float = setting(0.5, values.gap, "Seconds between two request starts.")
    colour: str = setting("white", values.choice("white", "red"), "Colour of the lights to keep.")


def _queues() -> Sequence[Queue]:
    from stook_lights.source import QUEUE

    return (QUEUE,)


def _sources(options: LightSettings, tasks: int, batch: int) -> Sequence[Source]:
    from stook_lights.source import Lights

    return (Lights(options.list_url, options.colour, tasks, batch),)


def _check(settings: Settings) -> None:
    if not settings.contact:
        raise UserError("the keepers of the lights require a contact: set STOOK_CONTACT")


PRODUCT = Product(
    name="lights",
    title="Lighthouses",
    settings=LightSettings,
    queues=_queues,
    sources=_sources,
    migrations=(Path(__file__).parent / "migrations",),
    check=_check,
    commands={"lights": LazyCommand("stook_lights.commands:lights", "Collect lighthouses.")},
    show=LazyCommand("stook_lights.commands:show", "Show a lighthouse."),
    stages=(Stage("files", "lights", "lights.list"),),
)
