"""Keeping modules, their versions and their pages, on every engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any

import pytest

from stook.engine.words import Announcement
from stook.registries.golang.queues import VERSIONS
from stook.registries.golang.records import GoAbsence, GoPage
from stook.registries.golang.versions.versions import order_key

from .shelves import NOW, GoShelf, entry, feed_page, module, open_go_shelf, release  # noqa: TID252

M = "example.com/m"
LATER = NOW + timedelta(days=1)


def page(version: str = "v1.0.0", path: str = M, **more: Any) -> GoPage:
    told: dict[str, Any] = {"licenses": ["MIT"], "scm": '{"type":"git","url":"https://page"}', "published": LATER}
    return GoPage(path, version, **(told | more))


def known_later(shelf: GoShelf, *versions: str) -> None:
    """Announce versions by the index, after the first look at the module."""
    shelf.keep(feed_page(*(entry(M, version, "2026-12-01T00:00:00Z") for version in versions)))


def test_first_sight(go_shelf: GoShelf) -> None:
    """A module's first versions stand in order, with its latest; its history begins empty."""
    kept = go_shelf.keep(release("v1.10.0"), release("v1.9.0"), release("v1.9.0-rc.1"), module("v1.10.0"))
    assert dict(kept.written) == {"version": 3, "product": 2, "history": 0}
    order = ("VERSION", "SORT_ORDER", "RETRACTED", "DEPRECATED", "PROCESSED")
    assert sorted(go_shelf.rows("version", *order), key=lambda row: row[1]) == [
        ("v1.9.0-rc.1", 0, 0, 0, 0),
        ("v1.9.0", 1, 0, 0, 0),
        ("v1.10.0", 2, 0, 0, 0),
    ]
    (row,) = go_shelf.rows("product")
    assert (row["LATEST_VERSION"], row["LATEST_STABLE"], row["LATEST_RAW"]) == ("v1.10.0",) * 3
    assert (row["VERSION_COUNT"], row["COMP_STATUS"], row["PURL"]) == (3, 1, "pkg:golang/example.com/m")
    assert go_shelf.rows("version")[0]["PURL"] == "pkg:golang/example.com/m@v1.10.0"
    assert go_shelf.history() == []


def test_nothing_new(go_shelf: GoShelf) -> None:
    """What says the same is not written, not even a time; the report counts it as unchanged."""
    records = [release(), release("v1.1.0"), module("v1.1.0", retract=[("v1.0.0", "v1.0.0", "why")])]
    go_shelf.keep(*records)
    go_shelf.keep(page(), page("v1.1.0"))
    before = {name: go_shelf.rows(name) for name in ("version", "product", "history")}
    kept = go_shelf.keep(*records)
    assert (sum(kept.written.values()), kept.unchanged["version"]) == (0, 2)
    kept = go_shelf.keep(page(), page("v1.1.0"))
    assert (sum(kept.written.values()), kept.unchanged["version"]) == (0, 2)
    assert {name: go_shelf.rows(name) for name in ("version", "product", "history")} == before


def test_rewrite(sqlite_go_shelf: GoShelf) -> None:
    """A resync writes a row that says the same, and heals what somebody spoilt; enrichment stays."""
    sqlite_go_shelf.keep(release(), module())
    sqlite_go_shelf.keep(page())
    whole = sqlite_go_shelf.facts()
    sqlite_go_shelf.set("version", {"VERSION": "v1.0.0"}, GO_VERSION="0.0", DEPENDENCIES="[1]")
    sqlite_go_shelf.keep(release(), module())
    assert sqlite_go_shelf.facts() != whole
    kept = sqlite_go_shelf.keep(release(rewrite=True), module())
    assert kept.written["version"] == 1
    assert sqlite_go_shelf.facts() == whole


def test_case(go_shelf: GoShelf) -> None:
    """Paths and versions that differ in case only are different ones."""
    paths = ["github.com/Sirupsen/logrus", "github.com/sirupsen/logrus"]
    versions = ["v1.0.0-RC.1", "v1.0.0-rc.1"]
    go_shelf.keep(*[release(version, path) for path in paths for version in versions])
    go_shelf.keep(*[module("v1.0.0-rc.1", path) for path in paths])
    assert go_shelf.rows("version", "PRODUCT_KEY", "VERSION") == [(p, v) for p in paths for v in versions]
    assert go_shelf.rows("product", "PRODUCT_KEY") == paths


def test_versions_in_order(go_shelf: GoShelf) -> None:
    """SORT_ORDER, and VERSION_KEY bytewise, are the order of golang.org/x/mod, however versions came."""
    versions = "v0.9.0 v0.10.0 v1.0.0-RC1 v1.0.0-alpha v1.0.0-rc.2 v1.0.0-rc.10 v1.0.0 v1.0.1-0.20200101000000-abcdef"
    odd = "v1.2.99999999999999999999 v2.0.0+incompatible v0.0.0-00010101000000-000000000000 v10.0.0+incompatible"
    every = [*versions.split(), *odd.split()]
    for version in every:
        go_shelf.keep(release(version, published=datetime(1, 1, 1) if "0001" in version else None))
    rows = go_shelf.rows("version")
    assert [row["VERSION"] for row in sorted(rows, key=lambda row: row["SORT_ORDER"])] == sorted(every, key=order_key)
    assert [row["SORT_ORDER"] for row in sorted(rows, key=lambda row: bytes(row["VERSION_KEY"]))] == list(range(12))


def test_retractions(go_shelf: GoShelf) -> None:
    """What the latest takes back is marked on other versions, with the reason; taken back again, it is not."""
    go_shelf.keep(release(), release("v1.1.0"), module("v1.1.0"))
    told = module("v1.1.0", retract=[("v0.0.0-0", "v1.0.0", "broken\0"), ("v1.0.0", "v1.0.0", "")], deprecated="use n")
    kept = go_shelf.keep(told)
    columns = ("VERSION", "RETRACTED", "RETRACT_REASON", "DEPRECATED", "DEPRECATED_REASON")
    assert go_shelf.rows("version", *columns) == [
        ("v1.0.0", 1, "broken\ufffd", 1, "use n"),
        ("v1.1.0", 0, None, 1, "use n"),
    ]
    assert kept.written == {"version": 2, "product": 1, "history": 2}
    assert go_shelf.rows("product", "RETRACTED_COUNT", "DEPRECATED", "DEPRECATED_REASON") == [(1, 1, "use n")]
    go_shelf.keep(module("v1.1.0"))
    assert go_shelf.rows("version", "RETRACTED", "DEPRECATED") == [(0, 0), (0, 0)]
    assert go_shelf.history() == [
        ("deprecated", "", None, "use n"),
        ("retracted", "v1.0.0", None, "broken\ufffd"),
        ("deprecated", "", "use n", None),
        ("retracted", "v1.0.0", "broken\ufffd", None),
    ]


def test_facts_that_could_not_be_read(sqlite_go_shelf: GoShelf) -> None:
    """Without the raw latest's go.mod, or without any answer, what was known stays."""
    told = module("v1.1.0", retract=[("v1.0.0", "v1.0.0", "why")], deprecated="use n")
    sqlite_go_shelf.keep(release(), release("v1.1.0"), told)
    before = sqlite_go_shelf.facts()
    sqlite_go_shelf.keep(module("", raw="v1.2.0", is_read=False, problem="no .mod of v1.2.0"))
    sqlite_go_shelf.keep(module("", is_read=False, problem="the proxy answered nonsense"))
    assert sqlite_go_shelf.facts() == before
    sqlite_go_shelf.keep(release("v1.3.0"))
    row = sqlite_go_shelf.rows("version")[-1]
    assert (row["VERSION"], row["DEPRECATED_REASON"]) == ("v1.3.0", "use n")


def test_no_latest(sqlite_go_shelf: GoShelf) -> None:
    """When the rule finds none any more, the product has none."""
    sqlite_go_shelf.keep(release(), module())
    sqlite_go_shelf.keep(page())
    sqlite_go_shelf.keep(
        module("", raw="v1.0.0", problem="no matching versions", retract=[("v0.0.0-0", "v9.0.0", "all")])
    )
    (row,) = sqlite_go_shelf.rows("product")
    assert (row["LATEST_VERSION"], row["LATEST_STABLE"], row["LATEST_RAW"]) == (None, None, "v1.0.0")
    assert (row["LICENSE"], row["RETRACTED_COUNT"]) == (None, 1)


def test_a_latest_that_is_too_long(go_shelf: GoShelf) -> None:
    """A list may name a version that no column holds: that costs the module's own versions nothing."""
    endless = "v1.0." + "9" * 300
    go_shelf.keep(release(), module(endless))
    assert go_shelf.rows("version", "VERSION") == ["v1.0.0"]
    told = ("LATEST_VERSION", "LATEST_STABLE", "LATEST_RAW", "VERSION_COUNT")
    assert go_shelf.rows("product", *told) == [(None, None, None, 1)]
    go_shelf.keep(release(), module(raw=endless))
    assert go_shelf.rows("product", *told) == [("v1.0.0", "v1.0.0", None, 1)]


def test_latest_changes(go_shelf: GoShelf) -> None:
    """A new latest version takes the product's licence and repository with it, and is news."""
    go_shelf.keep(release(), module())
    go_shelf.keep(page())
    known_later(go_shelf, "v2.0.0-rc.1")
    go_shelf.keep(release("v2.0.0-rc.1", scm=None, origin=None), module("v2.0.0-rc.1"))
    (row,) = go_shelf.rows("product")
    assert (row["LATEST_VERSION"], row["LATEST_STABLE"], row["LICENSE"], row["SCM"]) == (
        "v2.0.0-rc.1",
        None,
        None,
        None,
    )
    go_shelf.keep(page("v2.0.0-rc.1", licenses=["BSD-3-Clause"]))
    (row,) = go_shelf.rows("product")
    assert (row["LICENSE"], row["SCM"]) == ("BSD-3-Clause", '{"type":"git","url":"https://page"}')
    assert [one[:2] for one in go_shelf.history()] == [("latest_changed", "v2.0.0-rc.1"), ("published", "v2.0.0-rc.1")]


def test_what_is_news(go_shelf: GoShelf) -> None:
    """News is what was announced, or else committed, after our first look at its module; the rest is caught up on."""
    go_shelf.keep(release("v1.1.0"), module("v1.1.0"))
    go_shelf.keep(feed_page(entry(M, "v1.0.0", "2020-01-01T00:00:00Z"), entry(M, "v1.2.0", "2026-12-01T00:00:00Z")))
    for version in ("v1.3.0", "v1.4.0"):
        go_shelf.announce(Announcement(VERSIONS.name, M, version, "seed"))
    told = [release("v1.0.0"), release("v1.2.0"), release("v1.3.0", published=LATER), release("v1.4.0")]
    go_shelf.keep(*told, module("v1.4.0"))
    assert [one[:2] for one in go_shelf.history() if one[0] == "published"] == [
        ("published", "v1.2.0"),
        ("published", "v1.3.0"),
    ]


def test_withdrawn(go_shelf: GoShelf) -> None:
    """A stored version that is gone gets a tombstone; what comes back is restored."""
    go_shelf.keep(release(), release("v1.1.0"), module("v1.1.0"))
    go_shelf.keep(page())
    kept = go_shelf.keep(GoAbsence(M, "v1.0.0"), GoAbsence(M, "v7.0.0"), GoAbsence("example.com/none", "v1.0.0"))
    assert kept.written == {"version": 1, "product": 1, "history": 1}
    assert go_shelf.rows("version", "VERSION", "PROCESSED") == [("v1.0.0", 5), ("v1.1.0", 0)]
    assert go_shelf.rows("product", "PRODUCT_KEY", "VERSION_COUNT", "LATEST_VERSION") == [(M, 1, "v1.1.0")]
    assert sum(go_shelf.keep(GoAbsence(M, "v1.0.0")).written.values()) == 0
    go_shelf.keep(page())
    assert go_shelf.rows("version", "PROCESSED") == [5, 0]
    go_shelf.keep(release())
    assert go_shelf.rows("version", "PROCESSED") == [1, 0]
    assert go_shelf.rows("product", "VERSION_COUNT") == [2]
    go_shelf.keep(GoAbsence(M, "v1.0.0"), GoAbsence(M, "v1.1.0"))
    assert go_shelf.rows("product", "VERSION_COUNT", "COMP_STATUS") == [(0, 9)]
    assert [one[:2] for one in go_shelf.history()] == [
        ("deleted", "v1.0.0"),
        ("restored", "v1.0.0"),
        ("deleted", "v1.0.0"),
        ("deleted", "v1.1.0"),
    ]


def test_another_go_mod(sqlite_go_shelf: GoShelf) -> None:
    """A go.mod whose bytes changed, which must never be, is news."""
    sqlite_go_shelf.keep(release(), module())
    sqlite_go_shelf.keep(release(mod_sum="h1:other"), module())
    assert sqlite_go_shelf.history() == [("checksum_changed", "v1.0.0", "h1:v1.0.0", "h1:other")]
    assert sqlite_go_shelf.rows("version", "MOD_SUM") == ["h1:other"]


def test_products_stand_where_versions_do(sqlite_go_shelf: GoShelf) -> None:
    """A module without a stored version has no product row; one that was not described yet is known only."""
    sqlite_go_shelf.keep(module())
    assert sqlite_go_shelf.rows("product") == []
    sqlite_go_shelf.keep(release())
    assert sqlite_go_shelf.rows("product", "COMP_STATUS", "VERSION_COUNT", "LATEST_VERSION") == [(0, 1, None)]
    sqlite_go_shelf.keep(module(retract=[("v1.0.0", "v1.0.0", "why")]))
    assert sqlite_go_shelf.rows("product", "COMP_STATUS", "LATEST_VERSION") == [(1, "v1.0.0")]
    assert sqlite_go_shelf.history() == []


def test_pages(go_shelf: GoShelf) -> None:
    """Enrichment fills rows and never makes one; the proxy's own word on date and repository stands."""
    go_shelf.keep(release(), release("v1.1.0", published=None, scm=None, origin=None), module("v1.1.0"))
    kept = go_shelf.keep(page(), page("v1.1.0", licenses=["Apache-2.0", "MIT"]), page("v9.0.0"), page(path="b.io/no"))
    assert kept.written == {"version": 2, "product": 1}
    columns = ("VERSION", "LICENSE", "LICENSE_IDS", "SCM", "RELEASE_DATE", "PROCESSED")
    assert go_shelf.rows("version", *columns) == [
        ("v1.0.0", "MIT", '["MIT"]', '{"type":"git","url":"https://example.com/m"}', datetime(2024, 1, 2, 3, 4, 5), 1),
        ("v1.1.0", "Apache-2.0, MIT", '["Apache-2.0","MIT"]', '{"type":"git","url":"https://page"}', LATER, 1),
    ]
    assert go_shelf.rows("product", "LICENSE", "SCM") == [("Apache-2.0, MIT", '{"type":"git","url":"https://page"}')]
    before = go_shelf.facts()
    go_shelf.keep(release(rewrite=True), release("v1.1.0", published=None, scm=None, origin=None, rewrite=True))
    assert go_shelf.facts() == before


ODD = ["é\u2028 \x85", "quote ' \" \\ %s :b {old}", "x" * 5000]


@pytest.mark.parametrize("text", ODD, ids=["unicode", "quotes", "long"])
def test_odd_texts(go_shelf: GoShelf, text: str) -> None:
    """What authors write is kept as it is."""
    go_shelf.keep(release(go_version="1.21"), module(deprecated=text, retract=[("v1.0.0", "v1.0.0", text)]))
    assert go_shelf.rows("version", "RETRACT_REASON", "DEPRECATED_REASON") == [(text, text)]


def test_workers_side_by_side(database_url: str) -> None:
    """Versions of one module that several workers keep at once all find their places, and none waits for ever."""
    versions = [f"v1.{minor}.0" for minor in range(16)]
    paths = [M, "example.com/a", "example.com/z"]
    with open_go_shelf(database_url) as shelf:
        barrier = Barrier(4)

        def keep(worker: int) -> int:
            barrier.wait()
            for place in range(worker, 16, 4):
                order = paths if place % 2 else paths[::-1]
                with open_go_shelf(database_url, is_new=False) as own:
                    own.keep(*[release(versions[place], path) for path in order])
            return worker

        with ThreadPoolExecutor(4) as pool:
            assert sorted(pool.map(keep, range(4))) == [0, 1, 2, 3]
        for path in paths:
            rows = [row for row in shelf.rows("version", "PRODUCT_KEY", "VERSION", "SORT_ORDER") if row[0] == path]
            assert {row[1]: row[2] for row in rows} == {version: place for place, version in enumerate(versions)}
        assert shelf.rows("product", "VERSION_COUNT") == [16, 16, 16]
