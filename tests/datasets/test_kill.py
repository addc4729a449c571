"""A run that is killed at any moment is made good by the next one, byte for byte."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import stook
from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.iana.flavour import IanaFlavour
from stook.datasets.tree.prune import PruneRule

FETCH = """
import sys
from pathlib import Path
from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.iana.flavour import IanaFlavour
BulkFetcher(IanaFlavour(), Path(sys.argv[2]), uses_ledger=True).fetch(Checkout(Path(sys.argv[1])))
"""


def write_source(folder: Path, year: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(8):
        inner = "".join(f'<registry id="r{one}"/>' for one in range(20))
        head = f'<registry xmlns="http://www.iana.org/assignments" id="s{number}">'
        (folder / f"s{number}.xml").write_text(f"{head}<title>T</title><updated>{year}</updated>{inner}</registry>")


def tree(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "run-report.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def inodes(folder: Path) -> dict[str, int]:
    with os.scandir(folder / "data") as entries:
        return {entry.name: entry.inode() for entry in entries if entry.name.endswith(".yaml")}


def fetch(source: Path, folder: Path) -> None:
    BulkFetcher(IanaFlavour(), folder / "data", uses_ledger=True, prune=PruneRule()).fetch(Checkout(source))


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, Path]:
    """A source yesterday and today: every record changes."""
    for name, year in (("old", 2001), ("new", 2002)):
        write_source(tmp_path / name, year)
    return tmp_path / "old", tmp_path / "new"


@pytest.mark.parametrize("share", [0.01, 0.5, 1.0])
def test_killed_runs_converge(tmp_path: Path, sources: tuple[Path, Path], share: float) -> None:
    """Killed when that share of the files is new, the tree becomes the new one, or the old one again."""
    old, new = sources
    fetch(old, tmp_path / "expected-old")
    fetch(new, tmp_path / "expected-new")
    for goal, name in ((new, "expected-new"), (old, "expected-old")):
        folder = tmp_path / f"tree-{name}"
        fetch(old, folder)
        before = inodes(folder)
        environment = {"PYTHONPATH": str(Path(stook.__file__).parents[1])}
        process = subprocess.Popen([sys.executable, "-c", FETCH, new, folder / "data"], env=environment)
        while process.poll() is None:
            now = inodes(folder)
            if sum(now.get(one) != inode for one, inode in before.items()) >= share * len(before):
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        fetch(goal, folder)
        assert tree(folder) == tree(tmp_path / name)
