"""The branch of crates: their tables were made in the branch `registries`; later changes of them stand here."""

revision = "0001_cargo"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Begin the branch."""
