"""Exit codes, and the sentence and code of a run that an error ended."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from stook.engine.errors import EnvironmentFault, StookError, Unavailable, UserError

__all__ = ["ENVIRONMENT", "FAILED", "INTERRUPTED", "MISTAKE", "Ending", "ending_of"]

FAILED = 1
MISTAKE = 2
ENVIRONMENT = 3
INTERRUPTED = 130

_DRIVERS = {"psycopg": "postgresql", "pymysql": "mysql"}
_REFUSALS = frozenset({"42501", "25006"})  # PostgreSQL: the account may not do this; the server is read-only


@dataclass(frozen=True, slots=True)
class Ending:
    """The sentence for the user and the code for the shell."""

    code: int
    sentence: str


def ending_of(error: BaseException, database: str) -> Ending | None:
    """The ending for an error; None for an unforeseen one. `database` is a URL without password."""
    if isinstance(error, KeyboardInterrupt):
        return Ending(INTERRUPTED, "Interrupted. All that was kept is whole; the same command again goes on from here.")
    if isinstance(error, click.ClickException):
        return Ending(MISTAKE, f"Error: {error.format_message()}")
    if isinstance(error, UserError):
        return Ending(MISTAKE, f"Error: {error.reason}")
    if isinstance(error, EnvironmentFault):
        return Ending(ENVIRONMENT, f"Error: {error.reason}")
    if isinstance(error, Unavailable):
        return Ending(ENVIRONMENT, f"Not reachable: {error.reason}. Nothing is lost; try again later.")
    if isinstance(error, StookError):
        return Ending(FAILED, f"{type(error).__name__}: {error.reason}")
    return _environment(error, database)


def _environment(error: BaseException, database: str) -> Ending | None:
    if isinstance(error, ModuleNotFoundError) and error.name in _DRIVERS:
        extra = _DRIVERS[error.name]
        return Ending(ENVIRONMENT, f"{database} needs a driver: python -m pip install 'stook[{extra}]'.")
    if _is_database_trouble(error):
        reason = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        return Ending(ENVIRONMENT, f"The database {database} cannot be used: {reason}. Check STOOK_DB or --db.")
    if isinstance(error, OSError):
        return Ending(ENVIRONMENT, f"The system refused: {error}.")
    return None


def _is_database_trouble(error: BaseException) -> bool:
    """Whether the database is away, is none of ours, or refuses us. Does not import SQLAlchemy where nobody used it."""
    exceptions = sys.modules.get("sqlalchemy.exc")
    if exceptions is None or not isinstance(error, exceptions.DBAPIError):
        return False
    return (
        isinstance(error, (exceptions.OperationalError, exceptions.InterfaceError))
        or error.statement is None  # while connecting
        or type(error) is exceptions.DatabaseError  # SQLite: a file that is broken, or none of its own
        or getattr(error.orig, "sqlstate", None) in _REFUSALS
    )
