"""Looking at a SQLite file before it is opened: opening makes a file, and turns another program's into our kind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from stook.engine.errors import EnvironmentFault
from stook.engine.ledger.dialects.sqlite_file import is_frozen, open_frozen

__all__ = ["NOTHING", "VERSION_TABLE", "check_file"]

VERSION_TABLE = "tb_schema_version"
NOTHING = "the database holds nothing of Stook's yet; collect something first, or name another database"


def check_file(file: Path) -> None:
    """Raise EnvironmentFault unless the file is a database that Stook made."""
    if not file.exists() or not file.is_file() or not file.stat().st_size:
        raise EnvironmentFault(f"there is no database at {file} yet; collect something first")
    try:
        with closing(open_frozen(file) if is_frozen(file) else _opened(file)) as connection:
            names = {str(name).lower() for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError as error:
        raise EnvironmentFault(f"{file} cannot be read as a SQLite database: {error}") from None
    if VERSION_TABLE not in names:
        reason = f"{file} is another program's database" if names else NOTHING
        raise EnvironmentFault(reason)


def _opened(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)
