"""The parts of a run are those that settings and database ask for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stook.engine.door import UNLIMITED, Door
from stook.engine.ledger.lanes import DatabaseLanes, ResidentLanes
from stook.run.build import open_door, open_ledger
from stook.run.products import read_settings


@contextmanager
def door_on(url: str, folder: Path, toml: str = "") -> Iterator[Door]:
    (folder / "stook.toml").write_text(toml)
    settings = read_settings({"STOOK_DB": url}, folder)
    with open_ledger(settings) as ledger:
        yield open_door(settings, ledger)


def test_lanes_live_where_they_must(database_url: str, tmp_path: Path) -> None:
    """On a server all processes share the table; on a SQLite file one process alone is in memory."""
    with door_on(database_url, tmp_path) as door:
        is_sqlite = database_url.startswith("sqlite")
        assert isinstance(door.lanes._store, ResidentLanes if is_sqlite else DatabaseLanes)


def test_limit_of_a_lane(sqlite_url: str, tmp_path: Path) -> None:
    """The file's limit of a host holds for its lane, and for no other."""
    with door_on(sqlite_url, tmp_path, '[lane."a.example"]\nconcurrency = 3\n') as door:
        assert (door.lanes.room("a.example"), door.lanes.room("b.example")) == (3, UNLIMITED)


@pytest.mark.parametrize("name", ["a.example", "b.example"])
def test_nothing_is_left_beside_the_file(sqlite_url: str, tmp_path: Path, name: str) -> None:
    """When a run has ended, no other file than the database's is left."""

    async def run(door: Door) -> None:
        async with door:
            await door.lanes[name].turn()
            door.lanes[name].leave()

    with door_on(sqlite_url, tmp_path) as door:
        asyncio.run(run(door))
    assert not list(Path(sqlite_url.removeprefix("sqlite:///")).parent.glob("*-lanes"))
