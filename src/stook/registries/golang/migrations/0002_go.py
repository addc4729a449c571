"""More facts of go.mod, why a module has no latest version, where it moved, and how old an enrichment is."""

import sqlalchemy as sa

from stook.engine.ledger.migrations.steps import add_columns
from stook.engine.ledger.schema import unquoted as n
from stook.engine.ledger.types import Identity, Json, LongText, Moment, big

revision = "0002_go"
down_revision = "0001_go"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns to versions and modules."""
    add_columns(
        "TB_COMP_LIB_VERSION_GOLANG",
        sa.Column(n("TOOLCHAIN"), Identity(64), nullable=True),
        sa.Column(n("REPLACES"), Json(), nullable=True),
        sa.Column(n("EXCLUDES"), Json(), nullable=True),
        sa.Column(n("TOOLS"), Json(), nullable=True),
        sa.Column(n("MOD_ERROR"), LongText(), nullable=True),
        sa.Column(n("ENRICHED_AT"), Moment(), nullable=True),
    )
    add_columns(
        "TB_COMP_LIB_PRODUCT_GOLANG",
        sa.Column(n("LATEST_REASON"), LongText(), nullable=True),
        sa.Column(n("LISTED_COUNT"), big(), nullable=True),
        sa.Column(n("SERIES"), Identity(512), nullable=True),
        sa.Column(n("MOVED_TO"), Identity(512), nullable=True),
    )
