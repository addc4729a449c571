"""Cargo in isolation: these hand hostile files to cargo itself, past the check of manifests."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from stook.engine.errors import Malformed, Unavailable, UserError
from stook.registries.cargo.locks import cargo as module
from stook.registries.cargo.locks.cargo import Resolver, Toolchain, find_toolchain

Manifest = Callable[..., str]
TELL = (
    "exec >&2",
    'case "$(/usr/bin/env)" in *=ours*) echo leak ;; *) echo no secret of ours ;; esac',
    "pwd",
    'echo "$no_proxy"',
    "exit 1",
)


class Asked(Protocol):
    """A server of `conftest`."""

    asked: list[str]
    url: str
    port: int


class Repo(Protocol):
    """A repository of `conftest`."""

    path: Path

    def add(self, tag: str, files: Mapping[str, str]) -> str: ...


def soon() -> float:
    """A minute from now."""
    return time.monotonic() + 60


@pytest.fixture
def resolver(needs_cargo: None, needs_git: None, index: Asked, tmp_path: Path) -> Resolver:
    """Cargo beside a git, as distributions have it, and without a second try."""
    found = find_toolchain("cargo")
    (tmp_path / "bin").mkdir()
    for name, program in (("cargo", found.cargo), ("git", shutil.which("git"))):
        (tmp_path / "bin" / name).symlink_to(program or "/nonexistent")
    toolchain = Toolchain(tmp_path / "bin" / "cargo", found.rustc)
    return Resolver(toolchain, tmp_path / "scratch", f"{index.url}/", retries=0)


def files(manifest: str, **more: str) -> dict[str, bytes]:
    """A package of these files, and an empty library."""
    texts = {"Cargo.toml": manifest, "src/lib.rs": "", **more}
    return {name: text.encode() for name, text in texts.items()}


def script(path: Path, *lines: str) -> Path:
    """A program of these shell lines."""
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return path


def test_a_lock_is_made_and_nothing_stays(resolver: Resolver, manifest: Manifest, tmp_path: Path) -> None:
    """The newest fitting versions are locked, by real names; the project's copy is removed."""
    lock = resolver.resolve(files(manifest('beta = "1"')), soon()).decode()
    assert all(f'name = "{name}"' in lock for name in ("alpha", "beta", "gamma-rs", "thing"))
    assert 'version = "1.1.0"' in lock
    assert "renamed" not in lock
    assert list((tmp_path / "scratch" / "cargo-home" / "projects").iterdir()) == []


def test_tags_share_the_index_cache(resolver: Resolver, manifest: Manifest, index: Asked) -> None:
    """A second project asks the index again for validation at most once a file, and gets its own lock."""
    resolver.resolve(files(manifest('beta = "1"')), soon())
    assert b"gamma" not in resolver.resolve(files(manifest('alpha = "1"')), soon())
    assert index.asked.count("/ga/mm/gamma-rs") == 1


def test_settings_of_the_project_run_nothing(resolver: Resolver, manifest: Manifest, tmp_path: Path) -> None:
    """A wrapper in the project's .cargo/config.toml, which cargo would run, is not run."""
    marker = tmp_path / "marker"
    wrapper = script(tmp_path / "wrapper", f": > {marker}", 'exec "$@"')
    config = f'[build]\nrustc-wrapper = "{wrapper}"\nrustc = "{wrapper}"\n[env]\nX = "y"\n'
    edition = manifest('alpha = "1"').replace("2021", "2024")
    hostile = {
        ".cargo/config.toml": config,
        ".cargo/config": config,
        "rust-toolchain.toml": '[toolchain]\nchannel="1.0.0"',
    }
    assert b"alpha" in resolver.resolve(files(edition, **hostile), soon())
    assert not marker.exists()


def test_a_wrapper_in_our_environment_runs_nothing(
    needs_cargo: None, index: Asked, manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RUSTC_WRAPPER and CARGO_… of the caller do not reach cargo."""
    marker = tmp_path / "marker"
    wrapper = script(tmp_path / "wrapper", f": > {marker}", 'exec "$@"')
    for name in ("RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC", "CARGO_BUILD_RUSTC", "CARGO_BUILD_RUSTC_WRAPPER"):
        monkeypatch.setenv(name, str(wrapper))
    resolver = Resolver(find_toolchain("cargo"), tmp_path / "scratch", f"{index.url}/")
    resolver.resolve(files(manifest('alpha = "1"').replace("2021", "2024")), soon())
    assert not marker.exists()


def test_folders_above_have_no_say(resolver: Resolver, manifest: Manifest, tmp_path: Path) -> None:
    """A workspace and a .cargo folder above our scratch folder, which others may write, are not looked at."""
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["other"]\n')
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text("[[")
    assert b"alpha" in resolver.resolve(files(manifest('alpha = "1"')), soon())


def test_git_dependencies_are_not_fetched(resolver: Resolver, manifest: Manifest, stranger: Asked) -> None:
    """Cargo itself cannot reach a git server, not even on the index's own host."""
    with pytest.raises(Malformed, match="failed to clone into"):
        resolver.resolve(files(manifest(f'evil = {{ git = "{stranger.url}/evil.git" }}')), soon())
    assert stranger.asked == []


def test_git_dependencies_by_file_are_not_read(resolver: Resolver, manifest: Manifest, repo: Repo) -> None:
    """A git dependency on a repository of this machine is not cloned."""
    repo.add("v1", {"Cargo.toml": manifest(name="evil"), "src/lib.rs": ""})
    with pytest.raises(Malformed, match="failed to clone into"):
        resolver.resolve(files(manifest(f'evil = {{ git = "file://{repo.path}" }}')), soon())


@pytest.mark.parametrize("scheme", ["sparse+http", "http"])
def test_other_registries_are_not_asked(resolver: Resolver, manifest: Manifest, stranger: Asked, scheme: str) -> None:
    """A registry that a manifest names by URL on another host is not reached."""
    url = f"{scheme}://localhost:{stranger.port}/"
    with pytest.raises(Malformed):
        resolver.resolve(files(manifest(f'evil = {{ version = "1", registry-index = "{url}" }}')), soon())
    assert stranger.asked == []


def test_reasons_name_the_cause_and_not_our_folder(resolver: Resolver, manifest: Manifest, tmp_path: Path) -> None:
    """Cargo's error is kept with what caused it, in one line without the scratch folder."""
    with pytest.raises(Malformed, match="no matching package named `absent` found") as failure:
        resolver.resolve(files(manifest('absent = "1"')), soon())
    assert failure.value.reason.startswith("error: ")
    assert "\n" not in failure.value.reason
    assert str(tmp_path) not in failure.value.reason


def test_an_unreachable_index_says_so(needs_cargo: None, manifest: Manifest, tmp_path: Path) -> None:
    """An index that does not answer within the time limit is a reason, not a hang."""
    resolver = Resolver(find_toolchain("cargo"), tmp_path / "scratch", "http://127.0.0.1:9/")
    with pytest.raises((Malformed, Unavailable), match=r"failed to|time limit"):
        resolver.resolve(files(manifest('alpha = "1"')), time.monotonic() + 1)


def test_cargo_gets_an_environment_by_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets, proxies and toolchain switches of the caller stay with the caller; cargo runs in `/`."""
    for name in ("SECRET", "CARGO_REGISTRY_TOKEN", "RUSTUP_TOOLCHAIN", "http_proxy", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(name, "ours")
    dump = script(tmp_path / "cargo", *TELL)
    resolver = Resolver(Toolchain(dump, dump), tmp_path / "scratch", "http://127.0.0.1:9/")
    with pytest.raises(Malformed) as failure:
        resolver.resolve(files(""), soon())
    assert failure.value.reason == "no secret of ours; /; 127.0.0.1"


def test_a_slow_cargo_is_ended(tmp_path: Path) -> None:
    """Cargo and what it started end with the time limit."""
    slow = script(tmp_path / "cargo", "while :; do :; done & wait")
    resolver = Resolver(Toolchain(slow, slow), tmp_path / "scratch", "http://127.0.0.1:9/")
    with pytest.raises(Unavailable, match="cargo did not end within the time limit"):
        resolver.resolve(files(""), time.monotonic() + 0.3)


def test_rustup_is_stepped_over(needs_cargo: None) -> None:
    """The programs found are the toolchain's own, which obey no rust-toolchain file."""
    found = find_toolchain("cargo")
    assert not found.cargo.resolve().name.startswith("rustup")
    assert found.rustc.exists()
    assert os.access(found.cargo, os.X_OK)


def test_absent_cargo_is_explained() -> None:
    """Without cargo the user is told what to install and what works without."""
    with pytest.raises(UserError, match=r"no-such-cargo was not found: install Rust"):
        find_toolchain("no-such-cargo")


def test_rustup_without_a_toolchain_is_explained(tmp_path: Path) -> None:
    """A rustup without a toolchain is the user's to mend, with rustup's own reason."""
    rustup = script(tmp_path / "rustup", "echo no default toolchain >&2", "exit 1")
    (tmp_path / "cargo").symlink_to(rustup)
    with pytest.raises(UserError, match=r"no default toolchain.*rustup default stable"):
        find_toolchain(str(tmp_path / "cargo"))


def test_the_public_index_is_not_replaced_by_itself() -> None:
    """crates.io itself is cargo's default, so nothing is replaced; any other index is."""
    assert "replace-with" not in module._settings("https://index.crates.io/", 3)
    assert 'registry = "sparse+http://x/"' in module._settings("http://x/", 3)
