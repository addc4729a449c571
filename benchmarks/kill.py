"""Workers that are killed, frozen and cut off from their database again and again; the tables must not show it.

    python benchmarks/kill.py cargo --engine sqlite postgresql mariadb --kills 50
    python benchmarks/kill.py go --engine postgresql --kills 20 --freezes 3 --restarts 3

Each engine: an undisturbed run of one worker, then `stook work --workers N` whose worker processes are killed at
random moments (kill -9), frozen past their lease (SIGSTOP, SIGCONT), and whose database is stopped and started. The
servers are this program's own, in a temporary folder. At the end both databases must hold the same rows, times aside.
For Go the workers read the index too: several pages of it, then modules, aliases and pages of pkg.go.dev.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import servers
import sqlalchemy as sa

from stook.engine.ledger import connect
from stook.engine.ledger.schema import METADATA
from stook.engine.words import Announcement
from stook.run.build import announce_standing, open_ledger
from stook.run.products import product_named, read_settings
from stook.testing import LoopbackRegistry, World, sample_world

LEASE = 4.0  # seconds
TIMES = {"CREATED", "ENRICHED_AT", "LISTED_SINCE", "LAST_UPDATED", "TIMESTAMP", "SEEN_AT", "UPDATED", "CHECKED"}
NOT_COMPARED = {"TB_LANE"}
PACKAGES = {"cargo": 400, "go": 1500}
pause = Event().wait


def big_world(count: int) -> World:
    """The sample's crates and modules, and so many plain ones more."""
    world = sample_world()
    for number in range(count):
        for version in range(3):
            world.publish(f"crate-{number}", f"1.{version}.0", description=f"Crate number {number}")
        add_module(world, number)
    return world


def add_module(world: World, number: int) -> None:
    """Three versions; some modules have a page, some a version that the proxy lacks, some a fork that names them.

    All are older than the sample's, and than our first look: what is news depends on when one looks.
    """
    path, repository = f"example.org/module-{number}", f"https://example.org/{number}"
    moment = datetime(2010, 1, 1) + timedelta(seconds=10 * number)
    for version in range(3):
        fate = "missing" if version == 2 and number % 10 == 5 else "ok"
        world.announce(path, f"v1.{version}.0", time=moment + timedelta(seconds=version), fate=fate)
    if number % 10 == 7:
        world.announce(f"example.com/fork-{number}", "v1.0.0", declares=path, time=moment + timedelta(seconds=5))
    if number % 3 == 0:
        world.go.pages[path] = {"repository": repository, "licences": ["MIT", "Apache-2.0"][: 1 + number % 2]}


def environment(registry: LoopbackRegistry, url: str, gap: float) -> dict[str, str]:
    told = {
        "STOOK_DB": url,
        "STOOK_CONTACT": "tester@stook.invalid",
        "STOOK_CARGO_INDEX_URL": registry.index_url,
        "STOOK_CARGO_API_URL": registry.api_url,
        "STOOK_GO_INDEX_URL": registry.go_index_url,
        "STOOK_GO_PROXY_URL": registry.go_proxy_url,
        "STOOK_GO_PKGSITE_URL": registry.pkgsite_url,
        "STOOK_CARGO_INDEX_GAP": "0",
        "STOOK_CARGO_API_GAP": str(gap),
        "STOOK_GO_FEED": "all",
        "STOOK_GO_INDEX_GAP": str(gap * 16),
        "STOOK_GO_PROXY_GAP": str(gap / 16),
        "STOOK_GO_PKGSITE_GAP": str(gap / 16),
        "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
        "STOOK_WORK_LEASE": str(LEASE),
        "STOOK_WORK_CLAIM": "20",
        "STOOK_WORK_TASKS": "4",
        "STOOK_LOG": "error",
        "PYTHONPATH": str(Path(__file__).parents[1] / "src"),
    }
    return {name: value for name, value in os.environ.items() if not name.startswith("STOOK_")} | told


class Run:
    """`stook` against one database."""

    def __init__(self, told: dict[str, str], name: str, folder: Path) -> None:
        self.told = told
        self.name = name
        self.folder = folder
        self.url = told["STOOK_DB"]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "stook", *arguments]
        return subprocess.Popen(
            command, env=self.told, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def call(self, *arguments: str) -> dict[str, Any]:
        process = self.start(*arguments, "--json")
        out, error = process.communicate(timeout=900)
        if process.returncode not in (0, 1):
            raise SystemExit(f"stook {' '.join(arguments)}: {process.returncode}\n{out[-2000:]}\n{error[-4000:]}")
        report: dict[str, Any] = json.loads(out)
        return report

    def fill(self, world: World) -> None:
        """The queue as it begins: all crates, or the feed at its beginning."""
        settings = read_settings({k: v for k, v in self.told.items() if k.startswith("STOOK_")}, self.folder, {})
        with open_ledger(settings) as ledger:
            announce_standing(ledger, product_named(self.name), settings)
            if self.name == "cargo":
                names = sorted(crate.name for crate in world.crates.values())
                ledger.announce([Announcement("cargo-index", name.lower(), source="seed") for name in names])

    def rows(self) -> dict[str, list[str]]:
        """All tables, what tells times aside, each row as text."""
        engine, _ = connect(self.url)
        found = {}
        with engine.connect() as connection:
            for table in METADATA.sorted_tables:
                if str(table.name) in NOT_COMPARED:
                    continue
                rows = connection.execute(sa.select(*_compared(table)))
                found[str(table.name)] = sorted(repr(tuple(row)) for row in rows)
        engine.dispose()
        return found


def _compared(table: sa.Table) -> Iterator[sa.ColumnElement[Any]]:
    """Of when an event is due, only whether it ever is."""
    for column in table.columns:
        if str(column.name) == "DUE_AT":
            yield column.is_(None)
        elif str(column.name) not in TIMES and not (str(column.name) == "ID" and "HISTORY" in str(table.name)):
            yield column


def workers_of(parent: int) -> list[int]:
    """The worker processes; the interpreter's resource tracker is none."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    found = []
    for child in children:
        try:
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
        except OSError:
            continue  # it has just ended
    return found


class Trouble:
    """What is still to be done to the workers, in a random order."""

    def __init__(self, chance: random.Random, kills: int, freezes: int, restarts: int) -> None:
        self._chance = chance
        self.plan = ["kill"] * kills + ["freeze"] * freezes + ["restart"] * restarts
        chance.shuffle(self.plan)
        self.done = {"kill": 0, "freeze": 0, "restart": 0}
        self.frozen: dict[int, float] = {}

    def make(self, parent: int, server: servers.Server | None) -> None:
        self._thaw()
        some = [pid for pid in workers_of(parent) if pid not in self.frozen]
        what = self.plan[-1]
        if what == "restart":
            assert server
            server.stop(hurried=self._chance.random() < 0.5)
            pause(self._chance.uniform(0.1, 1.5))
            server.start()
        elif some:
            self._hit(self._chance.choice(some), what)
        else:
            return
        self.plan.pop()
        self.done[what] += 1

    def _hit(self, pid: int, what: str) -> None:
        os.kill(pid, signal.SIGKILL if what == "kill" else signal.SIGSTOP)
        if what == "freeze":
            self.frozen[pid] = time.monotonic() + LEASE * 1.5

    def _thaw(self, *, now: bool = False) -> None:
        for pid, until in list(self.frozen.items()):
            if now or time.monotonic() > until:
                os.kill(pid, signal.SIGCONT)
                del self.frozen[pid]

    def wait_for_the_frozen(self) -> None:
        while self.frozen:
            pause(0.2)
            self._thaw()


def disturb(run: Run, workers: int, trouble: Trouble, server: servers.Server | None, chance: random.Random) -> None:
    process = run.start("work", run.name, "--workers", str(workers), "--json")
    while trouble.plan:
        pause(chance.uniform(0.1, 16.0 / workers))  # so that a worker lives for some seconds
        if process.poll() is not None:
            raise SystemExit(f"the command ended: {process.communicate()}")
        trouble.make(process.pid, server)
    trouble.wait_for_the_frozen()
    process.send_signal(signal.SIGTERM)
    out, error = process.communicate(timeout=120)
    report = json.loads(out)
    print(f"  stopped with {process.returncode}; {report['notes'].get('workers_that_died')} deaths seen;", end=" ")
    print(f"{report['counts']}; failures {report['failures_total']}", error[-1500:] or "")
    if "Traceback" in error or "eadlock" in error:
        raise SystemExit("trouble reached the user")


@contextmanager
def engine_of(name: str, folder: Path) -> Iterator[servers.Server | None]:
    if name == "sqlite":
        yield None
        return
    with {"postgresql": servers.postgresql, "mariadb": servers.mariadb}[name](folder) as server:
        yield server


def url_of(server: servers.Server | None, folder: Path, name: str) -> str:
    """A database of its own on the server."""
    if server is None:
        return f"sqlite:///{folder}/{name}.db"
    engine = sa.create_engine(connect(server.url)[0].url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return server.url.rpartition("/")[0] + f"/{name}"


def check(engine: str, chosen: argparse.Namespace, folder: Path) -> bool:
    chance = random.Random(chosen.seed)
    world = big_world(chosen.packages or PACKAGES[chosen.registry])
    with engine_of(engine, folder) as server, LoopbackRegistry(world) as registry:
        calm = Run(environment(registry, url_of(server, folder, "calm"), 0.0), chosen.registry, folder)
        calm.fill(world)
        whole = calm.call("work", chosen.registry, "--once", "--follow")
        wild = Run(environment(registry, url_of(server, folder, "wild"), chosen.gap), chosen.registry, folder)
        wild.fill(world)
        restarts = chosen.restarts if server else 0
        trouble = Trouble(chance, chosen.kills, chosen.freezes, restarts)
        started = time.monotonic()
        disturb(wild, chosen.workers, trouble, server, chance)
        spent = time.monotonic() - started
        wild.told |= {name: "0" for name in wild.told if name.endswith("_GAP")}
        ended = wild.call("work", chosen.registry, "--once", "--follow", "--workers", "2")
        expected, found = calm.rows(), wild.rows()
    same = {name: rows == found[name] for name, rows in expected.items()}
    count = sum(map(len, expected.values()))
    done = ", ".join(f"{number} {what}s" for what, number in trouble.done.items())
    print(f"{engine:10} {chosen.registry}: {done} in {spent:.0f} s; undisturbed {whole['counts']}")
    print(f"  left for after the trouble {ended['counts']}; {count:,} rows compared")
    for name, is_same in same.items():
        if not is_same:
            missing = [row for row in expected[name] if row not in set(found[name])]
            extra = [row for row in found[name] if row not in set(expected[name])]
            print(f"  {name} differs: {len(missing)} missing, {len(extra)} extra\n    {missing[:2]}\n    {extra[:2]}")
    return all(same.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("registry", choices=["cargo", "go"])
    parser.add_argument("--engine", nargs="+", choices=["sqlite", "postgresql", "mariadb"], default=["sqlite"])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--freezes", type=int, default=2)
    parser.add_argument("--restarts", type=int, default=2, help="of the database, where it is a server")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--packages", type=int, help=", ".join(f"{name}: {count}" for name, count in PACKAGES.items()))
    parser.add_argument("--gap", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    results = []
    for engine in chosen.engine:
        with tempfile.TemporaryDirectory(prefix="stook-kill-") as folder:
            Path(folder).chmod(0o755)
            results.append(check(engine, chosen, Path(folder)))
            print(f"  {'same tables' if results[-1] else 'TABLES DIFFER'}; load {os.getloadavg()[0]:.1f}", flush=True)
    raise SystemExit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
