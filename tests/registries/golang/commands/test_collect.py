"""`stook go`, `stook work go` and `stook show go` from end to end, against a registry on loopback."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from stook.testing import World, sample_world

LAMP, KNOTS = "github.com/keepers-guild/lamp", "github.com/keepers-guild/knots"
LIST = "TB_COMP_LIB_GOLANG_LIST_V2"
PAGE = {"repository": "https://example.com/repository", "licences": ["MIT"]}
TIMES = (
    "CREATED",
    "ENRICHED_AT",
    "LAST_UPDATED",
    "TIMESTAMP",
    "DUE_AT",
    "LEASE",
    "ATTEMPTS",
    "LAST_STATUS",
    "LAST_ERROR",
    "ID",
)


@pytest.fixture
def open_go_shop(open_shop: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Opens a shop whose Go settings lead to its registry."""

    def open_(world: World, **environment: str) -> Any:
        shop = open_shop(world)
        registry = shop.registry
        told = {
            "INDEX_URL": registry.go_index_url,
            "PROXY_URL": registry.go_proxy_url,
            "PKGSITE_URL": registry.pkgsite_url,
        }
        told |= {"INDEX_GAP": "0", "PROXY_GAP": "0", "PKGSITE_GAP": "0", "FEED": "all"} | environment
        for name, value in told.items():
            monkeypatch.setenv(f"STOOK_GO_{name}", value)
        return shop

    return open_


@pytest.fixture
def shop(open_go_shop: Callable[..., Any]) -> Any:
    """A shop on the sample world."""
    return open_go_shop(sample_world())


def crowd(count: int) -> World:
    """Many modules of one version each, a millisecond apart."""
    world = World()
    start = datetime(2024, 1, 1)
    for number in range(count):
        world.announce(f"example.com/m{number}", "v1.0.0", time=start + timedelta(milliseconds=number))
    return world


def table(shop: Any, name: str, *columns: str) -> list[Any]:
    chosen = ", ".join(columns) or "*"
    return sorted(shop.sql(f"SELECT {chosen} FROM {name}"))


def whole(shop: Any) -> dict[str, list[Any]]:
    """The Go tables without what says when and how we worked."""
    found = {}
    for name in (LIST, "TB_COMP_LIB_VERSION_GOLANG", "TB_COMP_LIB_PRODUCT_GOLANG", "TB_COMP_LIB_HISTORY"):
        columns = [
            row[1]
            for row in shop.sql(f"PRAGMA table_info({name})")
            if row[1] not in (*TIMES, "SEEN_AT", "LISTED_SINCE")
        ]
        found[name] = sorted(map(repr, table(shop, name, *columns)))
    return found


def events(shop: Any) -> set[tuple[str, str]]:
    return {(one.path, one.version) for one in shop.world.go.events}


def test_index(shop: Any) -> None:
    """The feed fills the list, each event once; a second walk writes nothing."""
    report = shop.report("go", "index")
    assert (report["counts"], report["rows"]["written"], report["failures"]) == ({"pending": 1}, 39, [])
    assert set(table(shop, LIST, "INDEX_PATH", "INDEX_VERSION")) == events(shop)
    assert report["notes"]["cursor"] == "2026-01-05T12:07:00Z"
    before = table(shop, LIST)
    report = shop.report("go", "index")
    assert (report["rows"]["written"], table(shop, LIST)) == (0, before)


def test_which_feed(open_go_shop: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the two feeds has a cursor of its own."""
    shop = open_go_shop(sample_world(), FEED="default")
    assert shop.report("go", "index")["rows"]["written"] == 38  # one is withdrawn
    monkeypatch.setenv("STOOK_GO_FEED", "all")
    assert shop.report("go", "index")["rows"]["written"] == 1
    assert {row[0] for row in table(shop, "TB_CRAWLER_STATUS", "TYPE")} == {"go-feed:all", "go-feed:default"}


def test_pages(open_go_shop: Callable[..., Any]) -> None:
    """`--pages` stops a walk, the next goes on from there; what is new later is found then."""
    shop = open_go_shop(crowd(2500))
    for count in (2000, 2500):
        shop.report("go", "index", "--pages", "1")
        assert len(table(shop, LIST, "ID")) == count
    shop.report("go", "index")
    shop.world.announce("example.com/new", "v1.0.0")
    shop.report("go", "index")
    assert set(table(shop, LIST, "INDEX_PATH", "INDEX_VERSION")) == events(shop)


def test_until_and_on(open_go_shop: Callable[..., Any]) -> None:
    """A walk up to an end can be taken up again."""
    shop = open_go_shop(crowd(2500))
    shop.report("go", "index", "--until", "2024-01-01T00:00:01Z")
    assert len(table(shop, LIST, "ID")) == 2000
    shop.report("go", "index")
    assert len(table(shop, LIST, "ID")) == 2500


@pytest.mark.parametrize("end", ["2024-01-01T00:00:01Z", "2024-01-01T00:00:03Z"])
def test_work_after_a_walk_to_an_end(open_go_shop: Callable[..., Any], end: str) -> None:
    """Whoever works follows the feed, also past the end of a walk, whether that had come so far or not."""
    shop = open_go_shop(crowd(4500))
    shop.report("go", "index", "--until", end, "--pages", "1")
    assert len(table(shop, LIST, "ID")) == 2000
    process, tick = shop.start("work", "go"), Event()
    for _ in range(2000):
        if len(table(shop, LIST, "ID")) == 4500 or process.poll() is not None:
            break
        tick.wait(0.01)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert len(table(shop, LIST, "ID")) == 4500


def test_tail(open_go_shop: Callable[..., Any]) -> None:
    """With `--tail-from` the newest come first, the past beside; stopped and started, it leaves no hole."""
    shop = open_go_shop(crowd(4500))
    shop.report("go", "index", "--tail-from", "2024-01-01T00:00:03Z", "--pages", "2")
    assert 0 < len(table(shop, LIST, "ID")) < 4500
    shop.report("go", "index")
    assert set(table(shop, LIST, "INDEX_PATH", "INDEX_VERSION")) == events(shop)
    (row,) = [one for one in json.loads(shop.run("queue", "status", "--json").stdout) if one.get("feeds")]
    assert {one["feed"]: one["cursor"] for one in row["feeds"]}["all"] == "2024-01-01T00:00:04.499Z"
    assert "go-feed:all" in shop.run("queue", "status", "--registry", "go").stdout
    assert "new database" in shop.run("go", "index", "--tail-from", "2024-01-01", code=2).stderr


def test_a_tail_in_the_future(shop: Any) -> None:
    """A tail that begins later than now would leave a hole."""
    assert "lies ahead" in shop.run("go", "index", "--tail-from", "2999-01-01", code=2).stderr


def test_window(open_go_shop: Callable[..., Any]) -> None:
    """A window is walked again as often as asked: what is missing comes back, nothing else changes."""
    shop = open_go_shop(crowd(50))
    shop.report("go", "index")
    before = table(shop, LIST, "INDEX_PATH", "PROCESSED", "TIMESTAMP_RAW")
    for _ in range(2):
        shop.sql(f"DELETE FROM {LIST} WHERE INDEX_PATH = 'example.com/m7'")
        report = shop.report("go", "index", "--since", "2024-01-01", "--until", "2024-01-02")
        assert report["rows"] == {"written": 1, "unchanged": 49}
        assert table(shop, LIST, "INDEX_PATH", "PROCESSED", "TIMESTAMP_RAW") == before
    assert "not a date" in shop.run("go", "index", "--since", "soon", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--since", "2024-01-02", "--until", "2024-01-01"], "--since 2024-01-02T00:00:00Z is not before --until 2024"),
        (["--since", "2024-01-02", "--until", "2024-01-02"], "is not before --until"),
        (["--since", "2999-01-01"], "--since 2999-01-01T00:00:00Z lies ahead"),
        (["--since", "2024-01-01", "--tail-from", "2024-01-02"], "give one of them"),
        (["--tail-from", "2024-01-02", "--until", "2024-01-01"], "--tail-from 2024-01-02T00:00:00Z is not before"),
    ],
)
def test_windows_that_hold_nothing(shop: Any, arguments: list[str], sentence: str) -> None:
    """A window with nothing in it, or two at once, is a mistake: it is told, and nobody is asked."""
    assert sentence in shop.run("go", "index", *arguments, code=2).stderr
    assert not shop.registry.requests


def test_an_index_that_nobody_answers_for(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing was read, the next thing is to try again, not to work on nothing."""
    monkeypatch.setenv("STOOK_GO_INDEX_URL", "http://127.0.0.1:9")
    assert "the same command again" in shop.report("go", "index", code=3)["next"][0]


def test_junk_and_bad_lines(shop: Any) -> None:
    """Junk is kept aside and reported once; a bad line fails its page, and the next run heals it."""
    shop.registry.fault("/go-index/", "garbage", first=1)
    report = shop.report("go", "index", code=1)
    assert (table(shop, LIST), report["failures_total"]) == ([], 1)
    assert "line" in report["failures"][0]["reason"]
    shop.world.announce("example.com/x", "")
    report = shop.report("go", "index", code=1)
    assert (report["failures"][0]["event"], report["failures"][0]["reason"]) == ("example.com/x@", "version is empty")
    assert table(shop, LIST, "INDEX_PATH", "PROCESSED")[0] == ("example.com/x", 3)
    assert shop.report("go", "index")["failures"] == []


def test_work(shop: Any) -> None:
    """Index, then work: every event has come to its end, or waits for its second look."""
    shop.report("go", "index")
    report = shop.report("work", "go", "--once", code=1)
    found = dict(shop.sql(f"SELECT PROCESSED, count(*) FROM {LIST} GROUP BY 1"))
    assert found == {0: 3, 1: 23, 6: 13}
    assert {one["event"] for one in report["failures"]} == {
        "github.com/deep/kraken@v0.0.1",
        "github.com/deep/kraken@v0.0.0-20231031000000-666666666666",
        f"{LAMP}@v0.2.0",
    }
    assert all("/cached-only/" in one.path for one in shop.asked("/go-proxy/"))
    products = {row[0]: row[1:] for row in table(shop, "TB_COMP_LIB_PRODUCT_GOLANG", "PRODUCT_KEY", "LATEST_VERSION")}
    assert products[LAMP] == ("v1.2.0",)
    assert products[KNOTS] == ("v3.0.0+incompatible",)
    assert len(products) == 6
    before = whole(shop)
    shop.sql(f"UPDATE {LIST} SET DUE_AT = datetime('now') WHERE PROCESSED = 0")
    report = shop.report("work", "go", "--once", code=1)
    assert report["counts"] == {"complete": 1, "failed": 1, "not_found": 1}
    assert before != whole(shop)


def test_resync(shop: Any) -> None:
    """`queue resync` collects again, writes what it finds, and leaves every fact as it was."""
    shop.report("go", "collect", KNOTS)
    before = whole(shop)
    shop.run("queue", "resync", "--registry", "go", "--where", f"name={KNOTS}")
    report = shop.report("work", "go", "--once")
    assert report["notes"]["written_by_table"]["version"] == 4
    assert whole(shop) == before
    assert shop.sql(f"SELECT sum(RESYNC), sum(DUE_AT IS NOT NULL) FROM {LIST}") == [(0, 0)]


def retell(world: World) -> None:
    """From now on the proxy serves another go.mod of every version."""
    for one in list(world.go.events):
        text = f"module {one.path}\n\ngo 1.99\n"
        world.announce(one.path, one.version, mod=text, time=one.announced, committed=one.committed)


def told(shop: Any) -> list[tuple[str, int, str | None]]:
    """Each event's path, whether it is to be collected again, and what is stored of its go.mod."""
    return shop.sql(
        f"SELECT INDEX_PATH, RESYNC, GO_VERSION FROM {LIST} JOIN TB_COMP_LIB_VERSION_GOLANG AS stored"
        " ON stored.PRODUCT_KEY = INDEX_PATH AND VERSION = INDEX_VERSION ORDER BY INDEX_PATH"
    )


def test_resync_reads_again(open_go_shop: Callable[..., Any]) -> None:
    """What `queue resync` names is read from the proxy again, and kept as it says now; other events are not asked."""
    shop = open_go_shop(crowd(3))
    shop.report("go", "index")
    shop.report("work", "go", "--once")
    retell(shop.world)
    shop.registry.requests.clear()
    shop.report("work", "go", "--once")
    assert shop.asked("go-proxy") == []
    shop.run("queue", "resync", "--registry", "go", "--where", "name=example.com/m1")
    shop.report("work", "go", "--once")
    assert told(shop) == [("example.com/m0", 0, None), ("example.com/m1", 0, "1.99"), ("example.com/m2", 0, None)]
    assert {one.path.partition("/@")[0].rpartition("/")[2] for one in shop.asked("go-proxy")} == {"m1"}
    shop.run("queue", "resync", "--registry", "go")
    shop.report("work", "go", "--once")
    assert {mod for _, _, mod in told(shop)} == {"1.99"}
    marked = shop.sql("SELECT QUEUE FROM TB_CRAWLER_POLL WHERE RESYNC = 1")
    assert {queue for (queue,) in marked} == {"go-feed", "go-pkgsite"}  # which is not read on, and has no such pages


def test_resync_and_sudden_death(open_go_shop: Callable[..., Any]) -> None:
    """Workers that are killed leave each event either still to be collected again, or collected as the proxy has it.

    Two of them, as an event that three workers died with is given up.
    """
    shop = open_go_shop(crowd(40), PROXY_GAP="0.005")
    shop.report("go", "index")
    shop.report("work", "go", "--once")
    retell(shop.world)
    shop.run("queue", "resync", "--registry", "go", "--where", "name=example.com/*")
    assert told(shop) == [(path, 1, None) for path, _, _ in told(shop)]
    tick, dice = Event(), random.Random(7)
    for _ in range(2):
        shop.registry.requests.clear()
        process = shop.start("work", "go", "--once")
        while not shop.registry.requests and process.poll() is None:
            tick.wait(0.01)
        tick.wait(dice.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert {(again, mod) for _, again, mod in told(shop)} <= {(1, None), (0, "1.99")}
    shop.report("work", "go", "--once")
    assert {(again, mod) for _, again, mod in told(shop)} == {(0, "1.99")}
    assert len(told(shop)) == 40


def test_withdrawn_later(shop: Any) -> None:
    """A version that the proxy no longer has leaves a tombstone and an entry of the history."""
    shop.report("go", "collect", KNOTS)
    shop.world.announce(KNOTS, "v1.1.0", fate="withdrawn")
    for code in (0, 1):
        shop.run("queue", "resync", "--registry", "go", "--where", "version=v1.1.0")
        shop.report("work", "go", "--once", code=1)
        assert shop.sql("SELECT count(*) FROM TB_COMP_LIB_HISTORY") == [(code,)]
    shown = shop.run("show", "go", KNOTS).stdout
    assert "gone" in shown
    assert "deleted" in shown
    assert shop.sql("SELECT PROCESSED FROM TB_COMP_LIB_VERSION_GOLANG WHERE VERSION = 'v1.1.0'") == [(5,)]


def test_collect(shop: Any) -> None:
    """Every version that the proxy lists of a module is stored, also what is not cached yet; again, nothing changes."""
    shop.world.announce("example.com/m", "v1.0.0", declares="example.com/m", fate="uncached")
    report = shop.report("go", "collect", KNOTS, "example.com/m")
    assert (report["failures"], report["counts"]["complete"]) == ([], 7)
    assert {row[0] for row in table(shop, "TB_COMP_LIB_PRODUCT_GOLANG", "PRODUCT_KEY")} == {KNOTS, "example.com/m"}
    before = whole(shop)
    report = shop.report("go", "collect", KNOTS, "example.com/m")
    assert (report["rows"]["written"], whole(shop)) == (0, before)
    report = shop.report("go", "collect", KNOTS, "--resync")
    assert (report["rows"]["written"] > 0, whole(shop)) == (True, before)


def test_collect_ends_when_all_is_done(open_go_shop: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """More versions than a claim holds, and a slow pkg.go.dev: every version has its row and its licence at the end."""
    world = World()
    for number in range(30):
        world.announce("example.com/many", f"v1.{number}.0")
    world.go.pages["example.com/many"] = PAGE
    shop = open_go_shop(world)
    shop.registry.fault("/pkgsite/", "latency", seconds=0.3)
    monkeypatch.setenv("STOOK_WORK_CLAIM", "7")
    report = shop.report("go", "collect", "example.com/many")
    assert (report["counts"], report["failures"]) == ({"complete": 61}, [])
    assert shop.sql("SELECT count(*), count(LICENSE) FROM TB_COMP_LIB_VERSION_GOLANG") == [(30, 30)]


def test_collect_leaves_a_backlog_alone(shop: Any) -> None:
    """What others have announced stays as it is: only the events of the named modules end."""
    shop.report("go", "index")
    shop.report("go", "collect", KNOTS)
    ended = shop.sql(f"SELECT DISTINCT INDEX_PATH FROM {LIST} WHERE PROCESSED <> 0")
    assert ended == [(KNOTS,)]


def test_collect_asks_for_pages_again(open_go_shop: Callable[..., Any]) -> None:
    """A licence that pkg.go.dev did not know yet is asked for again by the next collect."""
    world = World()
    world.announce("example.com/new", "v1.0.0")
    world.go.pages["example.com/new"] = PAGE
    shop = open_go_shop(world)
    fault = shop.registry.fault("/pkgsite/", "status", first=1, status=404)
    shop.report("go", "collect", "example.com/new")
    assert (shop.sql("SELECT LICENSE FROM TB_COMP_LIB_VERSION_GOLANG"), fault.first) == ([(None,)], 1)
    shop.report("go", "collect", "example.com/new")
    assert shop.sql("SELECT LICENSE FROM TB_COMP_LIB_VERSION_GOLANG") == [("MIT",)]


def test_collect_an_alias(shop: Any) -> None:
    """What an alias names is collected in the same run, under the path that go.mod declares."""
    shop.report("go", "collect", "gitlab.com/keepers-guild/lamp")
    assert table(shop, "TB_COMP_LIB_VERSION_GOLANG", "PRODUCT_KEY", "VERSION") == [(LAMP, "v0.3.0"), (LAMP, "v1.2.0")]
    shown = shop.run("show", "go", "gitlab.com/keepers-guild/lamp")
    assert shown.stdout.startswith(f"{LAMP} v1.2.0")
    assert f"is another name of {LAMP}" in shown.stderr


def test_collect_in_any_order(open_go_shop: Callable[..., Any]) -> None:
    """Whether an alias or its declared path is seen first, the rows are the same."""
    found = []
    for paths in ((LAMP, "gitlab.com/keepers-guild/lamp"), ("gitlab.com/keepers-guild/lamp", LAMP)):
        shop = open_go_shop(sample_world())
        for path in paths:
            shop.report("go", "collect", path, code=None)
        found.append({name: rows for name, rows in whole(shop).items() if name != LIST})
    assert found[0] == found[1]


def test_collect_nothing(shop: Any) -> None:
    """A module that the proxy does not have is a failure; a path that is none, a mistake."""
    report = shop.report("go", "collect", "example.com/none", code=1)
    assert (report["failures"][0]["error"], report["next"]) == ("not_found", [])
    assert "not a module path" in shop.run("go", "collect", "No Path", code=2).stderr


def test_published_later(shop: Any) -> None:
    """What is published after the first look is news, and so is the latest version that it becomes."""
    shop.report("go", "collect", KNOTS)
    assert shop.history() == []
    tomorrow = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=1)
    shop.world.announce(KNOTS, "v4.0.0+incompatible", time=tomorrow)
    shop.report("go", "collect", KNOTS)
    assert sorted(one[1:] for one in shop.history()) == [
        ("latest_changed", "v4.0.0+incompatible"),
        ("published", "v4.0.0+incompatible"),
    ]


def test_published_late(open_go_shop: Callable[..., Any]) -> None:
    """A version that the earlier list lacked is news, however old its commit is; the first list is none."""
    world = World()
    world.announce("example.com/late", "v1.0.0", time=datetime(2024, 1, 1))
    shop = open_go_shop(world)
    shop.report("go", "collect", "example.com/late")
    assert shop.history() == []
    shop.world.announce("example.com/late", "v0.9.0", time=datetime(2020, 1, 1))
    shop.report("go", "collect", "example.com/late")
    assert [one[1:] for one in shop.history()] == [("published", "v0.9.0")]


def test_moved(open_go_shop: Callable[..., Any]) -> None:
    """A module whose newest version declares another path says where it is now, and since which version."""
    world = World()
    for version, path in (("v1.0.0", "example.com/old"), ("v1.1.0", "example.com/new"), ("v1.2.0", "example.com/new")):
        world.announce("example.com/old", version, declares=path)
    shop = open_go_shop(world)
    shop.report("go", "collect", "example.com/old")
    shown = shop.run("show", "go", "example.com/old").stdout
    assert "to example.com/new since v1.1.0" in shown
    assert "its go.mod declares example.com/new" in shown


def test_show(shop: Any) -> None:
    """A module's page has its facts and versions; a version's page what it requires; `--json` all of it."""
    shop.report("go", "collect", LAMP, code=1)
    shown = shop.run("show", "go", LAMP).stdout
    assert shown.startswith(f"{LAMP} v1.2.0\n")
    for text in ("MIT", f"pkg:golang/{LAMP}", "8, 2 of them retracted"[1:], "retracted: Went out at dusk.", "1.22"):
        assert text in shown
    shown = shop.run("show", "go", LAMP, "v1.2.0").stdout
    for text in (f"{LAMP} v1.2.0\n", "github.com/keepers-guild/knots/v2", "v2.0.0", "h1:"):
        assert text in shown
    found = json.loads(shop.run("show", "go", LAMP, "--json").stdout)
    assert found["product"]["LATEST_VERSION"] == "v1.2.0"
    assert [one["SORT_ORDER"] for one in found["versions"]] == sorted(range(len(found["versions"])), reverse=True)
    assert found["versions"][0]["DEPENDENCIES"] == [
        {"name": "github.com/keepers-guild/knots/v2", "req": "v2.0.0", "indirect": False}
    ]
    assert "has no version" in shop.run("show", "go", LAMP, "v9.9.9", code=2).stderr
    assert "stook go collect example.com/x" in shop.run("show", "go", "example.com/x", code=2).stderr
    for arguments in ([""], ["\udcff"], ["no path"], [LAMP, "\udcff"]):
        assert "Error: not a " in shop.run("show", "go", *arguments, code=2).stderr


def test_deprecated(shop: Any) -> None:
    """A deprecated module says so first."""
    shop.report("go", "collect", "github.com/keepers-guild/foghorn")
    assert (
        "deprecated    use github.com/keepers-guild/lamp"
        in shop.run("show", "go", "github.com/keepers-guild/foghorn").stdout
    )


def test_sudden_death(open_go_shop: Callable[..., Any]) -> None:
    """A walk that is killed wherever it is loses nothing and doubles nothing; each page is kept whole or not at all."""
    shop = open_go_shop(crowd(4500))
    tick, dice = Event(), random.Random(7)
    for _ in range(4):
        process = shop.start("go", "index", "--pages", "2")
        tick.wait(0.35 + dice.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        cursor = shop.sql("SELECT CURSOR FROM TB_CRAWLER_STATUS")
        assert (len(table(shop, LIST, "ID")) > 0) == bool(cursor)
    shop.report("go", "index")
    assert set(table(shop, LIST, "INDEX_PATH", "INDEX_VERSION")) == events(shop)


def test_one_failing_write(open_go_shop: Callable[..., Any]) -> None:
    """A page that cannot be written leaves the cursor where it was; the next run writes it."""
    shop = open_go_shop(crowd(2500))
    for place in (0, 2400):
        shop.sql(
            f"CREATE TRIGGER full BEFORE INSERT ON {LIST} WHEN NEW.INDEX_PATH = 'example.com/m{place}'"
            " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
        report = shop.report("go", "index", code=1)
        assert "the disk is full" in report["failures"][0]["reason"]
        assert len(table(shop, LIST, "ID")) in (0, 2000)
        shop.sql("DROP TRIGGER full")
    assert shop.report("go", "index")["failures"] == []
    assert set(table(shop, LIST, "INDEX_PATH", "INDEX_VERSION")) == events(shop)


def test_lock(open_go_shop: Callable[..., Any], tmp_path: Path) -> None:
    """What a go.mod pins is collected and compared: unknown, retracted and another checksum are named."""
    world = World()
    for version in ("v1.0.0", "v1.1.0"):
        world.announce("example.com/a", version)
    world.announce("example.com/b", "v1.0.0")
    world.announce("example.com/b", "v1.1.0", mod="module example.com/b\n\nretract v1.0.0 // broken\n")
    shop = open_go_shop(world)
    requires = [
        "example.com/a v1.0.0",
        "example.com/a v1.9.0 // indirect",
        "example.com/b v1.0.0",
        "example.com/none v1.0.0",
    ]
    folder = tmp_path / "service"
    folder.mkdir()
    (folder / "go.mod").write_text("module example.com/service\n\n" + "".join(f"require {each}\n" for each in requires))
    (folder / "go.sum").write_text("example.com/a v1.0.0/go.mod h1:other=\n")
    report = shop.report("go", "collect", "--lock", str(folder), code=1)
    named = sorted(failure["event"] for failure in report["failures"] if failure["code"] == "pin")
    assert named == ["example.com/a@v1.0.0", "example.com/a@v1.9.0", "example.com/b@v1.0.0", "example.com/none@v1.0.0"]
    columns = ("PROJECT", "PRODUCT_KEY", "VERSION", "DIRECT", "STATE")
    assert table(shop, "TB_COMP_LIB_PIN", *columns) == [
        ("example.com/service", "example.com/a", "v1.0.0", 1, "checksum_differs"),
        ("example.com/service", "example.com/a", "v1.9.0", 0, "unknown_version"),
        ("example.com/service", "example.com/b", "v1.0.0", 1, "retracted"),
        ("example.com/service", "example.com/none", "v1.0.0", 1, "unknown_package"),
    ]
    assert table(shop, "TB_COMP_LIB_VERSION_GOLANG", "PRODUCT_KEY", "VERSION")[1] == ("example.com/a", "v1.1.0")
