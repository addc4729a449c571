"""The files of a project at one moment, without following any symbolic link: from a folder, or one file of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Protocol

from stook.engine.errors import FailureCode, Refused

__all__ = ["FolderTree", "FolderView", "Tree", "folder_tree", "single_file_tree"]

MOST_FILES = 200_000
SKIPPED = frozenset({".git", ".hg", ".cargo", "node_modules", "target"})


class Tree(Protocol):
    """Paths are relative, with `/`. `names` are all files and symbolic links; only `files`, regular ones, are read."""

    @property
    def names(self) -> Collection[str]: ...
    @property
    def files(self) -> Collection[str]: ...
    def read(self, path: str, limit: int) -> bytes:
        """The whole file; raises Refused if it is longer than `limit` bytes."""
        ...


class FolderTree:
    """Files of a local folder, by their names in the project."""

    def __init__(self, files: dict[str, Path], names: Collection[str] = ()) -> None:
        self._paths = files
        self.files: Collection[str] = files.keys()
        self.names: Collection[str] = {*names, *files}

    def read(self, path: str, limit: int) -> bytes:
        # O_NOFOLLOW, O_NONBLOCK: the file may have become a link or a pipe since it was listed.
        descriptor = os.open(self._paths[path], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused(f"{path} is not a regular file", FailureCode.MALFORMED)
            content = file.read(limit + 1)
        if len(content) > limit:
            raise Refused(f"{path} is longer than {limit} bytes", FailureCode.TOO_LARGE)
        return content


class FolderView:
    """A folder of another tree, as a tree of its own."""

    def __init__(self, tree: Tree, folder: str) -> None:
        self._tree, self._prefix = tree, f"{folder}/"
        self.files: Collection[str] = self._below(tree.files)
        self.names: Collection[str] = self._below(tree.names)

    def read(self, path: str, limit: int) -> bytes:
        return self._tree.read(self._prefix + path, limit)

    def _below(self, paths: Collection[str]) -> set[str]:
        return {path.removeprefix(self._prefix) for path in paths if path.startswith(self._prefix)}


def folder_tree(root: Path, *, without_lock: bool = False) -> FolderTree:
    """The manifests, Rust files and lock of a folder; raises Refused above 200,000 files."""
    files: dict[str, Path] = {}
    names: set[str] = set()
    for count, (name, entry) in enumerate(_walk(root), 1):
        if count > MOST_FILES:
            raise Refused(
                f"{root} holds more than {MOST_FILES} files; name the project's own folder", FailureCode.TOO_LARGE
            )
        names.add(name)
        if entry.is_file(follow_symlinks=False) and not (without_lock and name == "Cargo.lock"):
            files[name] = Path(entry.path)
    return FolderTree(files, names)


def single_file_tree(path: Path, name: str) -> FolderTree:
    """One file, under the name it has for cargo; the user named it, so a link to it is followed."""
    return FolderTree({name: path.resolve()})


def _walk(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    folders = [""]
    while folders:
        prefix = folders.pop()
        with os.scandir(root / prefix) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.extend([] if entry.name in SKIPPED else [f"{prefix}{entry.name}/"])
                elif entry.name.endswith((".rs", ".toml", ".lock")):
                    yield f"{prefix}{entry.name}", entry
