"""What pins the modules of a Go project."""

from __future__ import annotations

from pathlib import Path

import pytest

from stook.engine.errors import Malformed, UserError
from stook.registries.golang.locks import LockedModule, read_folder, read_text

MOD = b"""module example.com/app

go 1.22

require (
	example.com/a v1.2.0
	example.com/b v0.3.0 // indirect
	example.com/c v1.0.0
	example.com/d v1.0.0
)

replace example.com/c => ../c

replace example.com/d v1.0.0 => example.org/fork v1.0.1
"""
SUM = b"""example.com/a v1.2.0 h1:zip=
example.com/a v1.2.0/go.mod h1:mod=
example.org/fork v1.0.1/go.mod h1:fork=
"""


def test_go_mod_and_go_sum() -> None:
    """Requirements with their replacements, whether they are direct, and the checksum of each go.mod."""
    lock = read_text("go.mod", MOD, SUM)
    assert lock.name == "example.com/app"
    assert lock.modules == (
        LockedModule("example.com/a", "v1.2.0", False, "h1:mod=", True),
        LockedModule("example.com/b", "v0.3.0", False, "", False),
        LockedModule("example.com/c", "v1.0.0", True, "", True),
        LockedModule("example.org/fork", "v1.0.1", False, "h1:fork=", True),
    )


def test_go_list() -> None:
    """The output of `go list -m all`: the main module first, replacements after an arrow."""
    text = b"example.com/app\nexample.com/a v1.2.0\nexample.com/c v1.0.0 => ../c\n"
    text += b"example.com/d one => example.org/f v1.0.1\n"
    with pytest.raises(Malformed, match="line 4 is none"):
        read_text("modules.txt", text)
    lock = read_text("modules.txt", text.replace(b"d one ", b"d v1.0.0 "))
    assert (lock.name, [(each.path, each.version, each.is_local) for each in lock.modules]) == (
        "example.com/app",
        [("example.com/a", "v1.2.0", False), ("example.com/c", "v1.0.0", True), ("example.org/f", "v1.0.1", False)],
    )


def test_a_workspace(tmp_path: Path) -> None:
    """All modules that a go.work uses, but for those of the workspace itself."""
    (tmp_path / "go.work").write_text("go 1.22\n\nuse (\n\t./one // the first\n\t./two\n)\n")
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / name).mkdir()
        requires = f"require example.com/{other} v0.1.0\nrequire example.com/x v1.0.0\n"
        (tmp_path / name / "go.mod").write_text(f"module example.com/{name}\n\n{requires}")
    lock = read_folder(tmp_path)
    assert [(each.path, each.version) for each in lock.modules] == [("example.com/x", "v1.0.0")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"module a.b/c\n<<<<<<< HEAD\nrequire a.b/d v1.0.0\n=======\n>>>>>>> x\n", "conflict markers \\(line 2\\)"),
        (b"module a.b/c\nrequire a.b/d banana\n", "line 2"),
    ],
)
def test_damaged(text: bytes, reason: str) -> None:
    """What is no go.mod is Malformed, with the line."""
    with pytest.raises(Malformed, match=reason):
        read_text("go.mod", text)


def test_nothing_there(tmp_path: Path) -> None:
    """A folder without any of the files is the user's mistake."""
    with pytest.raises(UserError, match=r"neither a go\.mod nor a go\.work"):
        read_folder(tmp_path)
