"""Versions a second of `stook cargo collect`, end to end, and how close a paced run comes to its pace.

    python benchmarks/collect.py
    python benchmarks/collect.py --index-url URL --api-url URL --seeds names.txt

Without URLs a registry of our own is started in a process of its own, with a made-up world. Each run is the command
itself, in a process of its own, into a new SQLite file. `unpaced` has gaps of 0; `again` is the same once more;
`paced` has the gap of --api-gap seconds between the API's requests, and tells its wall time as a multiple of
requests x gap. Memory is the largest that the operating system saw.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from stook.testing import LoopbackRegistry, World


@dataclass(frozen=True)
class Upstream:
    """Where to collect from, and which crates."""

    index_url: str
    api_url: str
    names: list[str]


@dataclass(frozen=True)
class Run:
    """What one run of the command took: seconds of wall and CPU, versions stored, requests made."""

    wall: float
    cpu: float
    versions: int
    requests: int


def made_up(crates: int, versions: int) -> World:
    """Crates that depend on each other, with many versions each."""
    world = World()
    for crate in range(crates):
        deps = [f"crate-{other:04d} ^1" for other in range(max(0, crate - 8), crate)]
        for version in range(versions):
            world.publish(f"crate-{crate:04d}", f"1.{version}.0", deps=deps, features={"default": ["std"], "std": []})
    return world


def serve(pipe: Connection, crates: int, versions: int) -> None:
    with LoopbackRegistry(made_up(crates, versions)) as registry:
        pipe.send((registry.index_url, registry.api_url))
        pipe.recv()


def collect(upstream: Upstream, database: Path, api_gap: float) -> Run:
    """One run of the command."""
    told = {
        "STOOK_DB": f"sqlite:///{database}",
        "STOOK_CONTACT": "bench@example.org",
        "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
        "STOOK_CARGO_INDEX_URL": upstream.index_url,
        "STOOK_CARGO_API_URL": upstream.api_url,
        "STOOK_CARGO_INDEX_GAP": "0",
        "STOOK_CARGO_API_GAP": str(api_gap),
    }
    command = [sys.executable, "-m", "stook", "cargo", "collect", *upstream.names, "--json"]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **told}, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr[-2000:] or done.stdout[-2000:]
    report = json.loads(done.stdout)
    with sqlite3.connect(database) as connection:
        versions = connection.execute("SELECT count(*) FROM TB_COMP_LIB_VERSION_RUST").fetchone()[0]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, versions, sum(one["count"] for one in report["requests"].values()))


def show(name: str, runs: list[Run]) -> None:
    wall, cpu = statistics.median(one.wall for one in runs), statistics.median(one.cpu for one in runs)
    versions, requests = runs[0].versions, runs[0].requests
    pace = f"{wall:8.2f} s {versions / wall:9,.0f}/s {cpu:7.2f} s CPU"
    print(f"{name:8} {versions:9,} versions {requests:6,} requests {pace}")


def measure(upstream: Upstream, runs: int, api_gap: float, paced: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, again = [], []
        for number in range(runs):
            database = Path(folder) / f"{number}.db"
            first.append(collect(upstream, database, 0))
            again.append(collect(upstream, database, 0))
        show("unpaced", first)
        show("again", again)
        few = Upstream(upstream.index_url, upstream.api_url, upstream.names[:paced])
        slow = collect(few, Path(folder) / "paced.db", api_gap)
        show("paced", [slow])
        floor = len(few.names) * api_gap
        print(f"paced: {len(few.names)} API requests x {api_gap:g} s in {slow.wall:.2f} s = {slow.wall / floor:.3f}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest resident memory of a run: {peak:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index-url")
    parser.add_argument("--api-url")
    parser.add_argument("--seeds", type=Path, help="names, one a line; needed with the URLs")
    parser.add_argument("--crates", type=int, default=200)
    parser.add_argument("--versions", type=int, default=40)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--api-gap", type=float, default=1.0)
    parser.add_argument("--paced", type=int, default=30, help="how many crates the paced run collects")
    chosen = parser.parse_args()
    if chosen.index_url:
        names = chosen.seeds.read_text().split()
        measure(Upstream(chosen.index_url, chosen.api_url, names), chosen.runs, chosen.api_gap, chosen.paced)
        return
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs, chosen.crates, chosen.versions), daemon=True)
    server.start()
    index_url, api_url = ours.recv()
    names = [f"crate-{number:04d}" for number in range(chosen.crates)]
    measure(Upstream(index_url, api_url, names), chosen.runs, chosen.api_gap, chosen.paced)
    ours.send("done")
    server.join()


if __name__ == "__main__":
    main()
