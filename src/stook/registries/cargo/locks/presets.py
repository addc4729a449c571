"""Projects known by name: our own list, and the files a user adds to it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from stook.engine.errors import UserError

__all__ = ["Preset", "load_presets"]


@dataclass(frozen=True, slots=True)
class Preset:
    """A project by name: where its repository is (a URL or a path), and the tags read when none is named.

    `folder` is the project's folder in it.
    """

    repository: str
    tags: tuple[str, ...]
    folder: str = ""


def load_presets(*paths: Path) -> dict[str, Preset]:
    """Our presets, then those of each file; a later file replaces a name. Raises UserError for an unusable file."""
    ours = resources.files(__package__).joinpath("projects.toml").read_text(encoding="utf-8")
    presets = _presets(ours, "projects.toml")
    for path in paths:
        presets |= _presets(_text(path), str(path))
    return presets


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"the presets file {path} cannot be read: {error}") from error


def _presets(text: str, where: str) -> dict[str, Preset]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"the presets file {where} is not valid TOML: {error}") from error
    return {name: _preset(name, table, where) for name, table in tables.items()}


def _preset(name: str, table: Any, where: str) -> Preset:
    if not isinstance(table, Mapping) or not set(table) <= {"repository", "tags", "subdir"}:
        raise UserError(f"{where}: preset {name} may have the keys repository, tags and subdir, and no other")
    repository, tags = table.get("repository"), table.get("tags", [])
    if not isinstance(repository, str) or not repository:
        raise UserError(f"{where}: preset {name} needs a repository, a git URL or a path")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise UserError(f"{where}: the tags of preset {name} must be a list of texts")
    folder = table.get("subdir", "")
    if not isinstance(folder, str):
        raise UserError(f"{where}: the subdir of preset {name} must be a text")
    return Preset(repository, tuple(tags), folder)
