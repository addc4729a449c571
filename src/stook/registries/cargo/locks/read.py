"""Read the locks of a project, tag after tag: what `--lock` does.

One tag at a time on purpose: cargo holds a lock on the index cache that the tags share, so a second one would only
wait, with its own time limit running.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from stook.engine.errors import FailureCode, Malformed, Refused, StookError, UserError
from stook.registries.cargo.locks.cargo import Resolver, find_toolchain
from stook.registries.cargo.locks.child import one_sentence
from stook.registries.cargo.locks.lockfile import parse_lock
from stook.registries.cargo.locks.manifests import needed
from stook.registries.cargo.locks.presets import Preset
from stook.registries.cargo.locks.project import Kind, Project, find_project
from stook.registries.cargo.locks.readings import How, LockedPackage, LockReading, TagReading, unite
from stook.registries.cargo.locks.repository import Repository, open_local, open_remote
from stook.registries.cargo.locks.trees import FolderView, Tree, folder_tree, single_file_tree

__all__ = ["read_locks"]

LOCK_LIMIT = 16 << 20
MOST_NAMED = 5  # folders in a message


def read_locks(
    spec: str,
    tags: Sequence[str],
    *,
    index_url: str,
    presets: Mapping[str, Preset],
    cargo: str = "cargo",
    git: str = "git",
    timeout: float = 120,
    progress: Callable[[TagReading], None] | None = None,
    folder: str = "",
    name: str = "",
) -> LockReading:
    """The locks of a project at its tags (HEAD without any), and their union.

    A committed Cargo.lock at the root is read; without one, cargo resolves the manifests in isolation with `index_url`,
    and picks today's versions. A Cargo.toml named as such is always resolved. `timeout` is in seconds a tag. A tag that
    cannot be read has its reason in its reading and does not stop the others. Raises UserError for what only the user
    can mend: an unknown project, tags without a repository, no cargo or git where they are needed.
    """
    project = find_project(spec, tags, presets, folder=folder, name=name)
    index = _index(index_url)
    with tempfile.TemporaryDirectory(prefix="stook-locks-", ignore_cleanup_errors=True) as scratch:
        run = _Run(project, Path(scratch).resolve(), index, cargo, git, timeout)
        readings = tuple(run.readings(progress or (lambda reading: None)))
    return unite(project.name, readings, project.notes, project.origin)


def _index(url: str) -> str:
    plain = url.removeprefix("sparse+")
    parts = urlsplit(plain)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain.isprintable():
        raise UserError(f"the index must be an http or https URL, not {one_sentence(url, most=200)}")
    return plain.rstrip("/") + "/"


class _Run:
    """One run: the scratch folder, and the tools once they are needed."""

    def __init__(self, project: Project, scratch: Path, index: str, cargo: str, git: str, timeout: float) -> None:
        self._project = project
        self._scratch = scratch
        self._index = index
        self._cargo = cargo
        self._git = git
        self._timeout = timeout
        self._repository: Repository | StookError | None = None
        self._resolver: Resolver | None = None

    def readings(self, progress: Callable[[TagReading], None]) -> Iterator[TagReading]:
        for tag in self._project.tags:
            reading = self._read(tag)
            progress(reading)
            yield reading

    def _read(self, tag: str) -> TagReading:
        started, commit = time.monotonic(), ""
        try:
            commit, tree = self._tree(tag, started + self._timeout)
            how, packages = self._packages(_in_folder(tree, self._project.folder), started + self._timeout)
            return TagReading(tag, commit, how, "", time.monotonic() - started, packages)
        except UserError:
            raise
        except (StookError, OSError) as error:
            reason, code = str(error), FailureCode.PROCESS
            if isinstance(error, StookError):
                reason, code = error.reason, error.code
            return TagReading(tag, commit, How.FAILED, one_sentence(reason), time.monotonic() - started, code=code)

    def _tree(self, tag: str, until: float) -> tuple[str, Tree]:
        path = Path(self._project.place)
        match self._project.kind:
            case Kind.LOCK:
                return "", single_file_tree(path, "Cargo.lock")
            case Kind.MANIFEST:
                return "", folder_tree(path.parent, without_lock=True)
            case Kind.FOLDER:
                return "", folder_tree(path)
            case Kind.CLONE | Kind.REMOTE:
                repository = self._open(until)
                commit = repository.commit(tag, until)
                return commit, repository.tree(commit, until)

    def _open(self, until: float) -> Repository:
        """Opened once; a repository that does not answer fails all tags, without being asked for each."""
        if self._repository is None:
            try:
                self._repository = self._opened(until)
            except StookError as error:
                self._repository = error
        if isinstance(self._repository, StookError):
            raise self._repository
        return self._repository

    def _opened(self, until: float) -> Repository:
        if self._project.kind is Kind.CLONE:
            return open_local(self._git, Path(self._project.place))
        return open_remote(self._git, self._project.place, self._scratch / "repository", until)

    def _packages(self, tree: Tree, until: float) -> tuple[How, tuple[LockedPackage, ...]]:
        if "Cargo.lock" in tree.files:
            return How.COMMITTED, parse_lock(tree.read("Cargo.lock", LOCK_LIMIT), index_url=self._index)
        if "Cargo.lock" in tree.names and self._project.kind is not Kind.MANIFEST:
            # What cargo picks today is not what that lock names.
            raise Refused("Cargo.lock is a link, which is not followed", FailureCode.MALFORMED)
        if "Cargo.toml" not in tree.names:
            raise Malformed(_no_manifest(tree, self._project.folder))
        files = needed(tree)
        if self._resolver is None:
            self._resolver = Resolver(find_toolchain(self._cargo), self._scratch, self._index)
        return How.GENERATED, parse_lock(self._resolver.resolve(files, until), index_url=self._index)


def _in_folder(tree: Tree, folder: str) -> Tree:
    return FolderView(tree, folder) if folder else tree


def _no_manifest(tree: Tree, folder: str) -> str:
    """That there is neither a lock nor a manifest, and where some are."""
    where = f"in {folder}" if folder else "at the root"
    folders = sorted({path.rpartition("/")[0] for path in tree.names if path.endswith(("/Cargo.lock", "/Cargo.toml"))})
    nearest = sorted(folders, key=lambda path: (path.count("/"), path))[:MOST_NAMED]
    hint = f"; --subdir may name a folder that has one: {', '.join(nearest)}" if nearest else ""
    return f"there is no Cargo.lock and no Cargo.toml {where}{hint}"
