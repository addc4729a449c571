"""What `cargo collect --lock` records of locks, and what it says of pins that the registry does not have so."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PUBLIC = "registry+https://github.com/rust-lang/crates.io-index"
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgSign=false")
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def package(name: str, version: str, source: str = PUBLIC, **more: str) -> str:
    lines = [f'name = "{name}"', f'version = "{version}"', *([f'source = "{source}"'] if source else [])]
    lines += [f"{key} = {value}" for key, value in more.items()]
    return "\n".join(["[[package]]", *lines, ""])


def write_lock(folder: str, *packages: str) -> str:
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    (path / "Cargo.lock").write_text("version = 4\n\n" + "\n".join(packages))
    return str(path / "Cargo.lock")


def pins(shop: Any, *columns: str) -> list[Any]:
    chosen = ", ".join(columns or ("PROJECT", "TAG", "PRODUCT_KEY", "VERSION", "SOURCE", "DIRECT", "STATE"))
    return list(shop.sql(f"SELECT {chosen} FROM TB_COMP_LIB_PIN ORDER BY ORIGIN, TAG, PRODUCT_KEY, VERSION"))


def test_every_package_is_a_row(shop: Any) -> None:
    """Packages of git, of paths and of other registries are rows too; direct ones are told from the others."""
    token = "git+https://bot:s3cret@git.example.org/o/tok?token=s3cret&branch=main#abc"
    lock = write_lock(
        "app",
        package("app", "0.1.0", "", dependencies='["crate-0", "tok 0.1.0"]'),
        package("crate-0", "1.0.0"),
        package("crate-1", "1.0.0"),
        package("tok", "0.1.0", token),
        package("inner", "1.0.0", "sparse+https://bot:s3cret@crates.example.org/index/"),
    )
    result = shop.run("cargo", "collect", "--lock", lock)
    assert "s3cret" not in result.stdout + result.stderr
    assert pins(shop) == [
        ("app", "", "app", "0.1.0", "path", 0, None),
        ("app", "", "crate-0", "1.0.0", "registry", 1, "ok"),
        ("app", "", "crate-1", "1.0.0", "registry", 0, "ok"),
        ("app", "", "inner", "1.0.0", "sparse+https://crates.example.org/index/", 0, None),
        ("app", "", "tok", "0.1.0", "git", 1, None),
    ]


def test_projects_of_one_name(shop: Any) -> None:
    """Two folders of one name are two projects; a project may be given a name."""
    shop.report("cargo", "collect", "--lock", write_lock("a/backend", package("crate-0", "1.0.0")))
    shop.report("cargo", "collect", "--lock", write_lock("b/backend", package("crate-0", "1.1.0")), "--name", "other")
    assert pins(shop, "PROJECT", "VERSION") == [("backend", "1.0.0"), ("other", "1.1.0")]
    shop.report("cargo", "collect", "--lock", write_lock("a/backend", package("crate-1", "1.0.0")))
    assert pins(shop, "PROJECT", "PRODUCT_KEY") == [("backend", "crate-1"), ("other", "crate-0")]


def test_what_the_registry_does_not_have_so(shop: Any) -> None:
    """A pin is named, kept and ends the run with 1 when its version or crate is unknown, gone, yanked or another."""
    shop.world.yank("crate-1", "1.0.0")
    lock = write_lock(
        "app",
        package("crate-0", "1.0.0", checksum=f'"{"0" * 64}"'),
        package("crate-0", "7.7.7"),
        package("crate-1", "1.0.0"),
        package("crate-2", "1.0.0"),
        package("nobody-has-it", "1.0.0"),
    )
    report = shop.report("cargo", "collect", "--lock", lock, code=1)
    told = {failure["event"]: failure["code"] for failure in report["failures"]}
    assert {event for event, code in told.items() if code == "pin"} == {
        "crate-0@1.0.0",
        "crate-0@7.7.7",
        "crate-1@1.0.0",
        "nobody-has-it@1.0.0",
    }
    states = pins(shop, "STATE")
    assert [state for (state,) in states] == ["checksum_differs", "unknown_version", "yanked", "ok", "unknown_package"]
    shop.world.delete_version("crate-2", "1.0.0")
    shop.report("cargo", "collect", "--lock", lock, code=1)
    assert pins(shop, "STATE")[3] == ("deleted",)


@needs_git
def test_which_tag_pins_which_version(shop: Any) -> None:
    """Each tag has the versions of its own lock; one that is read again replaces its rows alone."""
    subprocess.run([*GIT, "init", "--quiet"], check=True)
    for tag, versions in (("v1", ["1.0.0"]), ("v2", ["1.0.0", "1.1.0"]), ("v3", ["1.2.0"])):
        write_lock(".", *(package("crate-0", version) for version in versions))
        subprocess.run([*GIT, "add", "Cargo.lock"], check=True)
        subprocess.run([*GIT, "commit", "--quiet", "-m", tag], check=True)
        subprocess.run([*GIT, "tag", tag], check=True)
    shop.report("cargo", "collect", "--lock", ".", "--tag", "v1", "--tag", "v2", "--tag", "v3")
    wanted = [("v1", "1.0.0"), ("v2", "1.0.0"), ("v2", "1.1.0"), ("v3", "1.2.0")]
    assert pins(shop, "TAG", "VERSION") == wanted
    shop.report("cargo", "collect", "--lock", ".", "--tag", "v2")
    assert pins(shop, "TAG", "VERSION") == wanted


@needs_git
def test_a_folder_of_a_repository(shop: Any) -> None:
    """Where the root has neither lock nor manifest, the message names folders that have, and --subdir reads one."""
    subprocess.run([*GIT, "init", "--quiet"], check=True)
    write_lock("src-tauri", package("crate-0", "1.0.0"))
    subprocess.run([*GIT, "add", "src-tauri"], check=True)
    subprocess.run([*GIT, "commit", "--quiet", "-m", "one"], check=True)
    (failure,) = shop.report("cargo", "collect", "--lock", ".", code=1)["failures"]
    assert "--subdir may name a folder that has one: src-tauri" in failure["reason"]
    shop.report("cargo", "collect", "--lock", ".", "--subdir", "src-tauri")
    assert pins(shop, "PROJECT", "PRODUCT_KEY") == [("src-tauri", "crate-0")]
    assert pins(shop, "ORIGIN")[0][0].endswith("#src-tauri")
    assert "leaves the project" in shop.run("cargo", "collect", "--lock", ".", "--subdir", "../x", code=2).stderr
