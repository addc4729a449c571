"""Which commands there are: a module of `stook.cli` with a list `commands` holds the one that has its name."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import click

__all__ = ["LazyGroup", "command_modules"]


def command_modules() -> dict[str, str]:
    """Command name to its module's first sentence, read without importing: some commands stand on heavy parts."""
    folder = Path(__file__).parent
    files = [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
    trees = {_name_of(file): ast.parse(file.read_text(encoding="utf-8")) for file in sorted(files)}
    return {name: _first_line(tree) for name, tree in trees.items() if any(map(_is_commands, tree.body))}


def _name_of(file: Path) -> str:
    return file.parent.name if file.stem == "__init__" else file.stem


def _first_line(tree: ast.Module) -> str:
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def _is_commands(node: ast.stmt) -> bool:
    """Whether a statement is `commands = …` or `commands: list[click.Command] = …`."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == "commands" for target in targets)


class LazyGroup(click.Group):
    """A group whose commands are found by walking `stook.cli`, and imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(command_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in command_modules():
            return None
        module = importlib.import_module(f"stook.cli.{cmd_name}")
        commands: list[click.Command] = module.commands
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
            formatter.write_dl(sorted(command_modules().items()))
