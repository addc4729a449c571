"""Show every setting: its value, who set it, its default and what it does."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from stook.cli.invocation import as_json, pass_settings
from stook.settings import Row, Settings, describe

__all__ = ["commands"]


@click.command("settings")
@as_json
@pass_settings
def settings(settings: Settings, as_json: bool) -> None:
    """Show every setting: its value, who set it, its default and what it does.

    \b
    Later wins: defaults, stook.toml (the current folder's; if there is none, the
    user's config folder's), the environment (STOOK_…), options. Secrets print as ***.

    \b
    Examples:
      stook settings
      STOOK_CARGO_API_GAP=2 stook settings --json
    """
    rows = describe(settings)
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], ensure_ascii=False))
    else:
        _print(rows)


def _print(rows: list[Row]) -> None:
    from rich.console import Console

    from stook.cli.tables import plain_table

    cells = [(row.key, row.value, row.origin, row.default, row.help) for row in rows]
    Console(highlight=False).print(plain_table("Settings", ("key", "value", "from", "default", "what it does"), cells))


commands: list[click.Command] = [settings]
