"""The SQL engines: one file each, behind one seam."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from stook.engine.errors import UserError
from stook.engine.ledger.dialects.dialect import Dialect, Named, is_conflict, is_too_large
from stook.engine.ledger.dialects.mysql import Mysql, mysql_engine
from stook.engine.ledger.dialects.postgresql import Postgresql, postgresql_engine
from stook.engine.ledger.dialects.sqlite import Sqlite, sqlite_engine

__all__ = ["Dialect", "Mysql", "Named", "Postgresql", "Sqlite", "connect", "is_conflict", "is_too_large"]


def connect(url: str, *, reads_only: bool = False) -> tuple[sa.Engine, Dialect]:
    """The SQLAlchemy engine and our dialect for a database URL; UserError when the URL is not one of ours.

    With `reads_only` a SQLite file may lie where nothing can be written.
    """
    parsed = _parsed(url)
    backend = parsed.get_backend_name()
    match backend:
        case "sqlite" if "?" in url:  # SQLAlchemy cuts the name there, and may drop the rest without a word
            raise UserError("a SQLite URL has no options; write %3F for a ? in the file's name")
        case "sqlite":
            return sqlite_engine(parsed, reads_only=reads_only), Sqlite()
        case "postgresql":
            return postgresql_engine(parsed), Postgresql()
        case "mysql" | "mariadb":
            return mysql_engine(parsed), Mysql()
        case _:
            raise UserError(f"no such database engine: {backend!r}; use sqlite:///FILE, postgresql://… or mysql://…")


def _parsed(url: str) -> URL:
    """No message repeats a part of the URL: where its parts lie wrong, any of them may be from the password."""
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError:
        raise UserError("not a database URL; use sqlite:///FILE, postgresql://… or mysql://…") from None
    except ValueError:
        raise UserError("the database URL has a port that is no number") from None
    if "@" in (parsed.host or ""):
        raise UserError("the database URL has more than one @; in a password write %40 for it")
    return parsed
