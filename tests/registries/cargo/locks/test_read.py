"""The whole: from what the user names to the union."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from stook.engine.errors import UserError
from stook.registries.cargo.locks import How, LockReading, Preset, TagReading, read_locks

Manifest = Callable[..., str]
Read = Callable[..., LockReading]

LOCK = """version = 4
[[package]]
name = "alpha"
version = "0.9.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"""


class Repo(Protocol):
    """What `conftest` gives."""

    path: Path

    def git(self, *arguments: str, text: str = "") -> str: ...
    def add(self, tag: str, files: Mapping[str, str]) -> str: ...


class Asked(Protocol):
    """A server of `conftest`."""

    asked: list[str]
    url: str


@pytest.fixture
def tagged(repo: Repo, manifest: Manifest) -> Repo:
    """Four tags: without a lock, broken, with a git dependency, with a lock."""
    repo.add("v1", {"Cargo.toml": manifest('beta = "1"'), "src/lib.rs": ""})
    repo.add("v2", {"Cargo.toml": "[package\n"})
    repo.add("v3", {"Cargo.toml": manifest('x = { git = "http://127.0.0.1:9/x" }')})
    repo.add("v4", {"Cargo.toml": manifest('alpha = "1"'), "Cargo.lock": LOCK})
    return repo


def test_every_tag_has_its_record(needs_cargo: None, read: Read, tagged: Repo) -> None:
    """Tags that cannot be read have a reason and stop no other; the order is the one asked for."""
    seen: list[TagReading] = []
    reading = read(tagged.path, "v4", "v9", "-x", "v3", "v2", "v1", progress=seen.append)
    assert tuple(seen) == reading.readings
    assert [row.tag for row in reading.readings] == ["v4", "v9", "-x", "v3", "v2", "v1"]
    assert [row.how for row in reading.readings] == [How.COMMITTED, *[How.FAILED] * 4, How.GENERATED]
    reasons = [row.reason for row in reading.failed]
    assert reasons[0].startswith("the repository has no tag v9")
    assert reasons[1] == "'-x' is not a possible tag name"
    assert reasons[2].startswith("dependency x comes from git (http://127.0.0.1:9/x)")
    assert reasons[3].startswith("Cargo.toml cannot be read: ")
    assert reading.readings[0].commit == tagged.git("rev-parse", "v4^{commit}")


def test_the_union_is_over_all_tags(needs_cargo: None, read: Read, tagged: Repo) -> None:
    """Crates of committed and generated locks are joined, with the tags of each version; the project is a member."""
    reading = read(tagged.path, "v4", "v1")
    assert reading.crates.keys() == {"alpha", "beta", "gamma-rs"}
    assert reading.crates["alpha"].tags == ("v4", "v1")
    assert reading.crates["alpha"].versions == {"0.9.0": ("v4",), "1.1.0": ("v1",)}
    assert reading.crates["alpha"].checksums == {"1.1.0": "1" * 64}
    assert [(row.name, row.source, row.tags) for row in reading.members] == [("thing", "path", ("v1",))]
    assert (reading.project, reading.source, reading.notes) == ("thing", "thing-lock", ())


def test_without_tags_head_is_read(read: Read, tagged: Repo) -> None:
    """A repository without tags named is read at HEAD, and the reading says so."""
    reading = read(tagged.path)
    assert [(row.tag, row.how) for row in reading.readings] == [("HEAD", How.COMMITTED)]
    assert reading.notes == ("no tag was named: HEAD was read",)


def test_a_url_reads_as_a_path_does(needs_cargo: None, read: Read, tagged: Repo, git_server: Asked) -> None:
    """Fetched over HTTP, a project gives the same readings as its clone."""
    remote = read(f"{git_server.url}/thing/.git/", "v1", "v4")
    assert remote.crates == read(tagged.path, "v1", "v4").crates
    assert [row.how for row in remote.readings] == [How.GENERATED, How.COMMITTED]


def test_a_repository_that_is_not_there_fails_every_tag_once_asked(read: Read, git_server: Asked) -> None:
    """An unreachable repository gives every tag its reason, and is asked once."""
    reading = read(f"{git_server.url}/absent.git", "v1", "v2", "v3")
    assert [row.how for row in reading.readings] == [How.FAILED] * 3
    assert len({row.reason for row in reading.readings}) == 1
    assert len(git_server.asked) == 1


def test_a_preset_is_read_at_its_tags(read: Read, tagged: Repo) -> None:
    """A preset gives the project its name and its tags."""
    reading = read("mine", presets={"mine": Preset(str(tagged.path), ("v4",))})
    assert (reading.source, [row.tag for row in reading.readings]) == ("mine-lock", ["v4"])


def test_folders_and_files_are_read(needs_cargo: None, read: Read, manifest: Manifest, tmp_path: Path) -> None:
    """A folder's lock is read, a lock file as well; a manifest named as such is resolved, and nothing is written."""
    folder = tmp_path / "folder"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(manifest('alpha = "1"'))
    (folder / "Cargo.lock").write_text(LOCK)
    hows = [read(path).readings[0].how for path in (folder, folder / "Cargo.lock", folder / "Cargo.toml")]
    assert hows == [How.COMMITTED, How.COMMITTED, How.GENERATED]
    assert (folder / "Cargo.lock").read_text() == LOCK
    (folder / "Cargo.lock").unlink()
    assert read(folder).crates["alpha"].versions == {"1.1.0": ("untagged",)}
    assert not (folder / "Cargo.lock").exists()


def test_a_workspace_is_resolved_as_one(needs_cargo: None, read: Read, repo: Repo, manifest: Manifest) -> None:
    """Members, path dependencies, inherited and renamed dependencies are resolved; aliases are no crates."""
    root = '[workspace]\nmembers = ["crates/*"]\n[workspace.dependencies]\nb = { package = "beta", version = "1" }\n'
    one = manifest("b.workspace = true", 'two = { path = "../../two" }', name="one")
    tree = {
        "Cargo.toml": root,
        "crates/one/Cargo.toml": one,
        "two/Cargo.toml": manifest('alpha = "=1.0.0"', name="two"),
    }
    repo.add("v1", {**tree, "crates/one/src/main.rs": "", "two/src/lib.rs": "", "fuzz/Cargo.toml": "[["})
    reading = read(repo.path, "v1")
    assert reading.failed == ()
    assert reading.crates.keys() == {"alpha", "beta", "gamma-rs"}
    assert [row.name for row in reading.members] == ["one", "two"]


def test_settings_in_a_tag_run_nothing(
    needs_cargo: None, read: Read, repo: Repo, manifest: Manifest, tmp_path: Path
) -> None:
    """A hostile tag with a wrapper in its settings resolves, and its wrapper never runs."""
    wrapper = f'#!/bin/sh\n: > {tmp_path / "marker"}\nexec "$@"\n'
    repo.add("v1", {"Cargo.toml": manifest('alpha = "1"').replace("2021", "2024"), "src/lib.rs": "", "wrap": wrapper})
    (repo.path / "wrap").chmod(0o755)
    repo.add("v2", {".cargo/config.toml": f'[build]\nrustc-wrapper = "{repo.path}/wrap"\n', "rust-toolchain": "1.0.0"})
    assert read(repo.path, "v2").readings[0].how is How.GENERATED
    assert not (tmp_path / "marker").exists()


def test_a_lock_that_is_a_link(needs_cargo: None, read: Read, manifest: Manifest, tmp_path: Path) -> None:
    """A committed lock that cannot be read is never replaced by a resolved one, unless the manifest was named."""
    folder = tmp_path / "member"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(manifest('alpha = "1"'))
    (tmp_path / "Cargo.lock").write_text(LOCK)
    (folder / "Cargo.lock").symlink_to("../Cargo.lock")
    readings = [read(folder / name).readings[0].how for name in ("", "Cargo.lock", "Cargo.toml")]
    assert readings == [How.FAILED, How.COMMITTED, How.GENERATED]


def test_links_out_of_a_tag_are_not_followed(read: Read, repo: Repo, manifest: Manifest, tmp_path: Path) -> None:
    """A manifest, a lock or a folder that is a link is no part of the project."""
    (tmp_path / "secret.toml").write_text(manifest('alpha = "1"'))
    (repo.path / "Cargo.toml").symlink_to(tmp_path / "secret.toml")
    (repo.path / "Cargo.lock").symlink_to(tmp_path / "secret.toml")
    repo.add("v1", {})
    (row,) = read(repo.path, "v1").readings
    assert (row.how, row.reason) == (How.FAILED, "Cargo.lock is a link, which is not followed")


def test_nothing_is_left_behind(
    needs_cargo: None, read: Read, tagged: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scratch folder, with clone and index cache, is gone after the run, also when it fails."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    read(tagged.path, "v1")
    with pytest.raises(UserError, match="install Rust"):
        read(tagged.path, "v1", cargo="no-such-cargo")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_tools_are_needed_only_where_they_are_used(read: Read, tagged: Repo) -> None:
    """A committed lock needs no cargo, and a lock file needs no git."""
    assert read(tagged.path, "v4", cargo="no-such-cargo").failed == ()
    assert read(tagged.path / "Cargo.lock", cargo="no-such-cargo", git="no-such-git").failed == ()
    with pytest.raises(UserError, match="install git"):
        read(tagged.path, "v4", git="no-such-git")


def test_a_late_tag_fails_alone(read: Read, tagged: Repo) -> None:
    """No time at all is a reason of the tag."""
    (row,) = read(tagged.path, "v1", timeout=0).readings
    assert (row.how, row.reason) == (How.FAILED, "git did not end within the time limit and was ended")


@pytest.mark.parametrize("url", ["file:///index", "index.crates.io", "http://", "https://x/\n[build]"])
def test_the_index_must_be_a_url(url: str, tmp_path: Path) -> None:
    """An index that cannot be one is refused before anything is run."""
    (tmp_path / "Cargo.toml").touch()
    with pytest.raises(UserError, match="the index must be an http or https URL"):
        read_locks(str(tmp_path), (), index_url=url, presets={})
