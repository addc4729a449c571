"""What `stook go collect` stores is what the real go command answers: run only where there is one."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from stook.cli.main import stook
from stook.registries.golang.latest import tagged_versions
from stook.registries.golang.paths import unescape_path, unescape_version
from stook.registries.golang.versions.versions import is_pseudo

from .gocommand import Go, write_module  # noqa: TID252
from .modules import Module, generate  # noqa: TID252
from .serving import serve  # noqa: TID252

SEED = 4711
GENERATED = 240
RECORDINGS = os.environ.get("STOOK_TEST_GO_RECORDINGS", "")


@dataclass(frozen=True)
class Side:
    """One module as we stored it: its product row, and its living versions in order."""

    product: dict[str, Any] | None
    versions: list[dict[str, Any]]


@dataclass(frozen=True)
class Market:
    """A proxy, the modules in it, what we stored of them, and where to ask."""

    url: str
    folder: Path
    modules: list[Module]
    ours: dict[str, Side]


def _generated() -> list[Module]:
    """Modules of all shapes; most go.mod files declare their own path, or we store nothing to compare."""
    random = Random(SEED)
    found = []
    for number in range(GENERATED):
        module = generate(random, number)
        own = {v: body.replace(b"example.org/renamed", module.path.encode()) for v, body in module.mods.items()}
        found.append(replace(module, mods=own) if number % 4 else module)
    return found


def _recorded() -> list[Module]:
    """Modules as the real proxy had them, as far as their documents were recorded."""
    told: dict[str, dict[str, str]] = defaultdict(dict)
    for place, reply in json.loads(Path(RECORDINGS).read_text()).items() if RECORDINGS else ():
        if reply["status_code"] == 200:
            path, _, file = place.partition("/@")
            told[unescape_path(path)][file] = reply.get("body", "")
    found = []
    for path, files in told.items():
        mods = {
            unescape_version(name.removesuffix(".mod").removeprefix("v/")): body.encode()
            for name, body in files.items()
            if name.endswith(".mod")
        }
        latest = json.loads(files["latest"])["Version"] if "latest" in files else ""
        found.append(Module(path, files.get("v/list", ""), mods, latest))
    return found


def _collect(url: str, modules: Iterable[str], folder: Path) -> dict[str, Side]:
    database = folder / "stook.db"
    told = {"STOOK_DB": f"sqlite:///{database.as_posix()}", "STOOK_GO_PROXY_URL": url, "STOOK_GO_PKGSITE_URL": url}
    told |= {"STOOK_GO_PROXY_GAP": "0", "STOOK_GO_PKGSITE_GAP": "0", "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8"}
    told |= {"STOOK_LOG": "error", "STOOK_CONTACT": "tester@stook.invalid"}
    result = CliRunner(env=told).invoke(stook, ["go", "collect", *modules, "--json"], prog_name="stook")
    assert result.exit_code in (0, 1), result.output
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    rows = [dict(row) for row in connection.execute("SELECT * FROM TB_COMP_LIB_VERSION_GOLANG ORDER BY SORT_ORDER")]
    products = {row["PRODUCT_KEY"]: dict(row) for row in connection.execute("SELECT * FROM TB_COMP_LIB_PRODUCT_GOLANG")}
    connection.close()
    versions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        versions[row["PRODUCT_KEY"]].append(row)
    return {path: Side(products.get(path), versions[path]) for path in {*products, *versions, *modules}}


@pytest.fixture(scope="module")
def market(go: Go, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    """All modules on loopback, and collected."""
    folder = tmp_path_factory.mktemp("market")
    modules = [*_generated(), *_recorded()]
    for module in modules:
        write_module(folder / "proxy", module.path, module.listing, module.mods, module.latest)
    with serve(folder / "proxy") as url:
        yield Market(url, folder, modules, _collect(url, [module.path for module in modules], folder))


def _ask(go: Go, market: Market, flags: Iterable[str], queries: Iterable[str]) -> dict[str, dict[str, Any]]:
    place = market.folder / "main"
    place.mkdir(exist_ok=True)
    (place / "go.mod").write_text("module main\n\ngo 1.21\n")
    names = list(queries)
    text = go.run("list", "-m", "-e", "-json", *flags, *names, cwd=place, proxy=market.url)
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    assert len(found) == len(names)
    return dict(zip(names, found, strict=True))


def _compared(market: Market) -> list[tuple[Module, Side]]:
    """The modules of which a version is theirs: others have no rows to compare."""
    return [(module, market.ours[module.path]) for module in market.modules if market.ours[module.path].product]


def test_enough(market: Market) -> None:
    """There is much to compare, and something in every respect."""
    sides = [side for _, side in _compared(market)]
    assert len(sides) >= 150
    rows = [row for side in sides for row in side.versions]
    assert len(rows) > 500
    assert sum(row["RETRACTED"] for row in rows) > 50
    assert sum(side.product["DEPRECATED"] for side in sides if side.product) > 20


def test_latest(go: Go, market: Market) -> None:
    """LATEST_VERSION is the go command's `@latest`, or both have none; LATEST_RAW is what it says of retracted ones."""
    compared = _compared(market)
    queries = [f"{module.path}@latest" for module, _ in compared]
    told, raw = _ask(go, market, (), queries), _ask(go, market, ("-retracted",), queries)
    for (module, side), query in zip(compared, queries, strict=True):
        assert side.product
        theirs = told[query]
        wanted = None if "Error" in theirs else theirs["Version"]
        assert side.product["LATEST_VERSION"] == wanted, (module, theirs)
        if "Error" not in raw[query]:
            assert side.product["LATEST_RAW"] == raw[query]["Version"], (module, raw[query])


def test_versions(go: Go, market: Market) -> None:
    """The versions that we store are those that the go command lists and can have, in its order."""
    compared = _compared(market)
    queries = [f"{module.path}@latest" for module, _ in compared]
    for flags in (("-versions", "-retracted"), ("-versions",)):
        told = _ask(go, market, flags, queries)
        for (module, side), query in zip(compared, queries, strict=True):
            if "Error" in told[query]:
                continue
            ours = [row for row in side.versions if not is_pseudo(row["VERSION"])]
            listed = set(tagged_versions(module.listing.encode()))  # `@latest` may name one more
            shown = [row for row in ours if row["VERSION"] in listed]
            names = [row["VERSION"] for row in shown if len(flags) == 2 or not row["RETRACTED"]]
            have = {row["VERSION"] for row in ours}
            theirs = list(dict.fromkeys(told[query].get("Versions", [])))  # a list may name one twice
            lacking = {v for v in theirs if v not in have}
            assert names == [version for version in theirs if version in have], (module, theirs)
            assert not {v for v in lacking if v in module.mods and _is_own(module, v)}, (module, lacking)


def _is_own(module: Module, version: str) -> bool:
    body = module.mods[version].decode()
    return f"module {module.path}\n" in body and "twice" not in body


def test_retractions_and_deprecation(go: Go, market: Market) -> None:
    """What is retracted and why, and what is deprecated, is what the go command says of every version."""
    pairs = [(module, row) for module, side in _compared(market) for row in side.versions]
    told = _ask(go, market, ("-u", "-retracted"), [f"{module.path}@{row['VERSION']}" for module, row in pairs])
    for module, row in pairs:
        theirs = told[f"{module.path}@{row['VERSION']}"]
        if "Error" in theirs:
            assert not row["RETRACTED"], (module, row, theirs)
            continue
        assert (row["RETRACT_REASON"] or "") == "; ".join(theirs.get("Retracted", ())), (module, row["VERSION"], theirs)
        assert (row["DEPRECATED_REASON"] or "") == theirs.get("Deprecated", ""), (module, row["VERSION"], theirs)
        assert row["GO_VERSION"] == (theirs.get("GoVersion") or None), (module, row["VERSION"], theirs)
