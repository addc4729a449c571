"""`stook queue`: looking at the queues, and steering them."""

from __future__ import annotations

import json
import os
from contextlib import redirect_stdout
from datetime import datetime
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stook.engine.ledger.operate import COUNT_LIMIT
from stook.engine.words import Announcement
from stook.run.build import open_ledger
from stook.run.loop import source_status
from stook.run.products import read_settings
from stook.run.report import SOURCES, Report
from stook.run.report_view import show_report

NAMES = tuple(f"crate-{number}" for number in range(4))


def status(shop: Any) -> dict[str, dict[str, Any]]:
    rows = json.loads(shop.run("queue", "status", "--registry", "cargo", "--json").stdout)
    return {row["queue"]: row for row in rows}


def test_status(shop: Any) -> None:
    """Each queue tells what is ready, waiting and held, and how long the oldest has been ready."""
    shop.registry.fault("crate-1$", "status", status=500)
    shop.report("cargo", "collect", *NAMES, code=1)
    assert status(shop)["cargo-index"] == {
        "queue": "cargo-index",
        "ready": 0,
        "waiting": 1,
        "held": 0,
        "lag_seconds": None,
    }
    shown = shop.run("queue", "status").stdout
    assert "cargo-index" in shown
    assert "waiting" in shown


def test_what_remains_of_much(shop: Any) -> None:
    """Where counting stopped the report says so, instead of a number that is only where it stopped."""
    with open_ledger(read_settings(os.environ, Path.cwd())) as ledger:
        for kind in ("index", "api"):
            ledger.announce([Announcement(f"cargo-{kind}", f"n{number}") for number in range(COUNT_LIMIT + 5)])
        both = SimpleNamespace(name="both", queues=("cargo-index", "cargo-api"))
        line = source_status(ledger, both, 3)  # type: ignore[arg-type]
    assert line == {"source": "both", "visits": 3, "remaining": COUNT_LIMIT + 1}
    report = Report("work cargo", datetime(2026, 11, 1), notes={SOURCES: [line]})
    with redirect_stdout(StringIO()) as shown:
        show_report(report, as_json=False)
    assert "over 10,000" in shown.getvalue()


def changed(shop: Any, *arguments: str) -> dict[str, int]:
    found: dict[str, int] = json.loads(shop.run("queue", *arguments, "--json").stdout)["changed"]
    return {name: count for name, count in found.items() if count}


def test_retry(shop: Any) -> None:
    """`retry` brings forward what waits for a later try, as far as it matches; `work` then completes it."""
    shop.registry.fault("crate-[12]$", "status", status=500)
    shop.report("cargo", "collect", *NAMES, code=1)
    shop.registry.clear_faults()
    assert changed(shop, "retry", "--where", "name=crate-1", "--where", "status=404") == {}
    assert changed(shop, "retry", "--registry", "cargo", "--where", "name=crate-1", "--where", "status=500") == {
        "cargo-index": 1
    }
    assert shop.report("work", "cargo", "--once")["counts"] == {"complete": 2}
    assert changed(shop, "retry", "--where", "error~HTTP 500") == {"cargo-index": 1}


def test_resync(shop: Any) -> None:
    """`resync` asks again for what is complete."""
    shop.report("cargo", "collect", *NAMES)
    shop.registry.requests.clear()
    assert changed(shop, "resync", "--where", "name=crate-?", "--where", "version=1.0.0") == {"cargo": 4}
    shop.report("work", "cargo", "--once")
    assert len(shop.asked("crates-index")) == 4
    assert shop.sql("SELECT SUM(RESYNC) FROM TB_COMP_LIB_RUST_LIST") == [(0,)]


def test_revive(shop: Any) -> None:
    """`revive` makes what was not found pending again."""
    shop.report("cargo", "collect", "later", code=1)
    shop.world.publish("later", "1.0.0")
    assert changed(shop, "revive", "--where", "code=5") == {"cargo-index": 1}
    assert shop.report("work", "cargo", "--once")["counts"] == {"complete": 2}


@pytest.mark.parametrize("text", ["name", "colour=red", "code=x", "error=x", "version~1", "name=\udcff"])
def test_wrong_conditions(shop: Any, text: str) -> None:
    """What is no condition ends with 2 and says how to write one."""
    assert "name=GLOB" in shop.run("queue", "retry", "--where", text, code=2).stderr


def test_for_people(shop: Any) -> None:
    """Without --json each queue is a line."""
    shop.report("cargo", "collect", *NAMES)
    assert "cargo-index: 4 events" in shop.run("queue", "resync", "--registry", "cargo").stdout
