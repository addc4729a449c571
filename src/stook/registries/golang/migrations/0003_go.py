"""Since which version a module is elsewhere, and since when all that the proxy lists is collected."""

import sqlalchemy as sa

from stook.engine.ledger.migrations.steps import add_columns
from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import Identity, Moment

revision = "0003_go"
down_revision = "0002_go"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns to modules."""
    add_columns(
        "TB_COMP_LIB_PRODUCT_GOLANG",
        sa.Column(n("MOVED_SINCE"), Identity(255), nullable=True),
        sa.Column(n("LISTED_SINCE"), Moment(), nullable=True),
    )
