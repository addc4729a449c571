"""A chaos run that shares no code with Stook: kills, faults, mirror restarts, and poison among good packages.

    python benchmarks/chaos.py --engine sqlite postgresql mariadb --kills 100
    python benchmarks/chaos.py --kills 10

`stook cargo collect` and `stook work go --workers 3` run side by side on one database. Both are killed at random
moments (kill -9), the registry (`weather.py`) fails one request in eight and is restarted. At the end every good
package must have exactly its rows, as this file works them out by itself, and each poisoned event a code. At least
half of the work must have been done under trouble. Memory is the largest of any process, as the kernel counted it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import servers
import weather

COMPUTE = b"stook.engine.compute.child"
pause = Event().wait
SLICE = 0.8  # seconds between two kills, on average and at least
TO_END = 60.0  # seconds that a command may take to end
UNDER, PATIENCE = 0.65, 8.0  # share of the work that the kills are spread over; seconds that one waits for it


class Sky:
    """One engine's run."""

    def __init__(self, url: str, folder: Path, chosen: argparse.Namespace) -> None:
        self.url, self.folder = url, folder
        self.chance = random.Random(chosen.seed)
        self.crates, self.modules = chosen.kills * 4 + 20, chosen.kills * 3 + 20
        self.port = servers.free_port()
        self.names = [f"crate-{number}" for number in range(self.crates)]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.peaks: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        span = chosen.kills * SLICE * chosen.spread
        base = f"http://127.0.0.1:{self.port}"
        self.told = {name: value for name, value in os.environ.items() if not name.startswith("STOOK_")} | {
            "STOOK_DB": url,
            "STOOK_CONTACT": "tester@stook.invalid",
            "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
            "STOOK_CARGO_INDEX_URL": f"{base}/index",
            "STOOK_CARGO_API_URL": f"{base}/api",
            "STOOK_GO_INDEX_URL": f"{base}/feed",
            "STOOK_GO_PROXY_URL": f"{base}/proxy",
            "STOOK_GO_PKGSITE_URL": f"{base}/site",
            "STOOK_CARGO_INDEX_GAP": str(span / self.crates),
            "STOOK_CARGO_API_GAP": str(span / self.crates),
            "STOOK_GO_INDEX_GAP": "0",
            "STOOK_GO_PROXY_GAP": str(span / self.modules / 12),
            "STOOK_GO_PKGSITE_GAP": str(span / self.modules / 3),
            "STOOK_WORK_LEASE": "4",
            "STOOK_WORK_TASKS": "4",
            "STOOK_WORK_CLAIM": "12",
            "STOOK_LOG": "error",
        }
        mixed = [*self.names, *weather.CRATE_POISON]
        self.chance.shuffle(mixed)
        (folder / "seeds.txt").write_text("\n".join(mixed))

    def start(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, *arguments]
            self.processes[name] = subprocess.Popen(command, cwd=self.folder, env=self.told, stdout=log, stderr=log)

    def serve(self) -> None:
        script, sizes = str(Path(weather.__file__)), (str(self.crates), str(self.modules))
        self.start("mirror", script, str(self.port), str(self.folder), *sizes)

    def keep_up(self) -> None:
        """Start again what has ended."""
        commands = {
            "cargo": ("cargo", "collect", "--json"),
            "go": ("work", "go", "--workers", "3", "--json"),
        }
        for name, arguments in commands.items():
            if name not in self.processes or self.processes[name].poll() is not None:
                self.start(name, "-m", "stook", *arguments)

    def call(self, *arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "stook", *arguments]
        ended = subprocess.run(command, cwd=self.folder, env=self.told, capture_output=True, check=False)
        return ended.returncode, ended.stdout.decode()

    def watch(self) -> list[int]:
        """Note each process's largest memory; gives back what may be killed."""
        victims = []
        for name in ("cargo", "go"):
            for pid, is_main in _family(self.processes[name].pid):
                try:
                    status = Path(f"/proc/{pid}/status").read_text()
                    command = Path(f"/proc/{pid}/cmdline").read_bytes()
                except OSError:
                    continue
                peak = [int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM")]
                kind = "compute child" if COMPUTE in command else "worker"
                self.peaks[kind] = max(self.peaks[kind], *peak, 0)
                if (name == "cargo" and is_main) or b"spawn_main" in command:
                    victims.append(pid)
        return victims

    def storm(self, kills: int) -> None:
        while self.done["kill"] < kills:
            self.keep_up()
            pause(self.chance.uniform(0.3, 2 * SLICE - 0.3))
            until = time.monotonic() + PATIENCE  # the kills are spread over the work
            while self.share() < UNDER * self.done["kill"] / kills and time.monotonic() < until:
                pause(0.2)
                self.keep_up()
            victims = self.watch()
            if victims and self.chance.random() < 0.9:
                try:
                    os.kill(self.chance.choice(victims), signal.SIGKILL)
                    self.done["kill"] += 1
                except ProcessLookupError:
                    continue
            else:
                self.processes["mirror"].kill()
                self.processes["mirror"].wait()
                pause(self.chance.uniform(0.05, 0.5))
                self.serve()
                self.done["mirror restart"] += 1
            if self.chance.random() < 0.1:
                self.call("queue", "retry")

    def share(self) -> float:
        """How much of the good rows is there."""
        try:
            found = self.rows()
        except Exception:  # no table yet, or a busy database
            return 0.0
        return sum(map(len, found.values())) / sum(map(len, self.expected().values()))

    def clear_up(self) -> None:
        """The weather is over: whatever waits is done now."""
        for name in ("cargo", "go"):
            self.processes[name].terminate()
            try:
                self.processes[name].wait(TO_END)
            except subprocess.TimeoutExpired:
                print(f"  {name}, {self.processes[name].pid}, does not end {TO_END} s after SIGTERM", flush=True)
                self.done["hang"] += 1
                for pid, _ in _family(self.processes[name].pid):
                    os.kill(pid, signal.SIGKILL)
        (self.folder / "calm").touch()
        self.told |= {name: "0" for name in self.told if name.endswith("_GAP")}
        self.call("cargo", "collect")
        for _ in range(4):
            self.call("queue", "retry")
            self.call("work", "go", "--once", "--follow", "--workers", "2")
            self.call("work", "cargo", "--once")

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        parts = urlsplit(self.url)
        if parts.scheme == "sqlite":
            connection: Any = sqlite3.connect(parts.path[1:])
        elif parts.scheme == "postgresql":
            import psycopg  # noqa: PLC0415

            connection = psycopg.connect(self.url)
            statement = statement.lower()
        else:
            import pymysql  # noqa: PLC0415

            account = {"user": parts.username or "root", "password": parts.password or ""}
            connection = pymysql.connect(
                host=parts.hostname, port=parts.port or 3306, database=parts.path[1:], **account
            )
        try:
            cursor = connection.cursor()
            cursor.execute(statement)
            return list(cursor.fetchall())
        finally:
            connection.close()

    def rows(self) -> dict[str, set[tuple[Any, ...]]]:
        crate = "SELECT PRODUCT_KEY, VERSION, CHECKSUM, YANKED, LICENSE, PROCESSED FROM TB_COMP_LIB_VERSION_RUST"
        latest = "SELECT PRODUCT_KEY, LATEST_VERSION, VERSION_COUNT FROM TB_COMP_LIB_PRODUCT_RUST"
        go = "SELECT PRODUCT_KEY, VERSION, GO_VERSION, LICENSE, PROCESSED FROM TB_COMP_LIB_VERSION_GOLANG"
        newest = "SELECT PRODUCT_KEY, LATEST_VERSION, VERSION_COUNT FROM TB_COMP_LIB_PRODUCT_GOLANG"
        found = {"crates": crate, "latest": latest, "modules": go, "newest": newest}
        return {
            name: {tuple(row) for row in self.query(statement) if "bomb-" not in row[0] and "poison-" not in row[0]}
            for name, statement in found.items()
        }

    def expected(self) -> dict[str, set[tuple[Any, ...]]]:
        paths = [weather.module(number) for number in range(self.modules)]
        return {
            "crates": {
                (
                    one,
                    version,
                    weather.checksum(one, version),
                    int(weather.is_yanked(one, version)),
                    f"LIC-{version}",
                    1,
                )
                for one in self.names
                for version in weather.VERSIONS
            },
            "latest": {(one, "1.1.0", 3) for one in self.names},
            "modules": {(path, f"v1.{minor}.0", "1.21", "MIT", 1) for path in paths for minor in range(3)},
            "newest": {(path, "v1.2.0", 3) for path in paths},
        }


def _family(parent: int, *, is_main: bool = True) -> list[tuple[int, bool]]:
    """The process and its descendants; each thread has children of its own."""
    try:
        children = [one for file in Path(f"/proc/{parent}/task").glob("*/children") for one in file.read_text().split()]
    except OSError:
        return []
    return [(parent, is_main), *(one for child in children for one in _family(int(child), is_main=False))]


def check(sky: Sky, kills: int) -> bool:
    sky.serve()
    started = time.monotonic()
    try:
        sky.storm(kills)
        share = sky.share()
        spent = time.monotonic() - started
        asked = [float(line) for line in (sky.folder / "requests").read_text().split()]
        sky.clear_up()
    finally:
        for process in sky.processes.values():
            process.kill()
            process.wait()
    expected, found = sky.expected(), sky.rows()
    quiet = max((later - earlier for earlier, later in pairwise(asked)), default=0.0)
    print(
        f"  {dict(sky.done)} in {spent:.0f} s; {share:.0%} of the rows were there then; longest silence {quiet:.1f} s"
    )
    print(f"  largest memory (MB): {dict(sky.peaks)}")
    for table, column in (("TB_CRAWLER_POLL", "NAME"), ("TB_COMP_LIB_GOLANG_LIST_V2", "INDEX_PATH")):
        statement = f"SELECT {column}, PROCESSED, LAST_CODE, DELIVERIES FROM {table}"
        bad = [row for row in sky.query(statement) if "bomb-" in row[0] or "poison-" in row[0]]
        print(f"  poison in {table}: {bad}")
    for name, rows in expected.items():
        if missing := rows - found[name]:
            print(f"  {name}: {len(missing)} of {len(rows)} missing: {sorted(missing)[:2]}")
        if extra := found[name] - rows:
            print(f"  {name}: {len(extra)} extra: {sorted(extra, key=repr)[:2]}")
    return expected == found and share >= 0.5 and not sky.done["hang"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", nargs="+", choices=["sqlite", "postgresql", "mariadb"], default=["sqlite"])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--spread", type=float, default=0.5, help="share of the time that undisturbed work would take")
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    results = []
    for engine in chosen.engine:
        with tempfile.TemporaryDirectory(prefix="stook-chaos-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            print(engine, flush=True)
            makers = {"postgresql": servers.postgresql, "mariadb": servers.mariadb}
            with makers[engine](folder) if engine in makers else nullcontext() as server:
                url = server.url if server else f"sqlite:///{folder}/stook.db"
                results.append(check(Sky(url, folder, chosen), chosen.kills))
        print("  all good packages are whole" if results[-1] else "  NOT AS IT MUST BE", json.dumps(os.getloadavg()))
    raise SystemExit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
