"""The table of commands: each is imported when it is called, as some of them need heavy libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

from stook.engine.errors import EnvironmentFault, FailureCode
from stook.run.product import LazyCommand
from stook.run.products import find_products

__all__ = ["CORE", "LazyGroup", "ProductViews", "StookCommands"]

CORE: Final = {
    "demo": LazyCommand(
        "stook.cli.commands.demo:demo", "See all of it work on a bundled sample world, without any network."
    ),
    "feed": LazyCommand("stook.cli.commands.feed:feed", "Look at how far feeds were read, and set them back."),
    "guard": LazyCommand(
        "stook.cli.commands.guard:guard", "Judge URLs and addresses as the door would; nothing is sent."
    ),
    "queue": LazyCommand(
        "stook.cli.commands.queue:queue", "Look at the queues and steer them: status, retry, resync, revive."
    ),
    "settings": LazyCommand(
        "stook.cli.commands.settings:settings", "Show every setting: its value, its origin, and its default."
    ),
    "show": LazyCommand("stook.cli.commands.show:show", "Show what is stored of a package, or of one of its versions."),
    "work": LazyCommand(
        "stook.cli.commands.work:work", "Take work from a product's queues until stopped, or until nothing is due."
    ),
}
"""The commands that belong to no product."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def entries(self) -> Mapping[str, LazyCommand]:
        """The commands by name."""
        raise NotImplementedError

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.entries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries().get(cmd_name)
        return entry.load() if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand:
            if exclusion := find_products().excluded(args[0]):
                raise EnvironmentFault(exclusion.sentence, FailureCode.INTERNAL) from None
            raise click.NoSuchCommand(args[0], possibilities=self.list_commands(ctx), ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in sorted(self.entries().items())])


class StookCommands(LazyGroup):
    """The commands of `stook`: its own, and those of the products."""

    def entries(self) -> Mapping[str, LazyCommand]:
        products = find_products().products.values()
        return {**{name: entry for product in products for name, entry in product.commands.items()}, **CORE}


class ProductViews(LazyGroup):
    """The commands of `stook show`: one a product that has a view."""

    def entries(self) -> Mapping[str, LazyCommand]:
        return {name: product.show for name, product in find_products().products.items() if product.show}
