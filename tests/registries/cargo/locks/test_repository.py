"""Git, read by plumbing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from stook.engine.errors import Malformed, Refused, Unavailable, UserError
from stook.registries.cargo.locks.repository import open_local, open_remote


class Repo(Protocol):
    """What `conftest` gives; the folder is no package, so its class cannot be imported."""

    path: Path

    def git(self, *arguments: str, text: str = "") -> str: ...
    def add(self, tag: str, files: Mapping[str, str]) -> str: ...


class Asked(Protocol):
    """A server of `conftest`."""

    asked: list[str]
    url: str


def soon() -> float:
    """A minute from now."""
    return time.monotonic() + 60


def listing(path: Path) -> dict[str, int]:
    """All files below, and when each was written."""
    return {str(file.relative_to(path)): file.lstat().st_mtime_ns for file in path.rglob("*")}


def test_a_clone_is_read_in_place_and_left_alone(repo: Repo) -> None:
    """A tag's files are read from a clone on this machine without a file in it being touched."""
    commit = repo.add("v1", {"Cargo.toml": "one", "src/lib.rs": "x"})
    repo.add("v2", {"Cargo.toml": "two"})
    before = listing(repo.path)
    clone = open_local("git", repo.path)
    assert clone.commit("v1", soon()) == commit
    tree = clone.tree(commit, soon())
    assert (set(tree.files), tree.read("Cargo.toml", 10)) == ({"Cargo.toml", "src/lib.rs"}, b"one")
    assert listing(repo.path) == before


def test_a_url_is_fetched_shallow_and_without_files(repo: Repo, git_server: Asked, tmp_path: Path) -> None:
    """From a URL only the tag's commit is fetched, and each file when it is read."""
    repo.add("v0", {"Cargo.toml": "old"})
    commit = repo.add("v1", {"Cargo.toml": "one", "big.bin": "x" * 100})
    remote = open_remote("git", f"{git_server.url}/thing/.git", tmp_path / "scratch", soon())
    assert remote.list_tags(soon()) == {"v0", "v1"}
    assert remote.commit("v1", soon()) == commit == remote.commit("HEAD", soon())
    assert remote.tree(commit, soon()).read("Cargo.toml", 10) == b"one"
    assert remote.call("rev-list", "--count", "--all", until=soon()) == b"1\n"
    objects = remote.call("cat-file", "--batch-check", "--batch-all-objects", until=soon()).decode()
    assert objects.count(" blob ") == 1


def test_links_and_submodules_are_no_files(repo: Repo) -> None:
    """A symbolic link is a name without a file, a submodule nothing at all."""
    commit = repo.add("v1", {"a.txt": "x"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    (repo.path / "Cargo.toml").symlink_to("/etc/passwd")
    clone = open_local("git", repo.path)
    tree = clone.tree(repo.add("v2", {}), soon())
    assert set(tree.files) == {"a.txt"}
    assert set(tree.names) == {"a.txt", "Cargo.toml"}


def test_names_that_climb_are_dropped(repo: Repo) -> None:
    """A tree made by hand with `..` in it gives no file outside of the project."""
    repo.add("v1", {"Cargo.toml": "x"})
    blob = repo.git("rev-parse", "v1:Cargo.toml")
    inner = repo.git("mktree", text=f"100644 blob {blob}\tCargo.toml\n")
    tree = repo.git("mktree", text=f"040000 tree {inner}\t..\n040000 tree {inner}\tin\n")
    assert set(open_local("git", repo.path).tree(tree, soon()).files) == {"in/Cargo.toml"}


@pytest.mark.parametrize(
    "tag", ["-v1", "--upload-pack=x", "v1^{}", "v1:x", "a..b", "a b", "", "@", "x.lock", "v1\n", "*"]
)
def test_impossible_tags_never_reach_git(tmp_path: Path, tag: str, needs_git: None) -> None:
    """A text that cannot be a tag, such as an option, is refused before git is called."""
    with pytest.raises(Refused, match="not a possible tag name"):
        open_local("git", tmp_path / "absent").commit(tag, soon())


def test_a_missing_tag_names_the_nearest(repo: Repo) -> None:
    """An unknown tag is Malformed, with the nearest one that exists; none is invented without tags."""
    clone = open_local("git", repo.path)
    with pytest.raises(Malformed, match=r"no tag v0\.7\.14$"):
        clone.commit("v0.7.14", soon())
    repo.add("v0.7.13", {"a": "x"})
    with pytest.raises(Malformed, match=r"no tag v0\.7\.14; the nearest is v0\.7\.13"):
        open_local("git", repo.path).commit("v0.7.14", soon())


def test_a_branch_is_no_tag(repo: Repo) -> None:
    """Only tags are read: a branch of that name does not stand in."""
    repo.add("v1", {"a": "x"})
    with pytest.raises(Malformed, match="no tag main"):
        open_local("git", repo.path).commit("main", soon())


def test_a_clones_settings_start_nothing(repo: Repo, tmp_path: Path) -> None:
    """A clone whose configuration would run a command for a missing file fails instead of running it."""
    commit = repo.add("v1", {"Cargo.toml": "x"})
    marker = tmp_path / "marker"
    blob = repo.git("rev-parse", "v1:Cargo.toml")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    settings = {
        "remote.origin.url": f"ext::touch {marker}",
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
    }
    for name, value in settings.items():
        repo.git("config", name, value)
    clone = open_local("git", repo.path)
    tree = clone.tree(commit, soon())
    with pytest.raises(Unavailable, match="git cat-file"):
        tree.read("Cargo.toml", 10)
    assert not marker.exists()


def test_our_environment_does_not_reach_git(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """GIT_DIR and settings in the environment of the caller change nothing."""
    commit = repo.add("v1", {"a": "x"})
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'broken")
    assert open_local("git", repo.path).commit("v1", soon()) == commit


def test_an_unreachable_url_says_so(git_server: Asked, tmp_path: Path) -> None:
    """A repository that is not there is Unavailable, with git's own reason and no secret."""
    url = git_server.url.replace("//", "//me:word@") + "/absent.git"
    with pytest.raises(Unavailable, match="git ls-remote: fatal: ") as failure:
        open_remote("git", url, tmp_path / "scratch", soon())
    assert "word" not in failure.value.reason


def test_a_local_path_is_never_an_origin(repo: Repo, tmp_path: Path) -> None:
    """The fetching side speaks https, http and ssh only, whatever URL got to it."""
    with pytest.raises(Unavailable, match="transport 'file' not allowed"):
        open_remote("git", str(repo.path), tmp_path / "scratch", soon())


def test_absent_git_is_explained() -> None:
    """Without git the user is told what to install and what works without."""
    with pytest.raises(UserError, match="install git"):
        open_local("no-such-git", Path("/"))
