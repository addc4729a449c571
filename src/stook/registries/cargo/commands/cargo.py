"""Collect crates: every version of the crates you name, or of those a project's locks name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from stook.settings import Settings

__all__ = ["cargo"]


@click.group("cargo")
def cargo() -> None:
    """Collect crates from crates.io or a mirror of it.

    \b
    Example:
      stook cargo collect serde_json quick-xml
    """


@cargo.command("collect")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--seeds",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names, one a line; default seeds.txt, if it is there.",
)
@click.option("--lock", metavar="PROJECT", help="A preset, a git URL or path, a folder, a Cargo.toml or a Cargo.lock.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag of that project; may be given several times.")
@click.option(
    "--subdir", default="", metavar="FOLDER", help="The folder of that project where its lock or manifest is."
)
@click.option(
    "--name", "called", default="", metavar="NAME", help="What to call that project; its last folder by default."
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="At most so many crates, the first in order of name."
)
@click.option(
    "--tasks",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Crates asked for side by side (STOOK_WORK_TASKS).",
)
@click.option("--resync", is_flag=True, help="Collect again even what is stored and unchanged.")
@click.option("--allow-deletions", is_flag=True, help="Believe it when most of the crates have vanished.")
@as_json
@pass_settings
def collect(
    settings: Settings,
    names: Sequence[str],
    seeds: Path | None,
    lock: str | None,
    tags: Sequence[str],
    subdir: str,
    called: str,
    limit: int | None,
    tasks: int | None,
    resync: bool,
    allow_deletions: bool,
    as_json: bool,
) -> int:
    """Collect every version of the crates you name.

    Names come from the command line, from seeds.txt and from STOOK_CARGO_SEEDS, together; with --lock, also
    from what a project's Cargo.lock names at each of its tags. The index decides which versions there are; what the
    JSON API says of them is filled in beside, at its own slow pace.

    \b
    Examples:
      stook cargo collect quick-xml serde_json
      stook cargo collect --lock rhwp
      stook cargo collect --lock ../my-app --tag v1.0.0 --tag v1.1.0 --json
      stook cargo collect --lock https://github.com/me/app --subdir src-tauri --name app-desktop
    """
    from stook.registries.cargo.commands.collect import CollectOptions, collect_crates

    options = CollectOptions(tuple(names), seeds, lock, tuple(tags), subdir, called, limit, resync, allow_deletions)
    return collect_crates(settings, options, tasks=tasks, as_json=as_json)
