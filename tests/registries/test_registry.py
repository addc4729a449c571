"""Registries are found by walking, and by what other packages announce."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stook.run.product import ENTRY_POINTS, Registry, find_registries
from stook.settings import Settings

TOY = """
from stook.run.product import Registry
REGISTRY = Registry("toy", "Toy", (), lambda options, tasks, batch: ())
"""


def test_walked() -> None:
    """Every folder with a registry module is there, under its own name, in order."""
    found = find_registries()
    assert "cargo" in found
    assert list(found) == sorted(found)
    assert all(name == one.name and one.migrations.is_dir() for name, one in found.items())


def test_queues_are_not_shared() -> None:
    """No two registries have a queue of the same name."""
    names = [queue.name for one in find_registries().values() for queue in one.queues]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("registry", find_registries().values(), ids=lambda one: one.name)
def test_sources(registry: Registry) -> None:
    """A registry's sources visit its queues, and every queue has a source."""
    options: Any = getattr(Settings(), registry.name, None)
    sources = registry.sources(options, 3, 7)
    visited = [queue for source in sources for queue in source.queues]
    assert sorted(visited) == sorted({queue.name for queue in registry.queues})
    assert all(source.tasks >= 1 and source.batch >= 1 for source in sources)


def test_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package on the path that announces a registry is found, and no other file knows of it."""
    (tmp_path / "stook_toy_found.py").write_text(TOY)
    info = tmp_path / "stook_toy_found-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stook-toy-found\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\ntoy = stook_toy_found:REGISTRY\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_registries()["toy"].title == "Toy"
