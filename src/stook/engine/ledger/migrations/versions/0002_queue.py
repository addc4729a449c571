"""Queues tell failures by a code, count workers that died with an event, and know lanes."""

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.migrations.steps import add_columns, drop_index, make_index
from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import Identity, Moment, big, small

revision = "0002_queue"
down_revision = "0001_engine"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, the indexes by lane, and the table of lanes."""
    add_columns(
        "TB_CRAWLER_POLL",
        sa.Column(n("LAST_CODE"), Identity(32), nullable=True),
        sa.Column(n("DELIVERIES"), small(), server_default="0", nullable=False),
        sa.Column(n("LANE"), Identity(255), server_default="", nullable=False),
    )
    drop_index("IX_TB_CRAWLER_POLL_DUE", "TB_CRAWLER_POLL")
    keys = ["QUEUE", "LANE", "DUE_AT", "ID"]
    make_index("IX_TB_CRAWLER_POLL_DUE", "TB_CRAWLER_POLL", keys, "DUE_AT IS NOT NULL")
    where = "LANE != '' AND DUE_AT IS NOT NULL"
    make_index("IX_TB_CRAWLER_POLL_TIME", "TB_CRAWLER_POLL", ["QUEUE", "DUE_AT"], where)
    op.create_table(
        n("TB_CRAWLER_LANE"),
        sa.Column(n("QUEUE"), Identity(32), nullable=False),
        sa.Column(n("LANE"), Identity(255), nullable=False),
        sa.Column(n("NEXT_AT"), Moment(), nullable=False),
        sa.Column(n("TURN"), big(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint(n("QUEUE"), n("LANE")),
        mariadb_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_engine="InnoDB",
        sqlite_with_rowid=False,
    )
    make_index("IX_TB_CRAWLER_LANE_NEXT", "TB_CRAWLER_LANE", ["QUEUE", "NEXT_AT", "TURN", "LANE"])
