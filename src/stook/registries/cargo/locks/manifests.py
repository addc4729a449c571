"""What resolving a project needs, and whether cargo may see it: manifests reached from the root, nothing else.

Pure: the tree is asked, cargo is not. A manifest that is not reached is not handed to cargo, so a broken or hostile one
in a folder of test data neither fails a tag nor does harm; a missed one makes cargo fail, never leave the folder.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from stook.engine.errors import FailureCode, Malformed, Refused
from stook.registries.cargo.locks.child import one_sentence
from stook.registries.cargo.locks.trees import Tree

__all__ = ["needed"]

MANIFEST_LIMIT = 1 << 20
MOST_MANIFESTS = 2_000
KINDS = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
# Files from which cargo infers targets: only that they exist matters. src/*.rs is the layout of old binaries.
TARGET = re.compile(r"(build|src/[^/]+|(src/bin|examples|tests|benches)/([^/]+|[^/]+/main))\.rs")

_Table = Mapping[str, Any]


def needed(tree: Tree) -> dict[str, bytes]:
    """Path to content of all that resolution reads: manifests as they are, Rust files empty.

    Raises Malformed for what cannot be read, Refused for a git dependency, another registry or a path that leaves the
    project: resolving without these would give a lock that silently lacks what they bring in.
    """
    manifests = _Manifests(tree)
    queue = [""]
    while queue:
        folder = queue.pop()
        if folder not in manifests.reached:
            queue.extend(manifests.reach(folder))
    return {**_stand_ins(tree, manifests.reached), **{_manifest(f): text for f, text in manifests.reached.items()}}


def _stand_ins(tree: Tree, folders: Mapping[str, bytes]) -> dict[str, bytes]:
    def is_target(name: str) -> bool:
        parts = name.split("/")
        splits = ((parts[:at], parts[at:]) for at in range(len(parts)))
        return any("/".join(above) in folders and TARGET.fullmatch("/".join(below)) for above, below in splits)

    return {name: b"" for name in tree.names if name.endswith(".rs") and is_target(name)}


class _Manifests:
    """The manifests of a tree, parsed when first asked for."""

    def __init__(self, tree: Tree) -> None:
        self.reached: dict[str, bytes] = {}
        self._tree = tree
        self._parsed: dict[str, tuple[bytes, _Table]] = {}

    def reach(self, folder: str) -> Iterator[str]:
        """Take a folder's manifest, and name the folders that it leads to."""
        if len(self.reached) >= MOST_MANIFESTS:
            raise Refused(f"the project has more than {MOST_MANIFESTS} manifests", FailureCode.TOO_LARGE)
        text, manifest = self._read(folder)
        self.reached[folder] = text
        root = self._workspace(folder, manifest)
        if root is not None:
            yield root
        yield from self._members(folder, _table(manifest, "workspace"))
        for name, entry in _dependencies(manifest):
            yield from self._leads(folder, root, name, entry)

    def _read(self, folder: str) -> tuple[bytes, _Table]:
        path = _manifest(folder)
        if path not in self._tree.files:
            raise Malformed(f"there is no {one_sentence(path, most=200)} (a link or submodule is not followed)")
        if folder not in self._parsed:
            text = self._tree.read(path, MANIFEST_LIMIT).removeprefix(b"\xef\xbb\xbf")
            try:
                self._parsed[folder] = text, tomllib.loads(text.decode())
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
                raise Malformed(f"{one_sentence(path, most=200)} cannot be read: {one_sentence(str(error))}") from error
        return self._parsed[folder]

    def _workspace(self, folder: str, manifest: _Table) -> str | None:
        """The folder of the workspace's root: named, or the nearest one above (as cargo looks for it)."""
        named = _table(manifest, "package").get("workspace", _table(manifest, "project").get("workspace"))
        if isinstance(named, str):
            return _inside(folder, named, "package.workspace")
        while "workspace" not in self._read(folder)[1]:
            folder = posixpath.dirname(folder) if folder else "."
            while folder != "." and _manifest(folder) not in self._tree.files:
                folder = posixpath.dirname(folder) if folder else "."
            if folder == ".":
                return None
        return folder

    def _members(self, folder: str, workspace: _Table) -> Iterator[str]:
        excluded = [_joined(folder, path) for path in _texts(workspace, "exclude")]
        for pattern in (*_texts(workspace, "members"), *_texts(workspace, "default-members")):
            wanted = _inside(folder, pattern, "workspace.members")
            for path in self._tree.files:
                member, name = posixpath.split(path)
                if name == "Cargo.toml" and _matches(wanted, member, excluded):
                    yield member

    def _leads(self, folder: str, root: str | None, name: str, entry: Any) -> Iterator[str]:
        if not isinstance(entry, Mapping):
            return
        if entry.get("workspace") is True and root is not None:
            folder, entry = root, _table(_table(self._read(root)[1], "workspace"), "dependencies").get(name)
            if not isinstance(entry, Mapping):
                return
        _judge(name, entry)
        if isinstance(path := entry.get("path"), str):
            yield _inside(folder, path, f"dependency {name}")


def _judge(name: str, entry: _Table) -> None:
    name = one_sentence(name, most=100)
    if "git" in entry:
        where = one_sentence(str(entry["git"]), most=200)
        raise Refused(
            f"dependency {name} comes from git ({where}), which is not fetched; without it the lock is unknown",
            FailureCode.MALFORMED,
        )
    if "registry-index" in entry or entry.get("registry", "crates-io") != "crates-io":
        where = one_sentence(str(entry.get("registry-index", entry.get("registry"))), most=200)
        raise Refused(
            f"dependency {name} comes from another registry ({where}), which is not asked", FailureCode.MALFORMED
        )
    if "base" in entry:
        raise Refused(f"dependency {name} has a path base, which is not followed", FailureCode.MALFORMED)


def _dependencies(manifest: _Table) -> Iterator[tuple[str, Any]]:
    """All dependency entries of a manifest, patches and replacements among them."""
    for table in (manifest, *_tables(_table(manifest, "target"))):
        for kind in KINDS:
            yield from _table(table, kind).items()
    for table in (*_tables(_table(manifest, "patch")), _table(manifest, "replace")):
        yield from table.items()


def _matches(pattern: str, folder: str, excluded: list[str]) -> bool:
    if pattern == folder:
        return True
    if any(folder == path or folder.startswith(f"{path}/") for path in excluded):
        return False
    if "**" in pattern:
        return fnmatchcase(folder, pattern.replace("**/", "*"))
    parts, globs = folder.split("/"), pattern.split("/")
    return len(parts) == len(globs) and all(map(fnmatchcase, parts, globs))


def _inside(folder: str, path: str, what: str) -> str:
    """The folder that a path means, relative to the project; there are no links, so the text alone decides."""
    joined = _joined(folder, path)
    if joined == ".." or joined.startswith(("../", "/")) or "\0" in joined:
        raise Refused(
            f"{one_sentence(what, most=120)} leaves the project: {one_sentence(path, most=200)}", FailureCode.MALFORMED
        )
    return joined


def _joined(folder: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined


def _manifest(folder: str) -> str:
    return f"{folder}/Cargo.toml" if folder else "Cargo.toml"


def _table(table: _Table, key: str) -> _Table:
    found = table.get(key)
    return found if isinstance(found, Mapping) else {}


def _tables(table: _Table) -> list[_Table]:
    return [value for value in table.values() if isinstance(value, Mapping)]


def _texts(table: _Table, key: str) -> list[str]:
    found = table.get(key)
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
