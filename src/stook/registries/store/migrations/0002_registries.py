"""The lists of versions tell failures by a code, and count workers that died with an event."""

import sqlalchemy as sa

from stook.engine.ledger.migrations.steps import add_columns
from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import Identity, small

revision = "0002_registries"
down_revision = "0001_registries"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns to both lists."""
    for table in ("TB_COMP_LIB_GOLANG_LIST_V2", "TB_COMP_LIB_RUST_LIST"):
        add_columns(
            table,
            sa.Column(n("LAST_CODE"), Identity(32), nullable=True),
            sa.Column(n("DELIVERIES"), small(), server_default="0", nullable=False),
        )
