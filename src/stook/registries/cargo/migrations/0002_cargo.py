"""Who published and yanked a version and when, what it builds, a sortable MSRV, and how old its enrichment is."""

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.migrations.steps import add_columns
from stook.engine.ledger.types import Binary, Json, LongText, Moment, small
from stook.engine.ledger.types import unquoted as n
from stook.registries.cargo.semver import rust_version_key

revision = "0002_cargo"
down_revision = "0001_cargo"
branch_labels = None
depends_on = None

TABLE = "TB_COMP_LIB_VERSION_RUST"


def upgrade() -> None:
    """Add the columns; the key follows from what is stored, the others come with the next enrichment."""
    add_columns(
        TABLE,
        sa.Column(n("PUBLISHED_BY"), LongText(), nullable=True),
        sa.Column(n("YANKED_BY"), LongText(), nullable=True),
        sa.Column(n("YANKED_AT"), Moment(), nullable=True),
        sa.Column(n("BIN_NAMES"), Json(), nullable=True),
        sa.Column(n("HAS_LIB"), small(), nullable=True),
        sa.Column(n("RUST_VERSION_KEY"), Binary(64), nullable=True),
        sa.Column(n("ENRICHED_AT"), Moment(), nullable=True),
    )
    connection = op.get_bind()
    table = sa.table(n(TABLE), sa.column(n("RUST_VERSION")), sa.column(n("RUST_VERSION_KEY")))
    written, key = table.c.RUST_VERSION, table.c.RUST_VERSION_KEY
    stored = sa.select(written).where(written.is_not(None), key.is_(None)).distinct()
    for text in list(connection.execute(stored).scalars()):
        if found := rust_version_key(text):
            connection.execute(sa.update(table).where(written == text).values(RUST_VERSION_KEY=found))
