"""Show every setting: its value, who set it, its default and what it does."""

from __future__ import annotations

from dataclasses import asdict

import click

from stook.run.options import as_json, pass_settings
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
        from stook.terminal.stdout import print_json

        print_json([asdict(row) for row in rows])
    else:
        _print(rows)


def _print(rows: list[Row]) -> None:
    """Keys and values each whole on a line: in columns a terminal, and `grep`, would get them in pieces."""
    from stook.terminal.stdout import Page
    from stook.terminal.tables import plain

    page = Page()
    for row in rows:
        origin = "default" if row.origin == "default" else f"from {row.origin}; default: {row.default or 'none'}"
        page.print(plain(f"{row.key} = {row.value}".rstrip()), plain(f"  ({origin})"), sep="", soft_wrap=True)
        page.print(plain(f"    {row.help}"), soft_wrap=True)


commands: list[click.Command] = [settings]
