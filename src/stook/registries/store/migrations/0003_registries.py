"""A table of what locks name, filled from what events of older databases say of locks."""

import json
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from stook.engine.ledger.migrations.steps import make_index
from stook.engine.ledger.schema import create_table
from stook.engine.ledger.types import Identity, LongText, Moment, column, small
from stook.engine.ledger.types import unquoted as n

revision = "0003_registries"
down_revision = "0002_registries"
branch_labels = None
depends_on = None

COLUMNS = "ORIGIN TAG LANGUAGE PRODUCT_KEY VERSION SOURCE PROJECT SEEN_AT".split()


def upgrade() -> None:
    """Make the table; pins of older databases have the project's name in place of its origin, and no checksum."""
    if not sa.inspect(op.get_bind()).has_table(str(n("TB_COMP_LIB_PIN"))) and not sa.inspect(op.get_bind()).has_table(
        "tb_comp_lib_pin"
    ):
        create_table(
            "TB_COMP_LIB_PIN",
            column("ORIGIN", Identity(1024), key=True),
            column("TAG", Identity(255), key=True),
            column("LANGUAGE", Identity(16), key=True),
            column("PRODUCT_KEY", Identity(512), key=True),
            column("VERSION", Identity(255), key=True),
            column("SOURCE", Identity(512), key=True),
            column("PROJECT", LongText(), null=False),
            column("CHECKSUM", Identity(128)),
            column("DIRECT", small()),
            column("STATE", Identity(32)),
            column("SEEN_AT", Moment(), null=False),
        )
    make_index("IX_TB_COMP_LIB_PIN_KEY", "TB_COMP_LIB_PIN", ["LANGUAGE", "PRODUCT_KEY"])
    _fill()


def _fill() -> None:
    """From the facts of the index's events: project to tag to versions."""
    connection = op.get_bind()
    events = sa.table(n("TB_CRAWLER_POLL"), *(sa.column(n(name)) for name in ("QUEUE", "NAME", "FACTS")))
    pins = sa.table(n("TB_COMP_LIB_PIN"), *(sa.column(n(name)) for name in COLUMNS))
    now = datetime.now(UTC).replace(tzinfo=None)
    seen = now.isoformat(timespec="microseconds") if connection.dialect.name == "sqlite" else now
    connection.execute(sa.delete(pins))
    held = sa.select(events.c.NAME, events.c.FACTS).where(events.c.QUEUE == "cargo-index", events.c.FACTS.is_not(None))
    rows = []
    for name, packed in connection.execute(held):
        facts = json.loads(packed) if isinstance(packed, str | bytes) else packed
        for project, tags in (facts.get("locks") or {}).items():
            for tag, versions in tags.items():
                shown = "" if tag == "untagged" else tag
                key = ("registry", project, seen)
                rows += [(_ascii(project), shown, "rust", name, version, *key) for version in versions]
    if rows:
        connection.execute(sa.insert(pins), [dict(zip(COLUMNS, row, strict=True)) for row in rows])


def _ascii(project: str) -> str:
    return project.encode("ascii", errors="backslashreplace").decode()[:1024]
