"""A file is whole or absent at any moment, equal bytes are not touched, and leftovers of the dead are swept."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stook.engine.errors import UserError
from stook.engine.files import FileChange, create_file, file_equals, lock_folder, sweep_temporary, write_file


def leftovers(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir() if one.name.endswith(".stook-tmp")]


@pytest.mark.parametrize("is_durable", [True, False])
def test_write_and_overwrite(tmp_path: Path, is_durable: bool) -> None:
    """New bytes replace the old ones under another inode; nothing temporary stays."""
    path = tmp_path / "a"
    assert write_file(path, b"old", is_durable=is_durable) is FileChange.WRITTEN
    before = path.stat().st_ino
    assert write_file(path, b"new", is_durable=is_durable) is FileChange.WRITTEN
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != before
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("data", [b"", b"same", b"x" * (3 << 20)])
def test_equal_bytes_are_left_alone(tmp_path: Path, data: bytes) -> None:
    """Inode and time of a file stay when its bytes would."""
    path = tmp_path / "a"
    write_file(path, data)
    os.utime(path, ns=(1, 1))
    before = path.stat()
    assert write_file(path, data) is FileChange.KEPT
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, 1)


@pytest.mark.parametrize(("old", "new"), [(b"abc", b"abd"), (b"abc", b"ab"), (b"ab", b"abc"), (b"", b"x")])
def test_any_difference_is_written(tmp_path: Path, old: bytes, new: bytes) -> None:
    """Equal length or a common head are not equality."""
    path = tmp_path / "a"
    write_file(path, old)
    assert write_file(path, new) is FileChange.WRITTEN
    assert path.read_bytes() == new


def test_permissions_stay(tmp_path: Path) -> None:
    """A file that somebody closed to others stays closed."""
    path = tmp_path / "a"
    write_file(path, b"1")
    path.chmod(0o600)
    write_file(path, b"2")
    assert path.stat().st_mode & 0o777 == 0o600


def test_links_are_replaced_not_followed(tmp_path: Path) -> None:
    """Writing to a link makes it a file; what it pointed at keeps its bytes, equal ones too."""
    outside = tmp_path / "outside"
    outside.write_bytes(b"same")
    link = tmp_path / "link"
    link.symlink_to(outside)
    assert not file_equals(link, b"same")
    assert write_file(link, b"same") is FileChange.WRITTEN
    assert not link.is_symlink()
    write_file(link, b"other")
    assert outside.read_bytes() == b"same"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe at the path is replaced like a link."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert write_file(path, b"x") is FileChange.WRITTEN
    assert path.read_bytes() == b"x"


def test_a_failing_write_leaves_nothing(tmp_path: Path) -> None:
    """A folder at the path is an error, and the temporary file is gone."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_file(tmp_path / "a", b"x")
    assert leftovers(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "missing" / "a", b"x")


def test_create_is_exclusive(tmp_path: Path) -> None:
    """Only one of those who create a file gets it; whatever is there stays, a broken link too."""
    path = tmp_path / "a"
    assert create_file(path, b"first")
    assert not create_file(path, b"second")
    assert path.read_bytes() == b"first"
    (tmp_path / "link").symlink_to("nowhere")
    assert not create_file(tmp_path / "link", b"x")
    assert leftovers(tmp_path) == []


def test_sweep_takes_what_the_dead_left(tmp_path: Path) -> None:
    """The temporary file of a killed writer goes; that of a living one and everything else stays."""
    dead, living = tmp_path / f".{'0' * 16}.stook-tmp", tmp_path / f".{'1' * 16}.stook-tmp"
    others = [tmp_path / ".short.stook-tmp", tmp_path / "a.yaml", tmp_path / ".digests.yaml"]
    for path in (dead, living, *others):
        path.write_bytes(b"part")
    with living.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sweep_temporary(tmp_path) == 1
    assert not dead.exists()
    assert all(path.exists() for path in (living, *others))
    assert sweep_temporary(tmp_path) == 1


KILLED = """
import os, sys
from stook.engine.files import write_file
number = 0
print("ready", flush=True)
while True:
    number += 1
    write_file(sys.argv[1], str(number % 10).encode() * 200_000, is_durable=False)
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    """Killed at any moment, the file holds one value in full; the leftover is swept."""
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path / "a"], stdout=subprocess.PIPE)
        assert process.stdout is not None
        with process.stdout as stdout:
            stdout.readline()
            while not (tmp_path / "a").exists():
                pass
            process.send_signal(signal.SIGKILL)
            process.wait()
        data = (tmp_path / "a").read_bytes()
        assert len(data) == 200_000
        assert len(set(data)) == 1
        sweep_temporary(tmp_path)
        assert leftovers(tmp_path) == []


def test_one_run_in_a_folder(tmp_path: Path) -> None:
    """A second holder is told so, and gets the folder when the first is done."""
    with lock_folder(tmp_path), pytest.raises(UserError, match="another run"), lock_folder(tmp_path):
        pass
    with lock_folder(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
