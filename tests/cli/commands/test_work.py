"""`stook work`: an operator's SQL, signals, sudden death, two workers, and a registry of somebody else's."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

NAMES = tuple(f"crate-{number}" for number in range(4))


def test_once(shop: Any) -> None:
    """`work --once` ends when nothing is due, and says so in the same report."""
    report = shop.report("work", "cargo", "--once")
    assert (report["command"], report["counts"], shop.registry.requests) == ("work cargo", {}, [])


def test_an_operators_sql(shop: Any) -> None:
    """RESYNC set by SQL collects that crate again, once, and is cleared."""
    shop.report("cargo", "collect", *NAMES)
    shop.sql("UPDATE TB_COMP_LIB_RUST_LIST SET LAST_STATUS=200 WHERE CRATE_NAME='crate-2'")
    before = shop.tables()
    shop.registry.requests.clear()
    shop.sql(
        "UPDATE TB_COMP_LIB_RUST_LIST SET RESYNC=1, PROCESSED=0, DUE_AT=datetime('now') WHERE CRATE_NAME='crate-2'"
    )
    report = shop.report("work", "cargo", "--once")
    assert report["counts"] == {"complete": 4}  # three versions, and the enrichment that follows
    assert [one.path.rpartition("/")[2] for one in shop.registry.requests] == ["crate-2", "crate-2"]
    assert shop.registry.requests[0].status == 200
    assert shop.tables() == before
    shop.report("work", "cargo", "--once")
    assert len(shop.registry.requests) == 2


def test_unknown_registry(shop: Any) -> None:
    """An unknown registry is told those there are."""
    assert "cargo" in shop.run("work", "carg", code=2).stderr


def wait_for(shop: Any, what: str, count: int, process: subprocess.Popen[str]) -> None:
    """Until the registry was asked so often, or the process ended."""
    tick = Event()
    for _ in range(2000):
        if len(shop.asked(what)) >= count or process.poll() is not None:
            return
        tick.wait(0.01)
    raise AssertionError(f"{what} was not asked {count} times")


@pytest.fixture
def slow_shop(open_shop: Callable[..., Any], make_world: Callable[..., Any]) -> Any:
    """Twelve crates, whose API takes a while."""
    return open_shop(make_world(12, 2), STOOK_CARGO_API_GAP="0.2")


CRATES = tuple(f"crate-{number}" for number in range(12))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(slow_shop: Any, monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    """Ctrl-C, SIGTERM and SIGHUP end with 130 and a report; what was kept is whole, and the next run does the rest."""
    process = slow_shop.start("cargo", "collect", *CRATES, "--json")
    wait_for(slow_shop, "crates-api", 2, process)
    process.send_signal(number)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 130, f"{out}{error}"
    assert "Traceback" not in error
    report = json.loads(out)
    assert report["counts"]["complete"] > 0
    assert report["next"] == ["the same command again: it goes on where this run stopped"]
    assert number.name in report["notes"]["interrupted"]
    assert slow_shop.sql("PRAGMA integrity_check") == [("ok",)]
    monkeypatch.setenv("STOOK_CARGO_API_GAP", "0")
    slow_shop.report("cargo", "collect", *CRATES)
    assert all(row["LICENSE"] for row in slow_shop.tables()["VERSION_RUST"])
    assert len(slow_shop.tables()["VERSION_RUST"]) == 24


def test_terminated_worker(slow_shop: Any) -> None:
    """A worker that runs until stopped ends well when it is stopped."""
    process = slow_shop.start("work", "cargo", "--json")
    slow_shop.sql(
        "INSERT INTO TB_CRAWLER_POLL (ID, QUEUE, NAME, DUE_AT, CREATED, LAST_UPDATED) VALUES"
        " (zeroblob(24), 'cargo-index', 'crate-1', datetime('now'), datetime('now'), datetime('now'))"
    )
    wait_for(slow_shop, "crate-1", 1, process)
    process.send_signal(signal.SIGTERM)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 0, error
    assert json.loads(out)["command"] == "work cargo"


def test_killed_again_and_again(
    open_shop: Callable[..., Any], make_world: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at random moments and started again each time, a run ends with the tables of an undisturbed one."""
    names = [f"crate-{number}" for number in range(60)]
    shop = open_shop(make_world(60, 4), STOOK_CARGO_API_GAP="0.01")
    chance, killed = random.Random(7), 0
    for _ in range(6):
        process = shop.start("cargo", "collect", *names)
        seen = len(shop.registry.requests)
        tick = Event()
        while len(shop.registry.requests) == seen and process.poll() is None:
            tick.wait(0.005)
        tick.wait(chance.random() * 0.35)
        process.kill()
        process.communicate(timeout=30)
        killed += process.returncode == -signal.SIGKILL
    assert killed >= 4
    shop.report("cargo", "collect", *names)
    disturbed = shop.tables()
    assert shop.sql("PRAGMA integrity_check") == [("ok",)]
    shop.database = shop.database.with_name("undisturbed.db")
    monkeypatch.setenv("STOOK_DB", f"sqlite:///{shop.database.as_posix()}")
    shop.report("cargo", "collect", *names)
    assert disturbed == shop.tables()
    assert len(disturbed["VERSION_RUST"]) == 240


def test_two_at_once(open_shop: Callable[..., Any], make_world: Callable[..., Any]) -> None:
    """Two processes on one SQLite file share the work: no crate is asked for twice, and both end well."""
    names = [f"crate-{number}" for number in range(40)]
    shop = open_shop(make_world(40, 3))
    both = [shop.start("cargo", "collect", *names, "--json") for _ in range(2)]
    ended = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    asked = Counter(one.path for one in shop.asked("crates-api"))
    assert set(asked.values()) == {1}
    assert len(asked) == 40
    assert len(shop.tables()["VERSION_RUST"]) == 120
    assert shop.tables()["HISTORY"] == []


def test_the_other_one_dies(slow_shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed process held is done by the one that still runs, without waiting for the lease."""
    monkeypatch.setenv("STOOK_CARGO_API_GAP", "0.5")
    first = slow_shop.start("cargo", "collect", *CRATES)
    wait_for(slow_shop, "crates-index", 12, first)
    monkeypatch.setenv("STOOK_CARGO_API_GAP", "0")
    second = slow_shop.start("cargo", "collect", *CRATES, "--json")
    wait_for(slow_shop, "crates-index", 13, second)  # it has announced all of them again …
    Event().wait(1.5)  # … and waits for those that the first one holds
    first.kill()
    first.communicate(timeout=10)
    assert first.returncode == -signal.SIGKILL
    out, error = second.communicate(timeout=60)
    assert second.returncode == 0, f"{out}{error}"
    assert all(row["LICENSE"] for row in slow_shop.tables()["VERSION_RUST"])
    assert len(slow_shop.tables()["VERSION_RUST"]) == 24


TOY = '''
"""A product of one thing, in a package of its own."""
from dataclasses import dataclass
from stook.engine.ledger import poll_queue
from stook.engine.words import Code, Found, Outcome, Request, Written
from stook.run.product import NoSettings, Product

QUEUE = poll_queue("toy", "toy")

@dataclass(frozen=True)
class Toys:
    url: str
    tasks: int
    batch: int
    name: str = "toys"
    queues: tuple = ("toy",)

    def visit(self, events):
        reply = yield Request(self.url + events[0].name, lane="toy")
        return Found(Outcome(Code.COMPLETE, status=reply.status), records=[reply.body])

    def keep(self, transaction, records, now):
        return Written({"toys": len(records)})

def sources(options, tasks, batch):
    import os
    return [Toys(os.environ["TOY_URL"], tasks, batch)]

PRODUCT = Product("toy", "Toys", NoSettings, lambda: (QUEUE,), sources)
'''


def test_somebody_elses_product(shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that announces a product works with `stook work`, without an edit anywhere."""
    (tmp_path / "stook_toy_worked.py").write_text(TOY)
    info = tmp_path / "stook_toy_worked-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stook-toy-worked\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[stook.products]\ntoy = stook_toy_worked:PRODUCT\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TOY_URL", f"{shop.registry.index_url}cr/at/")
    from stook.engine.words import Announcement
    from stook.run.build import open_ledger
    from stook.run.products import read_settings

    with open_ledger(read_settings({"STOOK_DB": f"sqlite:///{shop.database.as_posix()}"}, tmp_path, {})) as ledger:
        ledger.announce([Announcement("toy", "crate-1"), Announcement("toy", "crate-2")])
    report = shop.report("work", "toy", "--once")
    assert report["counts"] == {"complete": 2}
    assert report["notes"]["written_by_table"] == {"toys": 2}
    assert "toy" in shop.run("queue", "status").stdout
