"""The ledger as it began: polls, cursors, validators."""

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big, small

revision = "0001_engine"
down_revision = None
branch_labels = ("engine",)
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        n("TB_CRAWLER_POLL"),
        sa.Column(n("ID"), Binary(24, fixed=True), nullable=False),
        sa.Column(n("PROCESSED"), small(), server_default="0", nullable=False),
        sa.Column(n("RESYNC"), small(), server_default="0", nullable=False),
        sa.Column(n("DUE_AT"), Moment(), nullable=True),
        sa.Column(n("LEASE"), big(), nullable=True),
        sa.Column(n("ATTEMPTS"), small(), server_default="0", nullable=False),
        sa.Column(n("LAST_STATUS"), small(), nullable=True),
        sa.Column(n("LAST_ERROR"), LongText(), nullable=True),
        sa.Column(n("TIMESTAMP"), Moment(), nullable=True),
        sa.Column(n("TIMESTAMP_RAW"), Identity(64), nullable=True),
        sa.Column(n("CREATED"), Moment(), nullable=False),
        sa.Column(n("LAST_UPDATED"), Moment(), nullable=False),
        sa.Column(n("QUEUE"), Identity(32), nullable=False),
        sa.Column(n("NAME"), Identity(512), nullable=False),
        sa.Column(n("SOURCE"), Identity(128), nullable=True),
        sa.Column(n("FACTS"), Json(), nullable=True),
        sa.PrimaryKeyConstraint(n("ID")),
        mariadb_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_engine="InnoDB",
        sqlite_with_rowid=True,
    )
    op.create_index(
        n("IX_TB_CRAWLER_POLL_DUE"),
        n("TB_CRAWLER_POLL"),
        [n("QUEUE"), n("DUE_AT"), n("ID")],
        unique=False,
        sqlite_where=sa.text("DUE_AT IS NOT NULL"),
        postgresql_where=sa.text("DUE_AT IS NOT NULL"),
    )
    op.create_table(
        n("TB_CRAWLER_STATUS"),
        sa.Column(n("TYPE"), Identity(255), nullable=False),
        sa.Column(n("CURSOR"), LongText(), nullable=False),
        sa.Column(n("BOUNDARY"), Json(), nullable=True),
        sa.Column(n("UPDATED"), Moment(), nullable=False),
        sa.PrimaryKeyConstraint(n("TYPE")),
        mariadb_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_engine="InnoDB",
        sqlite_with_rowid=False,
    )
    op.create_table(
        n("TB_CRAWLER_VALIDATOR"),
        sa.Column(n("ID"), Binary(16, fixed=True), nullable=False),
        sa.Column(n("URL"), LongText(), nullable=False),
        sa.Column(n("ETAG"), LongText(), nullable=True),
        sa.Column(n("LAST_MODIFIED"), LongText(), nullable=True),
        sa.Column(n("DIGEST"), Binary(32, fixed=True), nullable=True),
        sa.Column(n("CHECKED"), Moment(), nullable=False),
        sa.PrimaryKeyConstraint(n("ID")),
        mariadb_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_engine="InnoDB",
        sqlite_with_rowid=False,
    )
    op.create_table(
        n("TB_LANE"),
        sa.Column(n("HOST"), Identity(255), nullable=False),
        sa.Column(n("NEXT_AT"), Moment(), nullable=False),
        sa.Column(n("STARTED_AT"), Moment(), nullable=False),
        sa.Column(n("GAP"), sa.Double(), nullable=False),
        sa.Column(n("COOLDOWN_UNTIL"), Moment(), nullable=False),
        sa.Column(n("PENALTY"), sa.Double(), nullable=False),
        sa.Column(n("ROUNDS"), big(), nullable=False),
        sa.Column(n("CLOSED_REASON"), LongText(), nullable=True),
        sa.PrimaryKeyConstraint(n("HOST")),
        mariadb_charset="utf8mb4",
        mariadb_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_engine="InnoDB",
        sqlite_with_rowid=False,
    )
