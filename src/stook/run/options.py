"""Shared by every command: the settings of this call, and the option `--json`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from stook.settings import Settings

__all__ = ["Invocation", "as_json", "pass_settings"]

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


@dataclass(slots=True)
class Invocation:
    """The options given before the command, `--json`, and the settings once a command asked for them."""

    overrides: dict[str, object] = field(default_factory=dict)
    settings: Settings | None = None
    as_json: bool = False

    def load(self) -> Settings:
        """Read the settings and set up the log at the first call, so that `--help` needs neither.

        Products that are left out are named on stderr.
        """
        if self.settings is None:
            from stook.run.products import find_products, read_settings
            from stook.terminal.logs import configure_logs
            from stook.terminal.tables import plain

            for exclusion in find_products().exclusions:
                click.echo(plain(exclusion.sentence).plain, err=True)
            self.settings = read_settings(os.environ, Path.cwd(), self.overrides)
            configure_logs(self.settings.log, self.settings.log_format)
        return self.settings


def pass_settings(
    command: Callable[Concatenate[Settings, Parameters], Returned],
) -> Callable[Parameters, Returned]:
    """Give a command the settings as its first argument. Its `--help` also works when they are wrong."""

    @functools.wraps(command)
    def with_settings(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        root = click.get_current_context().find_root()
        return command(root.ensure_object(Invocation).load(), *args, **kwargs)

    return with_settings


def as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--json`, as the argument `as_json`."""
    line = "Print one JSON document on stdout and nothing else."
    return click.option("--json", "as_json", is_flag=True, help=line, callback=_note_json)(command)


def _note_json(context: click.Context, option: click.Parameter, value: bool) -> bool:
    """An error that ends the command is told as JSON, too."""
    context.find_root().ensure_object(Invocation).as_json = value
    return value
