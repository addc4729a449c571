"""The ledger's own tables, and the queue columns that every list table begins with."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Double, Index, MetaData, Table, literal_column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateTable

from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big, column, small, unquoted

__all__ = [
    "DUE_INDEX",
    "ID_LENGTH",
    "LANE",
    "LANE_LENGTH",
    "METADATA",
    "NAME_LENGTH",
    "POLL",
    "QUEUE_COLUMNS",
    "QUEUE_LANE",
    "STATUS",
    "TIME_INDEX",
    "VALIDATOR",
    "column",
    "create_table",
    "due_index",
    "queue_columns",
    "table",
    "unquoted",
]

METADATA = MetaData()
ARRIVAL = "DUE_AT"  # the column that tells a queue's table
ID_LENGTH = 24  # 8 bytes of the package's digest, 16 of the event's
QUEUE_LENGTH = 32
NAME_LENGTH = 512
LANE_LENGTH = 255
DUE_INDEX, TIME_INDEX = "IX_{}_DUE", "IX_{}_TIME"  # of a table; the second in tables with lanes only


def table(name: str, *columns: Column[Any], metadata: MetaData = METADATA) -> Table:
    """One table; clustered by its primary key where the engine can.

    Not so a queue: its ids are digests, and rows in that order would go to all places of a table that outgrows the
    cache. SQLite and PostgreSQL then append rows; for InnoDB see `_in_order_of_arrival`.
    """
    return Table(
        unquoted(name),
        metadata,
        *columns,
        sqlite_with_rowid=ARRIVAL in {column.name for column in columns},
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mariadb_charset="utf8mb4",
    )


def create_table(name: str, *columns: Column[Any]) -> None:
    """Make a table in a migration, on the same engines and with the same options as `table`."""
    from alembic import op  # noqa: PLC0415  only migrations need it

    table(name, *columns, metadata=MetaData()).create(op.get_bind())


@compiles(CreateTable, "mysql", "mariadb")
def _in_order_of_arrival(create: CreateTable, compiler: Any, **options: Any) -> str:
    """InnoDB clusters a table by its primary key; a queue gets a running number for one, beside its unique id."""
    statement: str = compiler.visit_create_table(create, **options)
    if ARRIVAL not in create.element.c:
        return statement
    return statement.replace(
        "PRIMARY KEY (`ID`)", "`SEQ` BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, UNIQUE KEY (`ID`)"
    )


def queue_columns(*, lane: bool = False) -> list[Column[Any]]:
    """The columns that every list table begins with (tables contract, "Queue columns").

    With `lane`, also the lane on which an event waits; empty for an event that needs none. The table's due index is
    made by `due_index`, and the lanes of its queues are rows of QUEUE_LANE.
    """
    return [
        column("ID", Binary(ID_LENGTH, fixed=True), key=True),
        column("PROCESSED", small(), null=False, default="0"),
        column("RESYNC", small(), null=False, default="0"),
        column("DUE_AT", Moment()),
        column("LEASE", big()),
        column("ATTEMPTS", small(), null=False, default="0"),
        column("LAST_STATUS", small()),
        column("LAST_CODE", Identity(32)),
        column("LAST_ERROR", LongText()),
        column("DELIVERIES", small(), null=False, default="0"),
        *([column("LANE", Identity(LANE_LENGTH), null=False, default="")] if lane else []),
        column("TIMESTAMP", Moment()),
        column("TIMESTAMP_RAW", Identity(64)),
        column("CREATED", Moment(), null=False),
        column("LAST_UPDATED", Moment(), null=False),
    ]


QUEUE_COLUMNS = frozenset(str(each.name) for each in queue_columns(lane=True))
"""Columns that the ledger alone writes."""


def due_index(target: Table, *before: str) -> None:
    """The range a claim walks. VisitResult rows have no DUE_AT and stay out of it where the engine has partial indexes.

    What completes a package needs no index of its own: the ids of a package's events begin alike. In a table with
    lanes the range of each lane is apart, and a second index has all lanes' events in the order of their time.
    """
    keys = [target.c[part] for part in before]
    due, identity = target.c["DUE_AT"], target.c["ID"]
    is_due = due.is_not(None)
    if "LANE" not in target.c:
        _partial(DUE_INDEX.format(target.name), is_due, *keys, due, identity)
        return
    lane = target.c["LANE"]
    _partial(DUE_INDEX.format(target.name), is_due, *keys, lane, due, identity)
    _partial(TIME_INDEX.format(target.name), (lane != literal_column("''")) & is_due, *keys, due)


def _partial(name: str, where: ColumnElement[bool], *keys: ColumnElement[Any]) -> None:
    Index(unquoted(name), *keys, sqlite_where=where, postgresql_where=where)


POLL = table(
    "TB_CRAWLER_POLL",
    *queue_columns(lane=True),
    column("QUEUE", Identity(QUEUE_LENGTH), null=False),
    column("NAME", Identity(NAME_LENGTH), null=False),
    column("SOURCE", Identity(128)),
    column("FACTS", Json()),
)
due_index(POLL, "QUEUE")

QUEUE_LANE = table(
    "TB_CRAWLER_LANE",
    column("QUEUE", Identity(QUEUE_LENGTH), key=True),
    column("LANE", Identity(LANE_LENGTH), key=True),
    column("NEXT_AT", Moment(), null=False),
    column("TURN", big(), null=False, default="0"),
)
"""The lanes of queues: when each is to be looked at next, and how often it gave events (see `queue.lanes`)."""
Index(unquoted("IX_TB_CRAWLER_LANE_NEXT"), *(QUEUE_LANE.c[name] for name in ("QUEUE", "NEXT_AT", "TURN", "LANE")))

STATUS = table(
    "TB_CRAWLER_STATUS",
    column("TYPE", Identity(255), key=True),
    column("CURSOR", LongText(), null=False),
    column("BOUNDARY", Json()),
    column("UPDATED", Moment(), null=False),
)

LANE = table(
    "TB_LANE",
    column("HOST", Identity(255), key=True),
    column("NEXT_AT", Moment(), null=False),
    column("STARTED_AT", Moment(), null=False),
    column("GAP", Double(), null=False),
    column("COOLDOWN_UNTIL", Moment(), null=False),
    column("PENALTY", Double(), null=False),
    column("ROUNDS", big(), null=False),
    column("CLOSED_REASON", LongText()),
    column("FLIGHTS", LongText()),
    column("UPDATED", Moment()),
)

VALIDATOR = table(
    "TB_CRAWLER_VALIDATOR",
    column("ID", Binary(16, fixed=True), key=True),
    column("URL", LongText(), null=False),
    column("ETAG", LongText()),
    column("LAST_MODIFIED", LongText()),
    column("DIGEST", Binary(32, fixed=True)),
    column("CHECKED", Moment(), null=False),
)
