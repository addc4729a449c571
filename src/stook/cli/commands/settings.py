"""Show every setting: its value, its origin, its default and its meaning."""

from __future__ import annotations

from dataclasses import asdict

import click

from stook.run.options import as_json, pass_settings
from stook.settings import SettingRow, Settings, describe

__all__ = ["settings"]


@click.command("settings")
@as_json
@pass_settings
def settings(settings: Settings, as_json: bool) -> None:
    """Show every setting: its value, its origin, its default and its meaning.

    \b
    Later wins: defaults, stook.toml (the current folder's; if there is none, the
    user's config folder's), the environment (STOOK_…), options. Secrets print as ***.

    \b
    Examples:
      stook settings
      STOOK_WORK_TASKS=4 stook settings --json
    """
    rows = describe(settings)
    if as_json:
        from stook.terminal.stdout import print_json

        print_json([asdict(row) for row in rows])
    else:
        _print(rows)


def _print(rows: list[SettingRow]) -> None:
    """One setting a line, however long: columns would break it for a terminal, and for `grep`."""
    from stook.terminal.stdout import Page
    from stook.terminal.tables import plain

    page = Page()
    for row in rows:
        origin = "default" if row.origin == "default" else f"from {row.origin}; default: {row.default or 'none'}"
        page.print(plain(f"{row.key} = {row.value}".rstrip()), plain(f"  ({origin})"), sep="", soft_wrap=True)
        page.print(plain(f"    {row.help}"), soft_wrap=True)
