"""`stook feed`: how far feeds were read, and reading them again; and what `work --once` leaves alone."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from stook.testing import World

LIST = "TB_COMP_LIB_GOLANG_LIST_V2"


@pytest.fixture
def go_shop(open_shop: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A shop whose Go index has three pages of modules."""
    world, start = World(), datetime(2024, 1, 1)
    for number in range(4500):
        world.announce(f"example.com/m{number}", "v1.0.0", time=start + timedelta(seconds=number))
    shop = open_shop(world)
    registry = shop.registry
    told = {"INDEX_URL": registry.go_index_url, "PROXY_URL": registry.go_proxy_url, "PKGSITE_URL": registry.pkgsite_url}
    for name, value in (told | {"INDEX_GAP": "0", "PROXY_GAP": "0", "PKGSITE_GAP": "0"}).items():
        monkeypatch.setenv(f"STOOK_GO_{name}", value)
    return shop


def known(shop: Any) -> int:
    return int(shop.sql(f"SELECT count(*) FROM {LIST}")[0][0])


def test_work_once_opens_no_new_stretch(go_shop: Any) -> None:
    """What a bounded walk announced is done by `work --once`; only with --follow is the feed read on."""
    go_shop.report("go", "index", "--pages", "1")
    assert known(go_shop) == 2000
    go_shop.run("queue", "resync", "--product", "go", "--where", "name=no-such-module")
    go_shop.sql(f"UPDATE {LIST} SET PROCESSED = 1, DUE_AT = NULL")
    go_shop.report("work", "go", "--once")
    assert known(go_shop) == 2000
    go_shop.sql("UPDATE TB_CRAWLER_POLL SET DUE_AT = '2020-01-01T00:00:00.000000' WHERE QUEUE = 'go-feed'")
    go_shop.run("work", "go", "--once", "--follow", "--json", code=None)
    assert known(go_shop) == 4500


def test_show_and_reset(go_shop: Any) -> None:
    """A feed that is set back is read again from there; what is known stays, what is missing comes."""
    go_shop.report("go", "index")
    (feed,) = json.loads(go_shop.run("feed", "show", "--json").stdout)["feeds"]
    assert (feed["feed"], feed["cursor"], feed["gaps"]) == ("go-feed:default", "2024-01-01T01:14:59Z", [])
    assert "go-feed:default" in go_shop.run("feed", "show").stdout
    go_shop.sql(f"DELETE FROM {LIST} WHERE INDEX_PATH = 'example.com/m100'")
    go_shop.run("feed", "reset", "go-feed:default", "--to", "2024-01-01")
    go_shop.report("go", "index")
    assert known(go_shop) == 4500


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["go-feed:other"], "there is no feed"), (["go-feed:default", "--to", "yesterday"], "not a date")],
)
def test_mistakes(go_shop: Any, arguments: list[str], sentence: str) -> None:
    """A feed that is not there, or a moment that is none, is a sentence and exit code 2."""
    go_shop.report("go", "index", "--pages", "1")
    assert sentence in go_shop.run("feed", "reset", *arguments, code=2).stderr
