"""See all of it work on a bundled sample world, without any network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from stook.settings import Settings

__all__ = ["demo"]


@click.command("demo")
@as_json
@pass_settings
def demo(settings: Settings, as_json: bool) -> int:
    """See all of it work on a bundled sample world, without any network.

    A small registry starts on this machine's loopback address; its crates are collected into a database file,
    something changes upstream, and a second run sees just that.

    \b
    Example:
      stook demo
    """
    from stook.testing.demonstration import demonstrate

    return demonstrate(settings, as_json=as_json)
