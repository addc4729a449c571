"""What cargo gets to see."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from stook.engine.errors import Malformed, Refused
from stook.registries.cargo.locks.manifests import needed

PACKAGE = '[package]\nname = "p"\nversion = "0.1.0"\n'


class Files:
    """A tree in memory; a name without text is a symbolic link."""

    def __init__(self, texts: Mapping[str, str | None]) -> None:
        self.texts = texts
        self.names = texts.keys()
        self.files = {name for name, text in texts.items() if text is not None}

    def read(self, path: str, limit: int) -> bytes:
        text = self.texts[path]
        assert text is not None
        assert len(text) <= limit
        return text.encode()


def test_only_what_resolution_reads_is_handed_over() -> None:
    """Reached manifests go as they are, target files empty, everything else not at all."""
    found = needed(
        Files(
            {
                "Cargo.toml": PACKAGE + '[dependencies]\nin = { path = "./sub/../in" }\n',
                "in/Cargo.toml": PACKAGE,
                "in/src/lib.rs": "secret",
                "src/main.rs": "secret",
                "src/bin/x/main.rs": None,
                "src/deep/er/mod.rs": "secret",
                "build.rs": "secret",
                "Cargo.lock": "never",
                ".cargo/config.toml": "never",
                "rust-toolchain.toml": "never",
                "fuzz/Cargo.toml": PACKAGE + '[dependencies]\nx = { git = "https://example.org/x" }\n',
                "broken/Cargo.toml": "[[",
            }
        )
    )
    stand_ins = {name for name, text in found.items() if not text}
    assert stand_ins == {"in/src/lib.rs", "src/main.rs", "src/bin/x/main.rs", "build.rs"}
    assert found.keys() - stand_ins == {"Cargo.toml", "in/Cargo.toml"}


WORKSPACE = """[workspace]
members = ["crates/*", "tool", "deep/**/leaf"]
exclude = ["crates/out"]
[workspace.dependencies]
used = { path = "used" }
unused = { git = "https://example.org/x" }
"""


def test_workspaces_are_followed() -> None:
    """Members by name and pattern and inherited paths are reached; excluded and unused ones are not."""
    tree = {"Cargo.toml": WORKSPACE, "crates/out/Cargo.toml": "[[", "other/Cargo.toml": "[["}
    inside = ("crates/a", "tool", "deep/1/leaf", "deep/1/2/leaf", "used")
    tree |= {f"{folder}/Cargo.toml": PACKAGE for folder in inside}
    tree["tool/Cargo.toml"] = PACKAGE + "[dependencies]\nused.workspace = true\n"
    assert needed(Files(tree)).keys() == {"Cargo.toml", *(f"{folder}/Cargo.toml" for folder in inside)}


def test_a_named_workspace_root_is_reached() -> None:
    """`package.workspace` leads to the root it names."""
    tree = {
        "Cargo.toml": PACKAGE.replace("\n", '\nworkspace = "all"\n', 1),
        "all/Cargo.toml": '[workspace]\nmembers=[".."]',
    }
    assert needed(Files(tree)).keys() == tree.keys()


GIT = '{ git = "https://user:word@example.org/x" }'
HOSTILE = {
    "git": (f"[dependencies]\nx = {GIT}", r"dependency x comes from git \(https://\*\*\*@example.org/x\)"),
    "git, dev": (f"[dev-dependencies]\nx = {GIT}", "dependency x comes from git"),
    "git, old spelling": (f"[build_dependencies]\nx = {GIT}", "dependency x comes from git"),
    "git, target": (f"[target.'cfg(windows)'.dependencies]\nx = {GIT}", "dependency x comes from git"),
    "git, patch": (f"[patch.crates-io]\nx = {GIT}", "dependency x comes from git"),
    "git, replace": (f"[replace]\n'x:1.0.0' = {GIT}", "dependency x:1.0.0 comes from git"),
    "registry": ("[dependencies]\nx = { version = '1', registry = 'mine' }", r"another registry \(mine\)"),
    "registry by URL": (
        "[dependencies]\nx = { version = '1', registry-index = 'sparse+http://x/' }",
        "another registry",
    ),
    "base": ("[dependencies]\nx = { base = 'workspace', path = '../..' }", "path base"),
    "path up": ("[dependencies]\nx = { path = 'a/../../..' }", "dependency x leaves the project"),
    "path absolute": ("[dependencies]\nx = { path = '/etc' }", "leaves the project"),
    "path, patch": ("[patch.crates-io]\nx = { path = '..' }", "leaves the project"),
    "member": ("[workspace]\nmembers = ['../*']", "workspace.members leaves the project"),
    "default member": ("[workspace]\ndefault-members = ['/']", "leaves the project"),
}


@pytest.mark.parametrize(("lines", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_what_leads_out_is_refused(lines: str, reason: str) -> None:
    """A dependency from elsewhere or a path out of the project is refused, and named."""
    with pytest.raises(Refused, match=reason):
        needed(Files({"Cargo.toml": f"{PACKAGE}{lines}\n"}))


def test_an_inherited_git_dependency_is_refused() -> None:
    """A git dependency that a member inherits is refused as one of its own."""
    tree = {"Cargo.toml": WORKSPACE, "tool/Cargo.toml": PACKAGE + "[dependencies]\nunused.workspace = true\n"}
    with pytest.raises(Refused, match="dependency unused comes from git"):
        needed(Files(tree))


def test_a_workspace_root_outside_is_refused() -> None:
    """`package.workspace` may not lead out of the project."""
    with pytest.raises(Refused, match=r"package\.workspace leaves the project"):
        needed(Files({"Cargo.toml": f'{PACKAGE}workspace = ".."\n'}))


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ({}, r"there is no Cargo\.toml"),
        ({"Cargo.toml": None}, r"there is no Cargo\.toml \(a link or submodule is not followed\)"),
        ({"Cargo.toml": "[["}, r"Cargo\.toml cannot be read"),
        ({"Cargo.toml": PACKAGE + "[dependencies]\nx = { path = 'x' }\n"}, r"there is no x/Cargo\.toml"),
    ],
)
def test_unreadable_manifests_are_malformed(tree: dict[str, str | None], reason: str) -> None:
    """A manifest that is missing, a link or no TOML is named."""
    with pytest.raises(Malformed, match=reason):
        needed(Files(tree))


def test_odd_values_are_left_to_cargo() -> None:
    """Values of the wrong type do not stop us: cargo says what is wrong with them."""
    odd = "workspace = 1\ndependencies = 2\ntarget = [3]\npatch = { a = 4 }\n"
    assert needed(Files({"Cargo.toml": odd})).keys() == {"Cargo.toml"}
