"""What the user named: a preset, a repository, a folder, a manifest or a lock."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from stook.engine.errors import UserError
from stook.registries.cargo.locks.child import one_sentence, without_credentials
from stook.registries.cargo.locks.presets import Preset
from stook.registries.cargo.locks.repository import HEAD

__all__ = ["UNTAGGED", "Kind", "Project", "find_project"]

UNTAGGED = "untagged"
"""Stands for a tag where there are none: a folder or a file outside of git."""
SAFE = "/:@#?&=+,;!$'()*~%[]"
LONGEST_ORIGIN = 1024
SCHEMES = ("https", "http", "ssh")
SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//).+")


class Kind(StrEnum):
    """What a project is read from."""

    REMOTE = "remote"
    CLONE = "clone"
    FOLDER = "folder"
    MANIFEST = "manifest"
    LOCK = "lock"


@dataclass(frozen=True, slots=True)
class Project:
    """A project that can be read: `place` is a URL for REMOTE, else a path; `tags` are never empty.

    `folder` is the folder in it where its manifest or lock is, empty for the root.
    """

    name: str
    kind: Kind
    place: str
    tags: tuple[str, ...]
    notes: tuple[str, ...] = ()
    folder: str = ""

    @property
    def origin(self) -> str:
        """Where the project is, in ASCII and without credentials: what tells projects of one name apart."""
        place = without_credentials(self.place).removesuffix("/").removesuffix(".git")
        if self.kind in (Kind.LOCK, Kind.MANIFEST):
            place = str(Path(self.place).parent)
        return quote(f"{place}#{self.folder}" if self.folder else place, safe=SAFE)[:LONGEST_ORIGIN]


def find_project(
    spec: str, tags: Sequence[str], presets: Mapping[str, Preset], *, folder: str = "", name: str = ""
) -> Project:
    """What `spec` means; a preset's name goes before a path. Raises UserError with what to do instead.

    `folder` is where in a repository or folder the project is, `name` what to call it.
    """
    preset = presets.get(spec)
    found, kind, place = _place(preset.repository if preset else spec, presets)
    inside = _inside(folder or (preset.folder if preset else ""))
    if inside and kind in (Kind.LOCK, Kind.MANIFEST):
        raise UserError(f"{_shown(place)} is a file, so it has no folders: leave out --subdir")
    wanted = tuple(dict.fromkeys(tags or (preset.tags if preset else ())))
    notes: tuple[str, ...] = ()
    if kind in (Kind.REMOTE, Kind.CLONE):
        if not wanted:
            wanted, notes = (HEAD,), ("no tag was named: HEAD was read",)
    elif wanted:
        raise UserError(f"{_shown(place)} is not a git repository, so it has no tags: leave out --tag")
    called = name or (spec if preset else inside.rpartition("/")[2] or found)
    return Project(_readable(called), kind, place, wanted or (UNTAGGED,), notes, inside)


def _inside(folder: str) -> str:
    """A folder of a project, with `/` and neither end of it."""
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UserError(f"{_shown(folder)} leaves the project: --subdir names a folder in it")
    return "/".join(parts)


def _place(text: str, presets: Mapping[str, Preset]) -> tuple[str, Kind, str]:
    if text.startswith("-") or any(not letter.isprintable() for letter in text):
        raise UserError(f"{_shown(text)} is neither a project, a path nor a URL")
    scheme, separator, _ = text.partition("://")
    if separator and scheme == "file":
        return _local(Path(unquote(urlsplit(text).path)), text, presets)
    if separator or re.match(r"\w+::", text):
        return _remote(text, scheme)
    path = Path(text).expanduser()
    if SCP.fullmatch(text) and not path.exists():
        return _remote(text, "ssh")
    return _local(path, text, presets)


def _remote(url: str, scheme: str) -> tuple[str, Kind, str]:
    if scheme not in SCHEMES:
        raise UserError(f"{_shown(url)} is not fetched: use {', '.join(SCHEMES)} or a path")
    name = re.split(r"[/:]", url.split("?")[0].rstrip("/").removesuffix("/.git"))[-1].removesuffix(".git")
    if not name:
        raise UserError(f"{_shown(url)} names no repository")
    return name, Kind.REMOTE, url


def _local(path: Path, text: str, presets: Mapping[str, Preset]) -> tuple[str, Kind, str]:
    path = path.resolve()
    if path.is_dir():
        return path.name.removesuffix(".git") or "root", _folder_kind(path), str(path)
    if path.is_file() and (path.suffix == ".lock" or path.name == "Cargo.toml"):
        kind = Kind.LOCK if path.suffix == ".lock" else Kind.MANIFEST
        return path.parent.name or "root", kind, str(path)
    if path.is_file():
        raise UserError(f"{_shown(text)} is neither a Cargo.toml nor a Cargo.lock")
    if Path(text).suffix or len(Path(text).parts) > 1:
        raise UserError(f"there is no such file or folder: {_shown(text)}")
    near = difflib.get_close_matches(text, sorted(presets), n=1, cutoff=0.5) or sorted(presets)[:1]
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise UserError(f"there is no project and no path {_shown(text)}{hint}")


def _folder_kind(path: Path) -> Kind:
    if (path / ".git").exists() or all((path / part).exists() for part in ("HEAD", "objects", "refs")):
        return Kind.CLONE
    if (path / "Cargo.toml").exists() or (path / "Cargo.lock").exists():
        return Kind.FOLDER
    raise UserError(f"{_shown(str(path))} is neither a git repository nor a folder with a Cargo.toml")


def _readable(name: str) -> str:
    """A folder's name may be bytes that are no text, which no database keeps."""
    return name.encode(errors="replace").decode()


def _shown(text: str) -> str:
    return one_sentence(text, most=200)
