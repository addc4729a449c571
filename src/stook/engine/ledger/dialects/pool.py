"""Connections to a server that may have gone away while they were idle."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

__all__ = ["USED", "ping_the_idle"]

IDLE = 1.0  # seconds without use after which a connection is asked whether it still stands
USED = "stook.used"


def ping_the_idle(engine: sa.Engine) -> None:
    """Ask a connection before its use whether it still stands, but for one that has just been used.

    SQLAlchemy's own `pool_pre_ping` asks each time: one round trip more for each transaction of a busy worker.
    """

    def note(connection: Any, record: Any) -> None:
        record.info[USED] = time.monotonic()

    def ping(connection: Any, record: Any, proxy: Any) -> None:
        if time.monotonic() - record.info.get(USED, 0.0) < IDLE:
            return
        try:
            is_there = engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error:
            is_there = False
        if not is_there:
            raise sa.exc.DisconnectionError  # the pool makes a new one

    event.listen(engine, "connect", note)
    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", ping)
