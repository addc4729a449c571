"""What is wrong with a catalogue is found, and what differs between two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stook.datasets.comparison import Difference, DifferenceKind, compare_catalogues, verify_catalogue
from stook.engine.errors import UserError


def test_a_fetched_catalogue_is_in_order(desk: Any, documents: Any) -> None:
    """Nothing is wrong with what a run leaves, clashes and ledger included."""
    desk.run(*documents(5), ("a/b", "1"), ("a b", "2"), uses_ledger=True)
    assert list(verify_catalogue(desk.folder)) == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda desk: (desk.output / "doc-1.yaml").unlink(), "is missing"),
        (lambda desk: (desk.output / "doc-1.yaml").write_text("a: ["), "no YAML"),
        (lambda desk: (desk.output / "doc-1.yaml").write_text("title: 1"), "no bibliographic item"),
        (lambda desk: (desk.output / "more.yaml").write_text("id: x"), "no row"),
        (lambda desk: desk_index(desk, "data/doc-1.yaml", "data/doc-2.yaml"), "shares"),
        (lambda desk: desk_index(desk, "data/doc-1.yaml", "../doc-1.yaml"), "outside"),
        (lambda desk: desk_index(desk, ":id: Doc 1", ":id: Other"), "no name of this identifier"),
        (lambda desk: desk_index(desk, ":id: Doc 1\n", ":id: [\n"), "no YAML"),
    ],
)
def test_damage_is_found(desk: Any, documents: Any, damage: Callable[[Any], object], reason: str) -> None:
    """Each kind of damage is told with its reason."""
    desk.run(*documents(3))
    damage(desk)
    faults = list(verify_catalogue(desk.folder))
    assert any(reason in one.reason for one in faults), faults


def desk_index(desk: Any, old: str, new: str) -> None:
    path = desk.folder / "index-v1.yaml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def test_differences(new_desk: Callable[[str], Any]) -> None:
    """Added, removed, changed and moved documents; equal ones are not told."""
    old, new = new_desk("old"), new_desk("new")
    old.run(("a", "1"), ("b", "1"), ("c", "1"), ("d/e", "1"))
    new.run(("a", "1"), ("b", "2"), ("x", "1"), ("d/e", "1"), ("d e", "1"))
    assert compare_catalogues(old.folder, new.folder) == [
        Difference(DifferenceKind.CHANGED, "b"),
        Difference(DifferenceKind.REMOVED, "c"),
        Difference(DifferenceKind.ADDED, "d e"),
        Difference(DifferenceKind.MOVED, "d/e"),
        Difference(DifferenceKind.ADDED, "x"),
    ]
    assert compare_catalogues(old.folder, old.folder) == []


def test_without_an_index(tmp_path: Path) -> None:
    """The mistake is told to the user."""
    with pytest.raises(UserError, match="index-v1"):
        list(verify_catalogue(tmp_path))
    with pytest.raises(UserError, match="index-v1"):
        compare_catalogues(tmp_path, tmp_path)
