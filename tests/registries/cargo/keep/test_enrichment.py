"""Keeping enrichment: it fills rows that are there, never makes one, and its order does not matter."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from stook.registries.cargo.records import Enrichment, ProductFacts, VersionFacts


def test_fills(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """Versions and product get their facts; the product's licence is that of its latest version."""
    shelf.keep(snapshot("1.0.0 1.1.0 2.0.0-rc.1"))
    shelf.keep(enrichment(["1.0.0", "1.1.0", "2.0.0-rc.1"]))
    assert shelf.rows("version", "VERSION", "DESCRIPTION", "LICENSE", "PROCESSED", "RELEASE_DATE") == [
        (version, f"about {version}", f"LIC-{version}", 1, datetime(2020, 1, 2))
        for version in ("1.0.0", "1.1.0", "2.0.0-rc.1")
    ]
    assert shelf.rows("product", "DESCRIPTION", "LICENSE", "DOWNLOADS") == [("An oar", "LIC-1.1.0", 5)]


def test_creates_nothing(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """Facts about what the index does not have make no row."""
    shelf.keep(enrichment(["1.0.0"]))
    assert not any(shelf.facts().values())
    shelf.keep(snapshot("1.0.0"))
    shelf.keep(enrichment(["1.0.0", "9.9.9"]))
    assert shelf.rows("version", "VERSION") == ["1.0.0"]


def test_unchanged_writes_nothing(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """The same facts again write no row, times included."""
    shelf.keep(snapshot("1.0.0"))
    shelf.keep(enrichment(["1.0.0"]))
    before = [shelf.rows(name) for name in ("version", "product")]
    kept = shelf.keep(enrichment(["1.0.0"]))
    assert [shelf.rows(name) for name in ("version", "product")] == before
    assert (dict(kept.written), dict(kept.unchanged)) == ({"version": 0, "product": 0}, {"version": 1, "product": 1})


def test_a_fact_that_goes_is_gone(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """What the API tells no longer is NULL again, but for dates."""
    shelf.keep(snapshot("1.0.0"))
    shelf.keep(enrichment(["1.0.0"]))
    shelf.keep(Enrichment("oar", ProductFacts(), [VersionFacts("1.0.0")]))
    assert shelf.rows("version", "LICENSE", "RELEASE_DATE") == [(None, datetime(2020, 1, 2))]
    assert shelf.rows("product", "LICENSE", "DESCRIPTION") == [(None, None)]


def test_order_does_not_matter(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """A change seen by the index and facts told by the API give the same tables in either order."""
    names = ("first", "second")
    shelf.keep(*[snapshot("1.0.0 1.1.0", name=name) for name in names])
    for step, name in enumerate(names * 2):
        yank = snapshot("1.0.0 !1.1.0", name=name, pubtime="2019-05-05T05:05:05Z")
        shelf.keep(yank if step in (0, 3) else enrichment(["1.1.0", "1.0.0"], name=name))
    tables = [
        [
            {**row, "PRODUCT_KEY": "", "NAME": "", "URL": "", "PURL": ""}
            for row in shelf.facts()[table]
            if row["NAME"] == name
        ]
        for table in ("version", "product")
        for name in names
    ]
    assert tables[0] == tables[1]
    assert tables[2] == tables[3]
    assert tables[2][0]["LICENSE"] == "LIC-1.0.0"


def test_tombstone_stays_one(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """Facts about a version that is gone do not bring it back; when it is back, it is complete again."""
    shelf.keep(snapshot("1.0.0 1.1.0"))
    shelf.keep(enrichment(["1.0.0", "1.1.0"]))
    shelf.keep(snapshot("1.0.0"))
    kept = shelf.keep(Enrichment("oar", ProductFacts(), [VersionFacts(v, license="new") for v in ("1.0.0", "1.1.0")]))
    assert kept.written["version"] == 2
    assert shelf.rows("version", "VERSION", "LICENSE", "PROCESSED") == [("1.0.0", "new", 1), ("1.1.0", "new", 5)]
    shelf.keep(snapshot("1.0.0 1.1.0"))
    shelf.keep(enrichment(["1.0.0", "1.1.0"]))
    assert shelf.rows("version", "VERSION", "PROCESSED") == [("1.0.0", 1), ("1.1.0", 1)]


def test_other_content_voids_facts(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """A version with another checksum is another thing: nothing told of the old one stays, until the API tells anew."""
    columns = ("VERSION", "LICENSE", "DESCRIPTION", "RELEASE_DATE", "PROCESSED")
    shelf.keep(snapshot("1.0.0 1.1.0"))
    shelf.keep(enrichment(["1.0.0", "1.1.0"]))
    before = shelf.facts()["version"]
    shelf.keep(snapshot("1.0.0 1.1.0#b"))
    kept = ("1.0.0", "LIC-1.0.0", "about 1.0.0", datetime(2020, 1, 2), 1)
    assert shelf.rows("version", *columns) == [kept, ("1.1.0", None, None, None, 0)]
    assert shelf.rows("product", "LICENSE") == [None]
    shelf.keep(enrichment(["1.0.0", "1.1.0"]))
    told = shelf.facts()["version"]
    assert [row | {"CHECKSUM": "", "DEPENDENCIES": ""} for row in told] == [
        row | {"CHECKSUM": "", "DEPENDENCIES": ""} for row in before
    ]
    assert shelf.rows("product", "LICENSE") == ["LIC-1.1.0"]
    shelf.keep(snapshot("1.0.0 1.1.0#c", pubtime="2024-05-05T05:05:05Z"))
    assert shelf.rows("version", "RELEASE_DATE")[1] == datetime(2024, 5, 5, 5, 5, 5)


def test_texts_of_any_kind(shelf: Any, snapshot: Any) -> None:
    """Four-byte characters, quotes, backslashes and very long texts come out as they went in."""
    words = "🦀 'quoted' \"twice\" back\\slash % :colon \u2028 " + "x" * 300_000
    facts = VersionFacts("1.0.0", description=words, license=words, yank_message=words, homepage=words)
    shelf.keep(snapshot("1.0.0"))
    shelf.keep(Enrichment("oar", ProductFacts(description=words, documentation=words), [facts]))
    assert shelf.rows("version", "DESCRIPTION", "LICENSE", "YANK_MESSAGE", "HOMEPAGE") == [(words,) * 4]
    assert shelf.rows("product", "DESCRIPTION", "DOCUMENTATION", "LICENSE") == [(words,) * 3]


def test_many_crates_at_once(shelf: Any, snapshot: Any, enrichment: Any) -> None:
    """A batch fills each crate's rows with its own facts."""
    names = [f"crate-{number}" for number in range(310)]
    shelf.keep(*[snapshot("1.0.0", name=name) for name in names])
    shelf.keep(*[enrichment(["1.0.0"], name=name, description=f"about {name}") for name in names])
    assert shelf.rows("product", "PRODUCT_KEY", "DESCRIPTION") == sorted((name, f"about {name}") for name in names)
