"""`stook show cargo`: what is stored of a crate, or of one version."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from stook.testing import sample_world

TIMES = frozenset({"CREATED", "TIMESTAMP", "RELEASE_DATE", "SEEN_AT"})


@pytest.fixture
def filled(open_shop: Callable[..., Any]) -> Any:
    """A shop that has collected a crate of the sample world, and a day later once more."""
    shop = open_shop(sample_world())
    shop.report("cargo", "collect", "harbourmaster", "night_log-book")
    shop.world.publish("harbourmaster", "9.0.0", deps=["oar ^1 as=paddle optional on=cfg(unix)", "keeper ^1 dev bare"])
    shop.report("cargo", "collect", "harbourmaster")
    return shop


def test_crate(filled: Any) -> None:
    """A crate's page has its facts, its highest versions and what changed."""
    shown = filled.run("show", "cargo", "HarbourMaster").stdout
    assert shown.startswith("harbourmaster 9.0.0\n")
    for text in ("pkg:cargo/harbourmaster", "27, 3 of them yanked", "12 more: --all", "published", "latest_changed"):
        assert text in shown
    assert "more: --all" not in filled.run("show", "cargo", "harbourmaster", "--all").stdout


def test_a_description_of_several_lines(shop: Any) -> None:
    """What an owner writes stays beside its name, on every page, and passes for no other fact."""
    shop.world.publish("crate-0", "9.0.0", description="Small.\nlicense       MIT-0")
    shop.report("cargo", "collect", "crate-0")
    for arguments in (["crate-0"], ["crate-0", "9.0.0"]):
        lines = shop.run("show", "cargo", *arguments).stdout.splitlines()
        assert not any(line.startswith("license       MIT-0") for line in lines)
        assert any(line.endswith(" license       MIT-0") for line in lines)


def test_version(filled: Any) -> None:
    """A version's page has its dependencies, by both names where one is renamed."""
    shown = filled.run("show", "cargo", "harbourmaster", "9.0.0").stdout
    assert shown.startswith("harbourmaster 9.0.0\n")
    for text in ("paddle", "oar", "optional, cfg(unix)", "keeper", "no default features"):
        assert text in shown


def test_json(filled: Any) -> None:
    """`--json` has product, versions from the highest down, and history."""
    found = json.loads(filled.run("show", "cargo", "night_log-book", "--json").stdout)
    assert found["product"]["NAME"] == "Night_Log-Book"
    assert len(found["versions"]) == 7
    orders = [one["SORT_ORDER"] for one in found["versions"]]
    assert orders == sorted(orders, reverse=True)
    times = [
        row[name] for row in (*found["versions"], *found["history"]) for name in row if name in TIMES and row[name]
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", time) for time in times), times
    assert times
    one = json.loads(filled.run("show", "cargo", "harbourmaster", "9.0.0", "--json").stdout)
    assert [version["VERSION"] for version in one["versions"]] == ["9.0.0"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "stook cargo collect nowhere"),
        (["harbourmaster", "0.0.99"], "has no version '0.0.99'"),
        ([""], "not a crate name: ''"),
        (["\udcff"], "not a crate name"),
        (["harbourmaster", "\udcff"], "not a version"),
        (["night-log_book"], "did you mean Night_Log-Book?"),
    ],
)
def test_missing(filled: Any, arguments: list[str], sentence: str) -> None:
    """What is not stored ends with 2 and says what to do."""
    assert sentence in filled.run("show", "cargo", *arguments, code=2).stderr
