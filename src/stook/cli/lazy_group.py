"""The table of commands: each is imported when it is called, as some of them need heavy libraries."""

from __future__ import annotations

import importlib
from typing import Final

import click

__all__ = ["COMMANDS", "LazyGroup"]

COMMANDS: Final = {
    "cargo": ("stook.registries.cargo.commands", "Collect crates: those you name, or those a project's locks name."),
    "data": ("stook.datasets.commands", "Catalogues of standards bodies: one file a record, in a folder."),
    "demo": ("stook.cli.commands.demo", "See all of it work on a bundled sample world, without any network."),
    "go": ("stook.registries.golang.commands", "Collect Go modules: follow the module index, or name modules."),
    "guard": ("stook.cli.commands.guard", "Say what the door would do with URLs and addresses; nothing is sent."),
    "queue": ("stook.cli.commands.queue", "Look at the queues and steer them: status, retry, resync, revive."),
    "settings": ("stook.cli.commands.settings", "Show every setting: its value, who set it, and its default."),
    "show": ("stook.cli.commands.show", "Show what is stored of a package, or of one of its versions."),
    "work": ("stook.cli.commands.work", "Take work from a registry's queues until stopped, or until nothing is due."),
}
"""Command name to its module, which has a list `commands`, and to its line in `--help`."""


class LazyGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        commands: list[click.Command] = importlib.import_module(COMMANDS[cmd_name][0]).commands
        return next((command for command in commands if command.name == cmd_name), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand:
            raise click.NoSuchCommand(args[0], possibilities=self.list_commands(ctx), ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(COMMANDS.items())])
