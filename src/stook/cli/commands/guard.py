"""Judge URLs and addresses as the door would, and say why; nothing is sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from stook.engine.door import Guard
    from stook.settings import Settings

__all__ = ["guard"]


@click.command("guard")
@click.argument("targets", nargs=-1, metavar="[URL|ADDRESS]...")
@click.option(
    "--answer", "answers", multiple=True, metavar="IP", help="What the name resolves to; then no resolver is asked."
)
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    metavar="ROWS.JSON",
    help="A list of {url, answers?} or {address}; names in it are not looked up.",
)
@as_json
@pass_settings
def guard(settings: Settings, targets: Sequence[str], answers: Sequence[str], file: Path | None, as_json: bool) -> int:
    """Say what the door would do with URLs and addresses, and why.

    \b
    Examples:
      stook guard https://example.org 169.254.169.254
      stook guard https://rebind.example --answer 93.184.215.14 --answer 10.0.0.1
      stook guard --file rows.json --json
    """
    from stook.engine.door import Guard, judge_row
    from stook.engine.errors import UserError
    from stook.terminal.stdout import print_json

    judge = Guard(str(network) for network in settings.unsafe_allow_networks)
    if not targets and file is None:
        raise UserError("nothing to judge: give URLs or addresses, or --file")
    rows = _rows(file) if file else []
    verdicts = [judge_row(judge, row) for row in rows]
    named = [_target(judge, target, answers) for target in targets]
    verdicts += [verdict for _, verdict in named]
    shown = [str(row.get("url", row.get("address", ""))) for row in rows] + [target for target, _ in named]
    if as_json:
        print_json(verdicts)
    else:
        _print(shown, verdicts)
    return 0


def _target(judge: Guard, target: str, answers: Sequence[str]) -> tuple[str, dict[str, str]]:
    from stook.engine.door import judge_row

    if "://" not in target and _is_address(target):
        return target, judge_row(judge, {"address": target})
    return target, judge_row(judge, {"url": target, "answers": list(answers) or _resolve(judge, target)})


def _is_address(target: str) -> bool:
    try:
        ip_address(target.partition("%")[0])
    except ValueError:
        return False
    return True


def _resolve(judge: Guard, target: str) -> list[str]:
    """What the door's own resolver says of a name that is not refused already."""
    from stook.engine.door import lookup_system

    verdict = judge.judge_url(target)
    if not verdict.allowed or verdict.addresses:
        return []
    try:
        return list(lookup_system(verdict.host))
    except OSError:
        return []


def _rows(file: Path) -> list[dict[str, Any]]:
    from stook.engine.errors import UserError

    try:
        rows = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"the rows in {file} cannot be read: {error}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{file} must hold a JSON list of objects with url or address")
    return rows


def _print(shown: Sequence[str], verdicts: Sequence[dict[str, str]]) -> None:
    from stook.terminal.stdout import Page
    from stook.terminal.tables import plain_table

    cells = [(verdict["verdict"], text[:100], verdict["reason"]) for text, verdict in zip(shown, verdicts, strict=True)]
    Page().print(plain_table("The door would", ("", "target", "because"), cells))
