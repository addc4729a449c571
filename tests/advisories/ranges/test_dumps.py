"""Whole dumps against the specification: set STOOK_TEST_OSV to a folder with crates.io/all.zip and Go/all.zip.

STOOK_TEST_OSV_VERSIONS may name a file of further versions, one line each: ecosystem, name, version, tab-separated.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from stook.advisories import read_dump
from stook.advisories.advisory import interpret
from stook.advisories.ecosystems import bare_version
from stook.advisories.osv import decode_record
from stook.advisories.ranges import contains, evaluate, merge

from ..oracle import GRAMMAR, Version, is_vulnerable  # noqa: TID252
from ..orders import ORDERS  # noqa: TID252

FOLDER = os.environ.get("STOOK_TEST_OSV", "")
MORE = os.environ.get("STOOK_TEST_OSV_VERSIONS", "")
EXTREMES = [
    "0.0.0-0",
    "0.0.0",
    "0.0.1",
    "1.0.0",
    "999999.0.0",
    "0.0.0-20200101000000-abcdefabcdef",
    "2.0.0+incompatible",
]


def neighbours(bound: str) -> set[str]:
    """The bound, with and without pre-release and build, and the versions around it."""
    match = GRAMMAR.fullmatch(bound)
    if match is None:
        return set()
    major, minor, patch = (int(match[place]) for place in (1, 2, 3))
    release = f"{major}.{minor}.{patch}"
    around = {bound, release, f"{release}-0", f"{release}-rc.1", f"{release}+incompatible", f"{release}-zzz"}
    around |= {f"{major}.{minor}.{patch + 1}", f"{major}.{minor}.{patch + 1}-0", f"{major}.{minor + 1}.0"}
    around |= {f"{release}-0.20210101000000-0123456789ab", f"{release}-99999999999999"}
    if match[4]:
        around |= {f"{release}-{match[4]}.0", f"{release}-{match[4]}a", f"{release}-{match[4][:-1] or 'A'}"}
    if patch:
        around |= {f"{major}.{minor}.{patch - 1}", f"{major}.{minor}.{patch - 1}-rc.9"}
    return {text for text in around if GRAMMAR.fullmatch(text)}


def known_versions() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in Path(MORE).read_text(encoding="utf-8").splitlines() if MORE else ():
        ecosystem, name, version = line.split("\t")
        found[ecosystem, name].append(bare_version(ecosystem, name, version))
    return found


@pytest.mark.skipif(not FOLDER, reason="STOOK_TEST_OSV names no folder of dumps")
@pytest.mark.parametrize("ecosystem", ["crates.io", "Go"])
def test_intervals_equal_the_specification(ecosystem: str, record_property: Callable[[str, object], None]) -> None:
    """No version of no record is judged otherwise than by the specification's own algorithm."""
    versions, order = known_versions(), ORDERS[ecosystem]
    pool = cycle(sorted({text for key, texts in versions.items() if key[0] == ecosystem for text in texts}) or EXTREMES)
    points, differences = 0, []
    for name, data in read_dump(Path(FOLDER) / ecosystem / "all.zip"):
        plain = json.loads(data)
        decoded = decode_record(data)
        assert not [one.problems for one in interpret(decoded, ORDERS).exposures if one.problems]
        entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for entry in plain["affected"]:
            entries[entry["package"]["name"]].append(entry)
        for package, affected in entries.items():
            ours = [one for one in decoded.affected or () if one.package and one.package.name == package]
            parts = [evaluate(one.ranges or (), one.versions or (), order) for one in ours]
            intervals = merge(piece for part in parts for entry in part.ranges for piece in entry.intervals)
            bounds = {text for one in affected for part in one["ranges"] for event in part["events"]
                      for text in event.values()}  # fmt: skip
            texts = set(EXTREMES).union(*map(neighbours, bounds), versions.get((ecosystem, package), ()))
            texts.update(islice(pool, 20))  # and versions of other packages, another stretch each time
            for text in filter(GRAMMAR.fullmatch, sorted(texts)):
                key = order(text)
                if key is None:
                    continue
                points += 1
                if contains(intervals, key) != is_vulnerable(Version(text), affected):
                    differences.append((name, package, text))
    record_property("points", points)
    assert not differences[:20]
    assert points > 10_000
