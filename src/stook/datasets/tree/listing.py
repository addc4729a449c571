"""The record files of a folder."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["list_records"]


def list_records(folder: Path, extension: str) -> set[str]:
    """Paths relative to the folder of all regular files with that extension.

    Hidden files and folders are not looked at, links not followed. Names that are not UTF-8 are no records.
    """
    ending = f".{extension}"
    found: set[str] = set()
    folders = [""]
    while folders:
        inner = folders.pop()
        with os.scandir(folder / inner) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not _is_text(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{inner}{entry.name}/")
                elif entry.name.endswith(ending) and entry.is_file(follow_symlinks=False):
                    found.add(f"{inner}{entry.name}")
    return found


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)
