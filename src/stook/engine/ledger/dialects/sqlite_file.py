"""The file of a SQLite database: whether it is still the one that was opened, and reading it where nobody can write."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stook.engine.errors import EnvironmentFault

__all__ = ["FileWatch", "is_frozen", "open_frozen"]


class FileWatch:
    """Notices that the file was deleted or replaced while connections to it are open.

    SQLite goes on without a word then: what is written goes to a file that has no name any more.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._opened: tuple[int, int] | None = None

    def on_connect(self, connection: Any, record: Any) -> None:
        """Remember the file of the first connection; a later one may find another file under the name."""
        self._opened = self._opened or self._identity()

    def on_begin(self, connection: Any) -> None:
        """Raise EnvironmentFault unless the name still leads to the file that was opened."""
        if self._identity() != self._opened:
            raise EnvironmentFault(
                f"the database file {self._file} was deleted or replaced while it was in use; what was written since"
                " then is not in it"
            )

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def is_frozen(file: Path) -> bool:
    """Whether the file is there, and nothing can be written beside it: SQLite needs that even to read."""
    return file.is_file() and not os.access(file.parent, os.W_OK)


def open_frozen(file: Path) -> sqlite3.Connection:
    """A connection that only reads, to a file that nobody changes.

    Raises EnvironmentFault where a part of the database lies beside the file: it cannot be read without writing.
    """
    rest = file.with_name(f"{file.name}-wal")
    if rest.exists() and rest.stat().st_size:
        raise EnvironmentFault(f"{rest} has changes that are not in the database file yet; copy both to read them")
    address = f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
