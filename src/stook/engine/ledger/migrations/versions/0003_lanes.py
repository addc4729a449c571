"""Lanes know how many requests are under way, and when their row was last written."""

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import LongText, Moment

revision = "0003_lanes"
down_revision = "0001_engine"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns that are not there: MySQL and MariaDB keep half of a migration that is interrupted."""
    schema = sa.inspect(op.get_bind())
    table = next(name for name in schema.get_table_names() if name.upper() == "TB_LANE")
    there = {column["name"].upper() for column in schema.get_columns(table)}
    for column in (
        sa.Column(n("FLIGHTS"), LongText(), nullable=True),
        sa.Column(n("UPDATED"), Moment(), nullable=True),
    ):
        if column.name not in there:
            op.add_column(n("TB_LANE"), column)
