"""The lights as they began."""

from stook.api import Identity, LongText, Moment, column, create_table

revision = "0001_lights"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    create_table(
        "TB_LIGHT",
        column("NAME", Identity(64), key=True),
        column("COLOUR", LongText(), null=False),
        column("SEEN", Moment(), null=False),
    )
