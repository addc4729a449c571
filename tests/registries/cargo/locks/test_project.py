"""What the user may name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stook.engine.errors import UserError
from stook.registries.cargo.locks import Preset
from stook.registries.cargo.locks.project import UNTAGGED, Kind, find_project

PRESETS = {"rhwp": Preset("https://example.org/edwardkim/rhwp.git", ("v1", "v2"))}


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a/thing.git", "thing"),
        ("https://example.org/a/thing/", "thing"),
        ("ssh://git@example.org/a/thing", "thing"),
        ("git@example.org:a/thing.git", "thing"),
        ("git@example.org:thing", "thing"),
    ],
)
def test_urls_are_remote_repositories(url: str, name: str) -> None:
    """https, http and ssh URLs are fetched; the last part of the path names the project; without tags HEAD is read."""
    project = find_project(url, (), PRESETS)
    assert (project.name, project.kind, project.place, project.tags) == (name, Kind.REMOTE, url, ("HEAD",))
    assert project.notes == ("no tag was named: HEAD was read",)


def test_a_preset_brings_its_tags() -> None:
    """A preset is named by its own name and read at its tags, unless tags are named; one tag is read once."""
    assert find_project("rhwp", (), PRESETS).tags == ("v1", "v2")
    assert find_project("rhwp", ("v9", "v9"), PRESETS).tags == ("v9",)
    assert find_project("rhwp", (), PRESETS).name == "rhwp"


def test_paths_are_told_apart(tmp_path: Path) -> None:
    """A clone, a bare clone, a folder, a manifest and a lock are known by what they hold."""
    for name in ("clone/.git", "bare.git/objects", "bare.git/refs", "folder"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("bare.git/HEAD", "folder/Cargo.toml", "folder/Cargo.lock"):
        (tmp_path / name).touch()
    found = [find_project(str(tmp_path / name), (), {}) for name in ("clone", "bare.git", "folder")]
    found += [find_project(str(tmp_path / "folder" / name), (), {}) for name in ("Cargo.toml", "Cargo.lock")]
    assert [project.kind for project in found] == [Kind.CLONE, Kind.CLONE, Kind.FOLDER, Kind.MANIFEST, Kind.LOCK]
    assert [project.name for project in found] == ["clone", "bare", "folder", "folder", "folder"]
    assert found[2].tags == (UNTAGGED,)


def test_a_name_that_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose name is no UTF-8 has a name that can be stored."""
    folder = tmp_path / os.fsdecode(b"app\xff")
    folder.mkdir()
    (folder / "Cargo.lock").touch()
    monkeypatch.chdir(folder)
    assert find_project(".", (), {}).name == "app?"


def test_a_file_url_is_read_in_place(tmp_path: Path) -> None:
    """A file URL means the clone at that path."""
    (tmp_path / "a b" / ".git").mkdir(parents=True)
    project = find_project((tmp_path / "a b").as_uri(), ("v1",), {})
    assert (project.kind, project.place) == (Kind.CLONE, str(tmp_path / "a b"))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("rhpw", r"no project and no path rhpw \(did you mean rhwp\?\)"),
        ("--upload-pack=touch x", "neither a project, a path nor a URL"),
        ("", "."),
        ("a\nb", "neither a project, a path nor a URL"),
        ("ext::sh -c touch", "not fetched: use https, http, ssh or a path"),
        ("git://example.org/x", "not fetched"),
        ("ftp://user:secret@example.org/x", r"//\*\*\*@example.org/x is not fetched"),
        ("https://", "names no repository"),
    ],
)
def test_mistakes_get_one_sentence(spec: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no project is refused, with the nearest preset where there is one and never with a secret."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=reason):
        find_project(spec, (), PRESETS)


def test_tags_need_a_repository(tmp_path: Path) -> None:
    """A folder or a file outside of git has no tags to read."""
    (tmp_path / "Cargo.toml").touch()
    with pytest.raises(UserError, match="not a git repository"):
        find_project(str(tmp_path), ("v1",), {})
