"""Packages of other people, installed on a path: what pip would leave of them, without a build backend or network."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

__all__ = ["install", "install_product", "write_metadata"]


def install(project: Path, site: Path) -> None:
    """Put the packages of a folder with a pyproject.toml on a path, with their metadata and entry points."""
    told = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for package in project.iterdir():
        if (package / "__init__.py").is_file() and project != site:
            shutil.copytree(package, site / package.name)
    write_metadata(site, told["name"], told["version"], told["entry-points"])


def write_metadata(site: Path, name: str, version: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """The `.dist-info` folder of a package."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items()) for group, entries in groups.items()]
    (folder / "entry_points.txt").write_text("\n".join(lines))


def install_product(site: Path, package: str, code: str, *, name: str) -> None:
    """A package of one module that announces its PRODUCT under this name."""
    module = package.replace("-", "_")
    (site / f"{module}.py").write_text(code)
    write_metadata(site, package, "1.0", {"stook.products": {name: f"{module}:PRODUCT"}})
