#!/usr/bin/env python3
"""Write the reference pages from the program itself; with --check only say whether they are what it would write."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from sqlalchemy.engine import make_url
from sqlalchemy.schema import CreateIndex, CreateTable

from stook.cli.main import stook
from stook.engine.ledger.dialects.mysql import mysql_engine
from stook.engine.ledger.schema import METADATA
from stook.run.products import find_products
from stook.settings import SettingRow, Settings, describe

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
WIDTH = 100
MADE = "<!-- Written by scripts/docs.py; do not edit. -->"

SETTINGS = f"""{MADE}

# Settings

Later wins: built-in defaults, `stook.toml`, the environment, command-line options.
One `stook.toml` is read: the one in the current folder; if there is none, the one in the user's config folder
(`~/.config/stook/` on Linux).
A key or `STOOK_…` name that is not listed here is refused, with the nearest known name
(names that begin with `STOOK_TEST_` belong to the test suite).
Lists are written with commas, or as lists in the file.
`stook settings` shows every value and who set it; secrets print as `***`.

| in stook.toml | environment | type | default | meaning |
|---|---|---|---|---|
"""

LANES = """
## Single hosts

A table `[lane."host"]` of the file says for one host what `work.gap` and the `throttle` section say for all:
`gap`, `throttle_base`, `throttle_max`, `throttle_giveup`; and `concurrency`, the number of requests that may be under
way at once in all processes on one database (without it, or with 0, there is no limit).
It also wins over the gaps of the file, such as `cargo.api_gap`; a gap from the environment or an option wins over it.

```toml
contact = "you@example.org"

[cargo]
index_url = "https://crates.mirror.example"
index_gap = 0.05

[lane."crates.io"]
gap = 2.0
throttle_giveup = 3
```
"""


def settings_page() -> str:
    return SETTINGS + "".join(map(_settings_line, describe(_default_settings()))) + LANES


def _default_settings() -> Settings:
    """The settings of somebody who has set nothing."""
    return Settings(products={name: kind() for name, kind in find_products().sections.items()})


def _settings_line(row: SettingRow) -> str:
    default = f"`{row.default}`" if row.default else "(empty)"
    return f"| `{row.key}` | `{row.env}` | {row.type} | {default} | {row.help} |\n"


def commands_page() -> str:
    sections = (f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in _helps(stook, None, "stook"))
    return f"{MADE}\n\n# Commands\n\nEach command's `--help`.\n" + "".join(sections)


def _helps(command: click.Command, parent: click.Context | None, name: str) -> Iterator[tuple[str, str]]:
    """Command path and help of a command and all below it, in the order of their names."""
    context = click.Context(command, parent, name, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    yield context.command_path, command.get_help(context).rstrip()
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None and not found.hidden:
                yield from _helps(found, context, inner)


def schema_page() -> str:
    """The tables as the migrations make them on MySQL 8, for people who must hand a schema to somebody."""
    dialect = mysql_engine(make_url("mysql://nobody@127.0.0.1/stook")).dialect
    for product in find_products().products.values():
        product.queues()  # imports its tables
    made: list[CreateTable | CreateIndex] = [CreateTable(table) for table in METADATA.sorted_tables]
    made += [CreateIndex(index) for table in METADATA.sorted_tables for index in sorted(table.indexes, key=str)]
    statements = (str(one.compile(dialect=dialect)).replace("\t", "  ").strip() + ";" for one in made)
    lines = (line.rstrip() for statement in statements for line in f"{statement}\n".split("\n"))
    return (
        f"{MADE}\n\n# The schema on MySQL 8\n\nStook makes its tables itself; this is what it makes.\n\n```sql\n"
        + "\n".join(lines)
        + "```\n"
    )


def main(arguments: list[str]) -> int:
    pages = {REFERENCE / "settings.md": settings_page(), REFERENCE / "commands.md": commands_page()}
    pages[REFERENCE / "schema-mysql.md"] = schema_page()
    stale = [page for page, text in pages.items() if not page.is_file() or page.read_text(encoding="utf-8") != text]
    if arguments == ["--check"]:
        for page in stale:
            print(f"{page} is stale: run scripts/docs.py")
        return 1 if stale else 0
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for page in stale:
        page.write_text(pages[page], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
