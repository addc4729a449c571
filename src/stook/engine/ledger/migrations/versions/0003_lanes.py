"""Lanes know how many requests are under way, and when their row was last written."""

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import LongText, Moment

revision = "0003_lanes"
down_revision = "0002_queue"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns that are not there yet."""
    there = _columns()
    for name, kind in (("FLIGHTS", LongText()), ("UPDATED", Moment())):
        if name not in there:
            op.add_column(n("TB_LANE"), sa.Column(n(name), kind, nullable=True))


def _columns() -> set[str]:
    """What an interrupted run left: MySQL and MariaDB commit each statement, the others undo all of it."""
    connection = op.get_bind()
    if connection.dialect.name not in ("mysql", "mariadb"):
        return set()
    columns = (
        "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE table_schema = DATABASE() AND table_name = 'TB_LANE'"
    )
    return {str(name) for name in connection.execute(sa.text(columns)).scalars()}
