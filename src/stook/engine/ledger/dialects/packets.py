"""The largest statement that a MySQL or MariaDB server takes: beyond it the server hangs up, as if it were away."""

from __future__ import annotations

from functools import cache
from typing import Any

from stook.engine.errors import FailureCode, Refused

__all__ = ["longest_statement", "read_limit", "sized_connection"]

HEADER = 16  # bytes that a statement's packet has beside it, generously
UNKNOWN = 1 << 20  # bytes; before the server was asked


def longest_statement(connection: Any) -> int:
    """How many bytes a statement may have on this connection."""
    return int(getattr(connection, "longest_statement", UNKNOWN))


def read_limit(connection: Any) -> None:
    """Ask the server for its `max_allowed_packet`, once for each connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@max_allowed_packet")
        connection.longest_statement = int(cursor.fetchone()[0]) - HEADER


@cache
def sized_connection() -> type[Any]:
    """PyMySQL's connection that refuses (`too_large`) a statement which the server would not take."""
    from pymysql.connections import Connection  # noqa: PLC0415  an extra

    class SizedConnection(Connection):  # type: ignore[misc]
        """See above: a class that needs the extra to be made."""

        longest_statement = UNKNOWN

        def query(self, sql: str | bytes, unbuffered: bool = False) -> Any:
            data = sql.encode(self.encoding) if isinstance(sql, str) else sql
            if len(data) > self.longest_statement:
                reason = f"a row needs a statement of {len(data):,} bytes; the server takes {self.longest_statement:,}"
                raise Refused(f"{reason} (max_allowed_packet)", FailureCode.TOO_LARGE)
            return super().query(data, unbuffered)

    return SizedConnection
