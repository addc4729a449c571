"""The product: one object that says all that a registry, a set of data or a site brings to Stook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Generic, TypeVar

from stook.engine.errors import EnvironmentFault, FailureCode

if TYPE_CHECKING:
    import click

    from stook.engine.ledger import Queue
    from stook.engine.words import Announcement, Source
    from stook.settings import Settings
    from stook.terminal.stage import Stage

__all__ = ["LazyCommand", "NoSettings", "Product"]

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class NoSettings:
    """The section of a product that has no settings."""


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A click command that is imported when it is called.

    `target` says where it is, as `package.module:attribute`; `help` is its line in the list of commands.
    """

    target: str
    help: str

    def load(self) -> click.Command:
        """The command; EnvironmentFault when its module cannot be imported."""
        try:
            command: click.Command = resolve_name(self.target)
        except Exception as error:
            reason = f"the command {self.target} cannot be loaded: {type(error).__name__}: {error}"
            raise EnvironmentFault(reason, FailureCode.INTERNAL) from error
        return command


def _accept(settings: Settings) -> None:
    """Every settings will do."""


@dataclass(frozen=True, slots=True)
class Product(Generic[S]):
    """All that one product brings. Every process imports it, so its heavy parts are made by functions or named.

    `name` is lower-case letters and digits: the section of the settings, the argument of `stook work` and `show`, and
    the branch of its migrations. `settings` is the section's frozen dataclass, whose fields are made by `setting`; a
    field `x_gap` is the pace of the lane `<name>.x`, whose host is that of the field `x_url`.

    `queues` gives its queues, and imports its tables. `sources` makes its sources from its section, the number of
    visits side by side, and the number of events to claim at once. `standing` gives the polls that every worker sees
    to, such as a feed's; `feeds` names the sources that go on with such a feed, which `work --once` leaves alone.
    `check` raises UserError for settings with which its sources must not be asked.

    `migrations` are folders of Alembic scripts, the last of them its own: files `0001_<name>.py`, `0002_<name>.py` ….
    `commands` are added to `stook`, `show` is added to `stook show` under the product's name. `stages` are the bars of
    a run's progress, in order.
    """

    name: str
    title: str
    settings: type[S]
    queues: Callable[[], Sequence[Queue]]
    sources: Callable[[S, int, int], Sequence[Source]]
    migrations: tuple[Path, ...] = ()
    standing: Callable[[S], Sequence[Announcement]] = lambda options: ()
    feeds: tuple[str, ...] = ()
    check: Callable[[Settings], None] = _accept
    commands: Mapping[str, LazyCommand] = field(default_factory=dict)
    show: LazyCommand | None = None
    stages: tuple[Stage, ...] = ()

    def options(self, settings: Settings) -> S:
        """The product's own section."""
        return settings.section(self.name, self.settings)
