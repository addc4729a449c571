"""Folders, without following links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stook.engine.errors import Refused
from stook.registries.cargo.locks.trees import folder_tree, single_file_tree


def test_links_are_names_but_no_files(tmp_path: Path) -> None:
    """A link to a file is never read, and a link to a folder is not entered."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "Cargo.toml").write_text("secret")
    root = tmp_path / "root"
    (root / "target").mkdir(parents=True)
    (root / "target" / "Cargo.toml").touch()
    (root / "src.rs").touch()
    (root / "Cargo.toml").symlink_to(tmp_path / "outside" / "Cargo.toml")
    (root / "folder").symlink_to(tmp_path / "outside")
    tree = folder_tree(root)
    assert set(tree.files) == {"src.rs"}
    assert set(tree.names) == {"src.rs", "Cargo.toml"}


@pytest.mark.parametrize("swap", ["link", "pipe"])
def test_a_file_that_became_something_else_is_not_read(tmp_path: Path, swap: str) -> None:
    """A file exchanged for a link or a pipe after it was listed is refused, without waiting."""
    file = tmp_path / "Cargo.toml"
    file.touch()
    tree = folder_tree(tmp_path)
    file.unlink()
    if swap == "link":
        file.symlink_to("/etc/passwd")
    else:
        os.mkfifo(file)
    with pytest.raises((Refused, OSError), match=r"not a regular file|symbolic"):
        tree.read("Cargo.toml", 100)


def test_long_files_are_refused(tmp_path: Path) -> None:
    """A file above the limit is refused, one at it is read."""
    (tmp_path / "x.lock").write_bytes(b"x" * 10)
    tree = single_file_tree(tmp_path / "x.lock", "Cargo.lock")
    assert tree.read("Cargo.lock", 10) == b"x" * 10
    with pytest.raises(Refused, match="longer than 9 bytes"):
        tree.read("Cargo.lock", 9)
