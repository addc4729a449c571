"""Keeping snapshots on every engine: rows, tombstones, places, and columns that belong to the queue."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from stook.engine.words import Announcement
from stook.registries.cargo.keep import keep_marks
from stook.registries.store import Pin, PinnedProject, write_pins

LATER = datetime(2027, 1, 1)


def order(shelf: Any, crate: str = "oar") -> list[str]:
    """Versions of a crate by SORT_ORDER, which must be 0, 1, 2 …."""
    found = shelf.rows("version", "SORT_ORDER", "VERSION", "PRODUCT_KEY")
    rows = sorted((rank, version) for rank, version, name in found if name == crate)
    assert [rank for rank, _ in rows] == list(range(len(rows)))
    return [version for _, version in rows]


def test_first_snapshot(shelf: Any, snapshot: Any) -> None:
    """The first snapshot makes list, version and product rows, and no history."""
    kept = shelf.keep(snapshot("1.0.0 !1.1.1 2.0.0-beta.1 2.0.0?", rust_version="1.70", links="z"))
    listed = shelf.rows("list", "VERSION", "PROCESSED", "YANKED", "DISPLAY_NAME", "SOURCE", "RESOLVE_KIND", "DUE_AT")
    assert listed == [
        ("1.0.0", 1, 0, "Oar", "seed", "seed", None),
        ("1.1.1", 1, 1, "Oar", "seed", "seed", None),
        ("2.0.0", 3, 0, None, "seed", "seed", None),
        ("2.0.0-beta.1", 1, 0, "Oar", "seed", "seed", None),
    ]
    assert shelf.rows("version", "VERSION", "NAME", "PURL", "RUST_VERSION", "LINKS", "PROCESSED") == [
        ("1.0.0", "Oar", "pkg:cargo/Oar@1.0.0", "1.70", "z", 0),
        ("1.1.1", "Oar", "pkg:cargo/Oar@1.1.1", "1.70", "z", 0),
        ("2.0.0-beta.1", "Oar", "pkg:cargo/Oar@2.0.0-beta.1", "1.70", "z", 0),
    ]
    assert shelf.rows("product", "PRODUCT_KEY", "LATEST_VERSION", "VERSION_COUNT", "YANKED_COUNT", "COMP_STATUS") == [
        ("oar", "1.0.0", 3, 1, 1)
    ]
    assert order(shelf) == ["1.0.0", "1.1.1", "2.0.0-beta.1"]
    assert shelf.rows("history") == []
    assert [record for record, _ in kept.rejected] == ["oar@2.0.0"]


def test_unchanged_writes_nothing(shelf: Any, snapshot: Any) -> None:
    """The same snapshot again writes no row, times included."""
    told = snapshot("1.0.0 !1.1.0 2.0.0?")
    shelf.keep(told)
    before = [shelf.rows(name) for name in ("list", "version", "product", "history")]
    again = shelf.keep(told)
    assert [shelf.rows(name) for name in ("list", "version", "product", "history")] == before
    assert not any(again.written.values())


CHANGES = [
    ("1.0.0", "1.0.0 1.1.0", [("latest_changed", "1.1.0"), ("published", "1.1.0")]),
    ("1.0.0 1.1.0", "!1.0.0 1.1.0", [("yanked", "1.0.0")]),
    ("!1.0.0 1.1.0", "1.0.0 1.1.0", [("unyanked", "1.0.0")]),
    ("1.0.0 1.1.0", "1.0.0#b 1.1.0", [("checksum_changed", "1.0.0")]),
    ("0.9.0 1.0.0", "1.0.0", [("deleted", "0.9.0")]),
    ("0.9.0 1.0.0", "", [("deleted", "")]),
]


def test_history(shelf: Any, snapshot: Any) -> None:
    """Each change is one entry, and keeping it again adds none."""
    for step in (0, 1, 1):
        shelf.keep(*[snapshot(change[step], name=f"crate-{place}") for place, change in enumerate(CHANGES)])
    found = shelf.rows("history", "PRODUCT_KEY", "KIND", "VERSION")
    expected = [(f"crate-{place}", *entry) for place, (_, _, told) in enumerate(CHANGES) for entry in told]
    assert sorted(found) == sorted(expected)


def test_tombstone_and_return(shelf: Any, snapshot: Any) -> None:
    """A version that goes keeps its row with the moment it was missed; when it is back, the mark goes."""
    shelf.keep(snapshot("1.0.0 1.1.0"))
    shelf.keep(snapshot("1.0.0"))
    gone = shelf.clock.now()
    assert shelf.rows("list", "VERSION", "DELETED_AT", "PROCESSED") == [("1.0.0", None, 1), ("1.1.0", gone, 1)]
    assert shelf.rows("version", "VERSION", "PROCESSED") == [("1.0.0", 0), ("1.1.0", 5)]
    assert shelf.rows("product", "LATEST_VERSION", "VERSION_COUNT") == [("1.0.0", 1)]
    shelf.keep(snapshot("1.0.0 1.1.0"))
    assert shelf.rows("list", "DELETED_AT") == [None, None]
    assert shelf.rows("version", "PROCESSED") == [0, 0]
    assert ("restored", "1.1.0") in shelf.history()


def test_deleted_crate_and_return(shelf: Any, snapshot: Any) -> None:
    """A crate that goes is deleted upstream (9), all its rows are tombstones; it can come back."""
    shelf.keep(snapshot("1.0.0 1.1.0"))
    shelf.keep(snapshot(""))
    assert None not in shelf.rows("list", "DELETED_AT")
    assert shelf.rows("product", "NAME", "LATEST_VERSION", "COMP_STATUS") == [("Oar", None, 9)]
    shelf.keep(snapshot("1.0.0 1.1.0"))
    assert shelf.rows("list", "DELETED_AT") == [None, None]
    assert shelf.rows("product", "LATEST_VERSION", "COMP_STATUS") == [("1.1.0", 1)]
    assert [kind for kind, _ in shelf.history()] == ["deleted", "restored"]


def test_backport_in_the_middle(shelf: Any, snapshot: Any) -> None:
    """A version published between others moves those above it, also when its row was announced before."""
    names = ("oar", "paddle")
    shelf.keep(*[snapshot("1.0.0 1.2.0 2.0.0", name=name) for name in names])
    shelf.ledger.announce([Announcement("cargo", "paddle", "1.1.0", source="poll")])
    shelf.keep(*[snapshot("1.0.0 1.2.0 2.0.0 1.1.0", name=name) for name in names])
    assert [order(shelf, name) for name in names] == [["1.0.0", "1.1.0", "1.2.0", "2.0.0"]] * 2


def test_places_after_other_changes(shelf: Any, snapshot: Any) -> None:
    """Yanks, lines that become readable and deletions leave places without holes."""
    after = {"yanked": "1.0.0 1.1.0? !2.0.0 !3.0.0", "read": "1.0.0 1.1.0 2.0.0 3.0.0", "gone": "!1.0.0 3.0.0"}
    shelf.keep(*[snapshot("1.0.0 1.1.0? 2.0.0 3.0.0", name=name) for name in after])
    for rewrite in (False, True):
        shelf.keep(*[snapshot(body, name=name, rewrite=rewrite) for name, body in after.items()])
        assert order(shelf, "yanked") == order(shelf, "gone") == ["1.0.0", "2.0.0", "3.0.0"]
        assert order(shelf, "read") == ["1.0.0", "1.1.0", "2.0.0", "3.0.0"]


def test_unreadable_for_a_while(shelf: Any, snapshot: Any) -> None:
    """A known version whose line cannot be read for a while is 3, then itself again, without false history."""
    shelf.keep(snapshot("1.0.0 !2.0.0 3.0.0"))
    before = shelf.facts()
    shelf.keep(snapshot("1.0.0 2.0.0? 3.0.0"))
    assert shelf.rows("list", "VERSION", "PROCESSED", "YANKED")[1] == ("2.0.0", 3, 1)
    assert "schema 3" in shelf.rows("list", "LAST_ERROR")[1]
    shelf.keep(snapshot("1.0.0 !2.0.0 3.0.0"))
    assert shelf.facts() == before


def test_held_and_resynced_rows_keep_their_place(shelf: Any, snapshot: Any) -> None:
    """Rows that a worker holds, or that an operator asked for again, keep their queue columns."""
    shelf.keep(snapshot("1.0.0 1.1.0 1.2.0"))
    shelf.set("list", {"VERSION": "1.0.0"}, PROCESSED=24, DUE_AT=LATER, LEASE=77, ATTEMPTS=3, LAST_ERROR="why")
    shelf.set("list", {"VERSION": "1.1.0"}, PROCESSED=0, DUE_AT=LATER, RESYNC=1)
    shelf.set("list", {"VERSION": "1.2.0"}, PROCESSED=33, DUE_AT=LATER, LAST_ERROR="why")
    shelf.keep(snapshot("!1.0.0 !1.1.0 !1.2.0"))
    columns = ("PROCESSED", "DUE_AT", "LEASE", "ATTEMPTS", "RESYNC", "LAST_ERROR", "YANKED")
    assert shelf.rows("list", *columns) == [
        (24, LATER, 77, 3, 0, "why", 1),
        (0, LATER, None, 0, 1, None, 1),
        (1, None, None, 0, 0, None, 1),
    ]


def test_a_resync_that_found_nothing(shelf: Any, snapshot: Any) -> None:
    """A row that was asked for in vain, and is not in the queue any more, is complete once its version is back."""
    shelf.keep(snapshot("1.0.0 1.1.0"))
    shelf.keep(snapshot("1.0.0"))
    shelf.set("list", {"VERSION": "1.1.0"}, PROCESSED=5, DUE_AT=None, RESYNC=1, LAST_ERROR="not there")
    shelf.keep(snapshot("1.0.0 1.1.0"))
    columns = ("PROCESSED", "DUE_AT", "RESYNC", "LAST_ERROR", "DELETED_AT")
    assert shelf.rows("list", *columns) == [(1, None, 0, None, None)] * 2


def pin(shelf: Any, tag: str, *versions: str) -> None:
    """The lock of a project names these versions of the crate at a tag."""
    project = PinnedProject("app", "https://example.org/app")
    with shelf.ledger.transaction() as transaction:
        write_pins(
            transaction, "rust", project, {tag: [Pin("oar", version) for version in versions]}, shelf.clock.now()
        )


def marks(shelf: Any) -> list[tuple[Any, int]]:
    rows = shelf.rows("list", "LOCK_TAGS", "PINNED")
    return [(json.loads(tags) if isinstance(tags, str) else tags, pinned) for tags, pinned in rows]


def test_marks_follow_from_pins(shelf: Any, snapshot: Any) -> None:
    """A version's tags are those whose lock names this version, whether the pin or the row came first."""
    pin(shelf, "v1", "1.0.0")
    shelf.keep(snapshot("1.0.0 1.1.0"))
    assert marks(shelf) == [({"app": ["v1"]}, 1), (None, 0)]
    pin(shelf, "v2", "1.0.0", "1.1.0")
    with shelf.ledger.transaction() as transaction:
        assert keep_marks(transaction, ["oar"], shelf.clock.now()) == 2
        assert keep_marks(transaction, ["oar"], shelf.clock.now()) == 0
    assert marks(shelf) == [({"app": ["v1", "v2"]}, 1), ({"app": ["v2"]}, 1)]
    shelf.keep(snapshot("1.0.0 !1.1.0", rewrite=True))
    assert marks(shelf) == [({"app": ["v1", "v2"]}, 1), ({"app": ["v2"]}, 1)]
    pin(shelf, "v2")
    pin(shelf, "v1")
    with shelf.ledger.transaction() as transaction:
        keep_marks(transaction, ["oar"], shelf.clock.now())
    assert marks(shelf) == [(None, 0), (None, 0)]


def test_history_of_one_moment_is_in_order(shelf: Any, snapshot: Any) -> None:
    """What was seen at once stands in the order in which it follows: a version is published, then it is the latest."""
    shelf.keep(snapshot("1.0.0", name="a"), snapshot("1.0.0", name="b"))
    shelf.keep(snapshot("1.0.0 1.1.0 1.2.0", name="a"), snapshot("1.0.0 2.0.0", name="b"))
    rows = sorted(shelf.rows("history", "ID", "PRODUCT_KEY", "KIND", "VERSION"), key=lambda row: bytes(row[0]))
    assert [row[1:] for row in rows] == [
        ("a", "published", "1.1.0"),
        ("a", "published", "1.2.0"),
        ("a", "latest_changed", "1.2.0"),
        ("b", "published", "2.0.0"),
        ("b", "latest_changed", "2.0.0"),
    ]


def test_a_published_line_takes_the_index_date(shelf: Any, snapshot: Any) -> None:
    """The index's own date is the release's; a later line without one keeps it."""
    shelf.keep(snapshot("1.0.0", pubtime="2020-01-02T03:04:05Z"))
    shelf.keep(snapshot("!1.0.0"))
    moment = datetime(2020, 1, 2, 3, 4, 5)
    assert shelf.rows("version", "RELEASE_DATE") == [moment]
    assert shelf.rows("list", "TIMESTAMP") == [moment]


def test_identity_is_bytes(shelf: Any, snapshot: Any) -> None:
    """Versions that differ by case or build alone are rows of their own; long ones fit."""
    versions = ["1.0.0-rc.1", "1.0.0-RC.1", "1.0.0+a", "1.0.0+b", f"1.0.0-{'x.' * 71}x", f"1.0.0+{'b' * 234}"]
    for _ in range(2):
        shelf.keep(snapshot(" ".join(versions)))
    assert sorted(shelf.rows("version", "VERSION")) == sorted(versions)
    assert shelf.history() == []


def test_texts_of_any_kind(shelf: Any, snapshot: Any) -> None:
    """NUL, four-byte characters, quotes and very long lists go in and come out."""
    words = {"features": {"a": ["🦀 'quoted' \"twice\" back\\slash \0"], "long": ["x" * 200_000]}, "links": "🦀\0"}
    shelf.keep(snapshot("1.0.0", **words))
    (packed,) = shelf.rows("version", "FEATURES")
    features = json.loads(packed) if isinstance(packed, str) else packed
    assert features["a"] == ["🦀 'quoted' \"twice\" back\\slash \ufffd"]
    assert len(features["long"][0]) == 200_000
    assert shelf.rows("version", "LINKS") == ["🦀\ufffd"]


def test_many_crates_at_once(shelf: Any, snapshot: Any) -> None:
    """A batch of crates is kept as its crates one by one are; a crate told twice counts as told last."""
    names = [f"crate-{number}" for number in range(320)]
    shelf.keep(*[snapshot("1.0.0 0.1.0", name=name) for name in names], snapshot("!1.0.0 0.1.0", name="crate-7"))
    assert len(shelf.rows("product")) == 320
    yanked = [row["PRODUCT_KEY"] for row in shelf.rows("version") if row["YANKED"]]
    assert yanked == ["crate-7"]
