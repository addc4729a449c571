"""Processes on one file see each other for as long as they live, however they end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stook.engine.ledger.lanes import Presence

CHILD = """
import sys
from pathlib import Path
from stook.engine.ledger.lanes import Presence
presence = Presence(Path(sys.argv[1]))
presence.enter()
print(presence.is_alone(), flush=True)
sys.stdin.readline()
"""


def test_alone(tmp_path: Path) -> None:
    """A process is alone until another enters, and again when it has left; the last one leaves nothing."""
    folder = tmp_path / "lanes"
    first, second = Presence(folder), Presence(folder)
    first.enter()
    assert first.is_alone()
    second.enter()
    assert (first.is_alone(), second.is_alone()) == (False, False)
    first.leave()
    assert second.is_alone()
    second.leave()
    second.leave()
    assert list(tmp_path.iterdir()) == []


def test_killed_process(tmp_path: Path) -> None:
    """A process that is killed is gone at once, and its file is cleaned up."""
    presence = Presence(tmp_path / "lanes")
    presence.enter()
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[4] / "src")}
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path / "lanes")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    with child:
        assert child.stdout
        assert child.stdout.readline() == "False\n"
        assert not presence.is_alone()
        child.kill()
    assert presence.is_alone()
    assert len(list((tmp_path / "lanes").iterdir())) == 1
    presence.leave()


def test_folder_that_is_gone(tmp_path: Path) -> None:
    """When somebody deletes the folder, nobody is sure to be alone."""
    presence = Presence(tmp_path / "lanes")
    presence.enter()
    for file in (tmp_path / "lanes").iterdir():
        file.unlink()
    (tmp_path / "lanes").rmdir()
    assert not presence.is_alone()
    presence.leave()


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where the folder cannot be made, entering says so."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Not a directory"):
        Presence(tmp_path / "file" / "lanes").enter()
