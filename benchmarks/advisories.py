"""How fast dumps become intervals, and how fast package versions are looked up in them.

    python benchmarks/advisories.py /path/to/osv --pairs 1600000

The folder holds crates.io/all.zip and Go/all.zip, as osv.dev publishes them. `hit` looks up versions of packages that
have advisories only, which is the worst case; `mixed` has one such package among twenty, about as registries do.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from stook.advisories import Advisories, OsvRecord, UnreadableRecord, VersionOrder, read_dump, read_records
from stook.advisories.advisory import interpret
from stook.registries.cargo.semver import parse_semver
from stook.registries.golang.versions import version_key

T = TypeVar("T")
Pair = tuple[str, str, str]


def crates_order(text: str) -> bytes | None:
    version = parse_semver(text)
    return version.key if version else None


def go_order(text: str) -> bytes | None:
    return version_key(f"v{text}") or None


ORDERS: dict[str, VersionOrder] = {"crates.io": crates_order, "Go": go_order}


def timed(label: str, work: Callable[[], T]) -> tuple[T, float]:
    gc.collect()
    started = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - started
    print(f"{label}: {seconds:.2f} s")
    return result, seconds


def read(folder: Path) -> list[OsvRecord | UnreadableRecord]:
    dumps = (folder / ecosystem / "all.zip" for ecosystem in ORDERS)
    return [record for dump in dumps for record in read_records(read_dump(dump))]


def intervals(folder: Path) -> int:
    records = [record for record in read(folder) if isinstance(record, OsvRecord)]
    return sum(len(one.intervals) for record in records for one in interpret(record, ORDERS).exposures)


def versions(number: int) -> Iterator[str]:
    """Made-up versions of one package, a tenth of them pre-releases."""
    chance = random.Random(number)
    while True:
        core = f"{chance.randrange(5)}.{chance.randrange(40)}.{chance.randrange(20)}"
        yield core if chance.random() < 0.9 else f"{core}-rc.{chance.randrange(9)}"


def pairs(known: Advisories, count: int, others: int) -> list[Pair]:
    """Sixty versions a package; among each package with advisories, so many `others` without."""
    found: list[Pair] = []
    number = 0
    while len(found) < count:
        for ecosystem, name in known.packages():
            for place in range(others + 1):
                number += 1
                package = f"{name}-{number}" if place else name
                found += [(ecosystem, package, text) for text in islice(versions(number), 60)]
    return found[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=1_600_000)
    options = parser.parse_args()
    count, _ = timed("zips to intervals", lambda: intervals(options.folder))
    print(f"  {count} intervals")
    known, _ = timed("zips to index", lambda: Advisories.from_records(read(options.folder), ORDERS))
    print(
        f"  {len(known.by_id)} advisories, {len(list(known.packages()))} packages, {len(known.unreadable)} unreadable"
    )
    for label, others in (("mixed", 19), ("hit", 0)):
        asked = pairs(known, options.pairs, others)
        findings, seconds = timed(label, lambda asked=asked: sum(1 for _ in known.find_all(asked)))  # type: ignore[misc]
        print(f"  {len(asked)} pairs, {findings} findings, {len(asked) / seconds:,.0f} pairs a second")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
