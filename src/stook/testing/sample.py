"""Builds the sample world, the same one every time, from the tables in `data/`."""

from __future__ import annotations

import tomllib
from datetime import date, datetime, timedelta
from hashlib import sha256
from importlib.resources import files
from typing import Any

from stook.testing.crates import Crate, Dependency, Release
from stook.testing.modules import pseudo_time
from stook.testing.world import World

__all__ = ["sample_world"]

Table = dict[str, Any]


def sample_world() -> World:
    """The Keepers' Guild: two dozen crates and a dozen Go paths that show what registries hold."""
    world = World()
    start = world.now
    for table in _table("crates.toml")["crate"]:
        _add_crate(world, table)
    go = _table("modules.toml")
    for table in go["module"]:
        _add_module(world, table)
    world.go.pages = {page["path"]: page for page in go["page"]}
    world.revision = 0
    if world.now > start:
        raise ValueError(f"the sample's last date, {world.now}, lies after its own present, {start}")
    return world


def _table(name: str) -> Table:
    return tomllib.loads((files("stook.testing") / "data" / name).read_text(encoding="utf-8"))


def _add_crate(world: World, table: Table) -> None:
    facts: Table = {}
    for number, version in enumerate(table["versions"].split()):
        facts |= table["from"].get(version, {})
        moment = _moment(table["born"], number * table["pace"], f"{table['name']}@{version}")
        release = world.publish(table["name"], version, time=moment)
        _set_facts(release, facts | table.get("only", {}).get(version, {}))
    crate = world.crate(table["name"])
    for version, message in table.get("yanked", {}).items():
        moment = crate.release(version).published + timedelta(days=3, seconds=11)
        world.yank(crate.name, version, message or None, time=moment)
    _describe(crate, table)
    _share_downloads(crate, table["downloads"])


def _set_facts(release: Release, facts: Table) -> None:
    release.license = facts.get("license") or None
    release.edition = facts.get("edition", "2021") or None
    release.rust_version = facts.get("rust") or None
    release.links = facts.get("links")
    release.is_old = facts.get("old", False)
    release.line_format = facts.get("v")
    release.deps = tuple(map(Dependency.parse, facts.get("deps", ())))
    release.features = facts.get("features", {})
    release.features2 = facts.get("features2", {})
    release.size = None if release.published.year < 2016 else 1000 + _number(release.checksum, 200_000)


def _describe(crate: Crate, table: Table) -> None:
    crate.description = table["about"]
    crate.repository = table.get("repository")
    crate.homepage = table.get("homepage")
    crate.documentation = table.get("documentation")
    crate.keywords, crate.categories = table["keywords"], table["categories"]
    crate.owner = (crate.repository or "https://git.example/old-salt").split("/")[3]
    crate.has_pubtime = table.get("has_pubtime", False)
    crate.garbage = [table["garbage"]] if "garbage" in table else []


def _share_downloads(crate: Crate, total: int) -> None:
    """Each version has more than the one before; what rounding leaves goes to the first."""
    count = len(crate.releases)
    parts = [total * 2 * number // (count * (count + 1)) for number in range(1, count + 1)]
    parts[0] += total - sum(parts)
    for release, downloads in zip(crate.releases, parts, strict=True):
        release.downloads = downloads


def _add_module(world: World, table: Table) -> None:
    for number, version in enumerate(table["versions"].split()):
        facts = table.get("only", {}).get(version, {})
        moment = _moment(table["born"], number * table["pace"], f"{table['path']}@{version}")
        committed = pseudo_time(version) or moment.replace(microsecond=0) - timedelta(hours=5)
        world.announce(
            table["path"],
            version,
            declares=facts.get("declares", table.get("declares")),
            mod=facts.get("mod"),
            time=max(moment, committed + timedelta(minutes=7)),
            committed=committed,
            fate=facts.get("fate", "ok"),
            reason=facts.get("reason", ""),
        )


def _moment(born: date, days: int, seed: str) -> datetime:
    """A time of that day that depends on the seed alone; one in four has a short fraction."""
    digest = sha256(seed.encode()).hexdigest()
    microseconds = _number(digest[8:], 1_000_000)
    if digest.endswith(("0", "1", "2", "3")):
        microseconds -= microseconds % 100
    time = timedelta(days=days, seconds=_number(digest, 86_400), microseconds=microseconds)
    return datetime(born.year, born.month, born.day) + time


def _number(digits: str, below: int) -> int:
    return int(digits[:8], 16) % below
