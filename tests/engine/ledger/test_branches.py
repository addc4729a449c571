"""Databases that somebody else's release has migrated: a newer one of ours, or one with a plug-in that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from stook.engine.errors import EnvironmentFault
from stook.engine.ledger import connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, VERSION_TABLE, heads, migrate

SCRIPT = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = {before!r}
branch_labels = {labels!r}
depends_on = None


def upgrade():
    op.create_table("{table}", sa.Column("A", sa.Integer, primary_key=True))
"""


def branch(folder: Path, name: str, count: int = 1, labels: tuple[str, ...] | None = None) -> Path:
    """A folder with so many migrations of a branch."""
    folder.mkdir(exist_ok=True)
    before = None
    for number in range(1, count + 1):
        revision = f"{number:04}_{name}"
        text = SCRIPT.format(revision=revision, before=before, labels=labels, table=f"TB_{name.upper()}_{number}")
        (folder / f"{revision}.py").write_text(text)
        before, labels = revision, None
    return folder


@pytest.fixture
def engine(database_url):
    """An empty database."""
    engine, _ = connect(database_url)
    yield engine
    engine.dispose()


def revisions(engine):
    with engine.connect() as connection:
        return set(connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars())


def tables(engine):
    return {name.upper() for name in sa.inspect(engine).get_table_names()}


def test_a_branch_that_is_gone_is_left_alone(engine, tmp_path):
    """A plug-in was removed and another one added: its branch runs, and the first one's stays as it was."""
    gone, added = branch(tmp_path / "gone", "gone"), branch(tmp_path / "added", "added")
    migrate(engine, [ENGINE_MIGRATIONS, gone])
    migrate(engine, [ENGINE_MIGRATIONS, added])
    assert revisions(engine) == heads([ENGINE_MIGRATIONS, gone, added])
    assert {"TB_GONE_1", "TB_ADDED_1"} <= tables(engine)
    branch(gone, "gone", 2)
    migrate(engine, [ENGINE_MIGRATIONS, gone])
    assert revisions(engine) == {*heads([ENGINE_MIGRATIONS, added]), "0002_gone"}


def test_a_newer_branch_is_refused(engine, tmp_path):
    """A database that a newer release has migrated is refused by a sentence, and nothing of it is changed."""
    newer, older = branch(tmp_path / "newer", "shop", 2), branch(tmp_path / "older", "shop", 1)
    migrate(engine, [ENGINE_MIGRATIONS, newer])
    before = revisions(engine)
    with pytest.raises(EnvironmentFault, match="made by a newer release: its schema has 0002_shop"):
        migrate(engine, [ENGINE_MIGRATIONS, older])
    assert revisions(engine) == before


def test_branches_run_in_order(engine, tmp_path):
    """A branch may build on those before it: they are at their heads when it runs, on a new database too."""
    first = branch(tmp_path / "zzz", "zzz", 2)
    second = branch(tmp_path / "aaa", "aaa")
    (second / "0001_aaa.py").write_text(
        (second / "0001_aaa.py")
        .read_text()
        .replace('op.create_table("TB_AAA_1"', 'op.add_column("TB_ZZZ_2"', 1)
        .replace('sa.Column("A", sa.Integer, primary_key=True)', 'sa.Column("B", sa.Integer)')
    )
    migrate(engine, [ENGINE_MIGRATIONS, first, second])
    assert {one["name"] for one in sa.inspect(engine).get_columns("TB_ZZZ_2")} == {"A", "B"}


def test_labels_that_clash_are_a_sentence(engine, tmp_path):
    """Two branches that claim one label cannot be run; that is no traceback of Alembic's."""
    folders = [branch(tmp_path / name, name, labels=("same",)) for name in ("one", "two")]
    with pytest.raises(EnvironmentFault, match="the migrations cannot be run"):
        migrate(engine, [ENGINE_MIGRATIONS, *folders])
