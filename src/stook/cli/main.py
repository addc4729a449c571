"""The frame of the command line: global options, and the line where errors become exit codes."""

from __future__ import annotations

import signal
import sys
import traceback
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

import click

from stook import __version__
from stook.cli.lazy_group import StookCommands
from stook.run.exit_codes import ENVIRONMENT, FAILED, ending_of
from stook.run.options import Invocation

__all__ = ["main", "stook"]

_EPILOG = """\b
Exit codes: 0 all done; 1 finished, but some events failed (they are listed);
2 a mistake in the call or the settings; 3 database or upstream not reachable;
130 interrupted (everything kept is whole, running again goes on)."""


class Frame(StookCommands):
    """Runs a command. Its return value is the exit code, None is 0; an error it raises becomes an exit code."""

    def invoke(self, ctx: click.Context) -> NoReturn:
        try:
            code = super().invoke(ctx)
        except (click.exceptions.Exit, click.exceptions.Abort, click.UsageError):
            raise
        except (Exception, KeyboardInterrupt) as error:
            ctx.exit(_end(ctx, error))
        ctx.exit(code if isinstance(code, int) else 0)


def _end(ctx: click.Context, error: BaseException) -> int:
    """Print one sentence about the error and return its exit code; an unforeseen error is raised again."""
    invocation = ctx.ensure_object(Invocation)
    settings = invocation.settings
    ending = ending_of(error, settings.shown_db if settings else "")
    if ending is None:
        raise error
    if ending.code in (FAILED, ENVIRONMENT) and settings and settings.log == "debug":
        traceback.print_exception(error)
    from stook.terminal.tables import plain  # the sentence may quote a file or a server

    click.echo(plain(ending.sentence).plain, err=True)
    if invocation.as_json:
        from stook.terminal.stdout import print_json

        print_json({"error": ending.sentence, "exit_code": ending.code})
    return ending.code


@click.group("stook", cls=Frame, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(__version__, message="stook %(version)s")
@click.option("--db", metavar="URL", help="Database URL (STOOK_DB): sqlite:///…, postgresql://… or mysql://….")
@click.option("--log", metavar="LEVEL", help="Level of the log on stderr (STOOK_LOG): debug, info, warning or error.")
@click.pass_context
def stook(ctx: click.Context, db: str | None, log: str | None) -> None:
    """Gather what public sources publish, politely and completely, into stores that can be trusted.

    \b
    Examples:
      stook demo                          see all of it work, without any network
      stook settings                      every setting, its value and its origin
      stook --db postgresql://db/stook queue status
    """
    ctx.obj = Invocation({"db": db, "log": log})


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """End like Ctrl-C: children are ended, folders removed. The loop has a handler of its own while it runs."""
    raise KeyboardInterrupt


def main() -> NoReturn:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # None where it was closed
            stream.reconfigure(errors="replace")  # a character that the terminal does not have is no reason to fail
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` has it ignored
            signal.signal(number, _interrupt)
    stook(prog_name="stook")
    raise AssertionError("click ends the process")
