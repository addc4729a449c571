"""Stdout: tables for people, JSON for machines; a reader that leaves early, like `head`, is nobody's failure."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime

import click
from rich.console import Console

from stook.engine.clock import naive_utc

__all__ = ["Page", "print_json"]


class Page(Console):
    """Where people read. When they have read enough, the rest goes nowhere, and the command ends as it would have."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(highlight=False, quiet=quiet)

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _drop_the_rest()


def print_json(value: object) -> None:
    """One JSON document on one line; in ASCII, so that every terminal and pipe carries it. Times are UTC with a Z."""
    try:
        click.echo(json.dumps(value, default=_as_text))
    except BrokenPipeError:
        _drop_the_rest()


def _as_text(value: object) -> str:
    """All times of one length: `str` leaves out what is zero, which no format reads that knows the rest."""
    if isinstance(value, datetime):
        return naive_utc(value).isoformat(timespec="microseconds") + "Z"
    return str(value)


def _drop_the_rest() -> None:
    """Python writes once more when it ends, and would complain then."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
