"""What a snapshot changes against what is stored, without a database."""

from __future__ import annotations

from typing import Any

import pytest

from stook.registries.cargo.keep.changes import Changes, Stored, changes, product_of, ranks
from stook.registries.cargo.records import Snapshot


def stored(snapshot: Snapshot, **more: Any) -> dict[str, Stored]:
    """The rows that a snapshot left."""
    rows = {
        one.version: Stored(one.version, one.digest, one.yanked, one.checksum, False, 1, None, False)
        for one in snapshot.releases
    }
    broken = {
        one.version: Stored(one.version, one.digest, False, None, False, 3, None, False) for one in snapshot.unreadable
    }
    return rows | broken


def told(changed: Changes) -> list[tuple[str, str]]:
    return [(past.kind, past.version) for past in changed.history]


@pytest.mark.parametrize(
    ("before", "after", "history", "written"),
    [
        ("", "1.0.0 1.1.0", [], 2),
        ("1.0.0", "1.0.0", [], 0),
        ("1.0.0", "1.0.0 1.1.0", [("published", "1.1.0")], 1),
        ("1.0.0", "!1.0.0", [("yanked", "1.0.0")], 1),
        ("!1.0.0", "1.0.0", [("unyanked", "1.0.0")], 1),
        ("1.0.0 1.1.0", "1.0.0", [("deleted", "1.1.0")], 0),
        ("1.0.0", "1.0.0#b", [("checksum_changed", "1.0.0")], 1),
        ("1.0.0", "!1.0.0#b", [("checksum_changed", "1.0.0"), ("yanked", "1.0.0")], 1),
        ("1.0.0 1.1.0 2.0.0", "", [("deleted", "")], 0),
        ("1.0.0?", "1.0.0?", [], 0),
        ("1.0.0?", "1.0.0", [], 1),
        ("1.0.0 2.0.0?", "1.0.0 2.0.0", [("published", "2.0.0")], 1),
        ("1.0.0 2.0.0?", "1.0.0", [], 0),
        ("1.0.0?", "", [], 0),
        ("1.0.0 2.0.0 3.0.0?", "1.0.0 ~", [], 0),  # the line of 2.0.0, or not
        ("1.0.0 ~", "1.0.0 2.0.0", [("published", "2.0.0")], 1),
    ],
)
def test_changes(snapshot: Any, before: str, after: str, history: list[tuple[str, str]], written: int) -> None:
    """Each change upstream is one entry of the history; the first snapshot is where it begins."""
    changed = changes(snapshot(after), stored(snapshot(before)))
    assert told(changed) == history
    assert len(changed.releases) == written


def test_what_a_garbled_line_may_hide_is_not_buried(snapshot: Any) -> None:
    """Only what never was a version goes: the garbled line may be that of any that is missing."""
    changed = changes(snapshot("1.0.0 ~"), stored(snapshot("1.0.0 2.0.0 3.0.0?")))
    assert (changed.tombstones, len(changed.unreadable)) == (["3.0.0"], 1)


def test_a_crate_that_goes_is_one_entry(snapshot: Any) -> None:
    """Deleting a crate buries every row, and is one entry."""
    changed = changes(snapshot(""), stored(snapshot("1.0.0 1.1.0 2.0.0?")))
    assert sorted(changed.tombstones) == ["1.0.0", "1.1.0", "2.0.0"]
    assert told(changed) == [("deleted", "")]


def test_what_is_buried_is_not_buried_again(snapshot: Any) -> None:
    """A tombstone stays as it is while the version stays away."""
    gone = {"1.0.0": Stored("1.0.0", b"x", False, "c", True, 1, None, False)}
    changed = changes(snapshot(""), gone)
    assert (changed.tombstones, changed.history) == ([], [])


def test_restored(snapshot: Any) -> None:
    """A version that is back with its old bytes is restored; with others, its checksum changed too."""
    rows = stored(snapshot("1.0.0 2.0.0"))
    gone = Stored("1.0.0", rows["1.0.0"].digest, False, rows["1.0.0"].checksum, True, 1, None, False)
    rows |= {"1.0.0": gone}
    assert told(changes(snapshot("1.0.0 2.0.0"), rows)) == [("restored", "1.0.0")]
    assert told(changes(snapshot("1.0.0#b 2.0.0"), rows)) == [("restored", "1.0.0"), ("checksum_changed", "1.0.0")]


def test_package_restored(snapshot: Any) -> None:
    """A package that is back is one entry, as its deletion was; what differs in a version is an entry beside it."""
    rows = stored(snapshot("1.0.0 2.0.0"))
    rows = {key: Stored(key, row.digest, False, row.checksum, True, 1, None, False) for key, row in rows.items()}
    assert told(changes(snapshot("1.0.0 2.0.0"), rows)) == [("restored", "")]
    assert told(changes(snapshot("1.0.0#b 2.0.0"), rows)) == [("restored", ""), ("checksum_changed", "1.0.0")]


def test_restored_unread(snapshot: Any) -> None:
    """A version that is back as a line which cannot be read is back; read later, it is not back again."""
    rows = stored(snapshot("1.0.0 2.0.0"))
    gone = {"2.0.0": Stored("2.0.0", rows["2.0.0"].digest, False, rows["2.0.0"].checksum, True, 1, None, False)}
    assert told(changes(snapshot("1.0.0 2.0.0?"), rows | gone)) == [("restored", "2.0.0")]
    unread = {"2.0.0": Stored("2.0.0", b"x", False, rows["2.0.0"].checksum, False, 3, None, False)}
    assert told(changes(snapshot("1.0.0 2.0.0"), rows | unread)) == []


@pytest.mark.parametrize(
    ("after", "history"),
    [
        ("1.0.0", [("restored", ""), ("deleted", "2.0.0")]),
        ("3.0.0", [("restored", ""), ("published", "3.0.0"), ("deleted", "1.0.0"), ("deleted", "2.0.0")]),
        ("1.0.0? 2.0.0", [("restored", "")]),
        ("1.0.0?", [("restored", ""), ("deleted", "2.0.0")]),
        ("9.9.9?", []),
    ],
)
def test_package_back_in_part(snapshot: Any, after: str, history: list[tuple[str, str]]) -> None:
    """Of a package that is back, the history tells which versions did not come back with it."""
    rows = stored(snapshot("1.0.0 2.0.0"))
    rows = {key: Stored(key, row.digest, False, row.checksum, True, 1, None, False) for key, row in rows.items()}
    assert told(changes(snapshot(after), rows)) == history


@pytest.mark.parametrize(
    ("body", "latest", "count", "yanked"),
    [
        ("1.0.0 2.0.0?", "2.0.0", 2, 0),  # its line is broken, and says for which version
        ("1.0.0 !9.9.9", "1.0.0", 2, 1),  # what is missing without a word is gone
    ],
)
def test_product_with_hidden_versions(snapshot: Any, body: str, latest: str, count: int, yanked: int) -> None:
    """A stored version whose line cannot be read now is alive, and counts as it was last read."""
    rows = stored(snapshot("1.0.0 2.0.0"))
    found = product_of(snapshot(body), None, rows)
    assert (found.latest, found.versions, found.yanked) == (latest, count, yanked)


def test_rewrite(snapshot: Any) -> None:
    """A rewrite writes every row and invents no history."""
    changed = changes(snapshot("1.0.0 2.0.0?", rewrite=True), stored(snapshot("1.0.0 2.0.0?")))
    assert (len(changed.releases), len(changed.unreadable), changed.history, changed.unchanged) == (1, 1, [], 0)


def test_unchanged_is_counted(snapshot: Any) -> None:
    """Rows found equal are counted, unreadable ones too."""
    same = snapshot("1.0.0 !1.1.0 2.0.0?")
    assert changes(same, stored(same)).unchanged == 3


@pytest.mark.parametrize(
    ("body", "latest", "stable", "count", "yanked", "status"),
    [
        ("1.0.0 !1.1.1 2.0.0-beta.1", "1.0.0", "1.0.0", 3, 1, 1),
        ("!1.0.0 !0.9.0", "1.0.0", None, 2, 2, 1),
        ("", None, None, 0, 0, 9),
        ("1.0.0?", None, None, 0, 0, 0),
    ],
)
def test_product(
    snapshot: Any, body: str, latest: str | None, stable: str | None, count: int, yanked: int, status: int
) -> None:
    """The product row follows from the snapshot alone."""
    found = product_of(snapshot(body), None, {})
    assert (found.latest, found.latest_stable, found.versions, found.yanked, found.status) == (
        latest,
        stable,
        count,
        yanked,
        status,
    )
    assert found.name == ("Oar" if latest else "oar")


def test_ranks() -> None:
    """Places count from 0 in the order of precedence; naming a version twice does not move the others."""
    assert ranks(["1.10.0", "1.9.0", "1.9.0-rc.1", "1.9.0"]) == {"1.9.0-rc.1": 0, "1.9.0": 1, "1.10.0": 2}
    assert ranks(["1.0.0+10", "1.0.0+9", "1.0.0"]) == {"1.0.0": 0, "1.0.0+9": 1, "1.0.0+10": 2}
