"""Two hosts with some workers each share one pace and one cooldown; the registry's own log is the judge.

    python benchmarks/hosts.py postgresql://root@127.0.0.1/test
    python benchmarks/hosts.py mysql://root@127.0.0.1/test --gap 0.05 --workers 4 --modules 110

A host is a `stook work go` with its own folder, home and name; where root may, also with a process table of its own, as
containers have it. All that they share is the database, whose tables of ours are dropped. The registry is this
program's. In the middle it answers one request with a 429; every event must still end once, no second may see more
starts than the gap allows, and nothing but what was on its way may come during the cooldown.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from pathlib import Path
from threading import Event
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger import connect
from stook.engine.ledger.migrate import VERSION_TABLE
from stook.engine.ledger.schema import LANE, METADATA, POLL
from stook.registries.golang.queues import PAGE
from stook.registries.golang.tables import GO_LIST
from stook.run.products import find_products
from stook.testing import LoopbackRegistry, World

RETRY_AFTER = 3.0  # seconds
ON_THE_WAY = 0.25  # seconds that a request may take from its turn to the registry's log
HOSTS = ("one", "two")
LANES = {"go.proxy": "/go-proxy/", "go.pkgsite": "/pkgsite/", "go.index": "/go-index/"}
THROTTLED = "go.proxy"
# A name and a process table of its own: leases tell hosts apart by both.
APART = ("unshare", "--uts", "--pid", "--fork", "--mount-proc", "sh", "-c", 'hostname "$0" && exec "$@"')
pause = Event().wait


@dataclass(frozen=True, slots=True)
class Start:
    """A request as the registry saw it arrive, in monotonic seconds."""

    at: float
    path: str
    status: int
    host: str


@dataclass(frozen=True, slots=True)
class Cooldown:
    """Monotonic seconds: when the 429 was sent, when the database knew, and until when it holds all back."""

    sent: float
    known: float
    until: float


# --- the hosts ---


def environment(registry: LoopbackRegistry, chosen: argparse.Namespace, host: str, folder: Path) -> dict[str, str]:
    """What the host is told, and no variable of ours besides those that a program needs to start."""
    home = folder / host
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[1] / "src"),
        "HOME": str(home),
        "STOOK_DB": chosen.url,
        "STOOK_CONTACT": f"{host}@hosts.invalid",
        "STOOK_GO_INDEX_URL": registry.go_index_url,
        "STOOK_GO_PROXY_URL": registry.go_proxy_url,
        "STOOK_GO_PKGSITE_URL": registry.pkgsite_url,
        "STOOK_GO_PROXY_GAP": str(chosen.gap),
        "STOOK_GO_PKGSITE_GAP": str(chosen.gap * 2),
        "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
        "STOOK_THROTTLE_BASE": "1",  # less than what the 429 asks for
        "STOOK_WORK_CLAIM": "4",  # so that no worker takes all
        "STOOK_WORK_TASKS": "4",
        "STOOK_LOG": "error",
    }


def apart(host: str) -> list[str]:
    """What to begin a command with so that it runs on a host of its own; nothing where that may not be."""
    prefix = [*APART, f"stook-{host}"]
    if not shutil.which(APART[0]):
        return []
    return prefix if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0 else []


def start(told: dict[str, str], *arguments: str, prefix: Sequence[str] = ()) -> subprocess.Popen[str]:
    command = [*prefix, sys.executable, "-m", "stook", *arguments, "--json"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=told, cwd=told["HOME"], stdout=pipe, stderr=pipe, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, error = process.communicate(timeout=300)
    if process.returncode or error:
        raise SystemExit(f"a host ended with {process.returncode}\n{out[-2000:]}\n{error[-4000:]}")
    report: dict[str, Any] = json.loads(out)
    return report


# --- the run ---


def world_of(modules: int) -> World:
    """One version each: two claims may share a module, and each would ask for its list."""
    world = World()
    for number in range(modules):
        world.announce(f"example.org/module-{number}", "v1.0.0")
    return world


def drop(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        for name in (*(table.name for table in METADATA.sorted_tables), VERSION_TABLE):
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {name}"))


def seen(registry: LoopbackRegistry) -> list[Start]:
    found = [
        Start(one.started, one.path, one.status, next((host for host in HOSTS if f"{host}@" in one.user_agent), "?"))
        for one in registry.requests
    ]
    return sorted(found, key=lambda start: start.at)


def drain(registry: LoopbackRegistry, chosen: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """Both hosts work until nothing is due; once a third of the work is done, one request meets a 429."""
    headers = {"Retry-After": f"{RETRY_AFTER:.0f}"}
    throttle = registry.fault(LANES[THROTTLED], "status", first=0, status=429, headers=headers)
    registry.fault("", "latency", seconds=chosen.latency)
    told = [environment(registry, chosen, host, folder) for host in HOSTS]
    ended(start(told[0], "go", "index"))
    begun = len(registry.requests)
    processes = [
        start(one, "work", "go", "--once", "--workers", str(chosen.workers), prefix=apart(host))
        for host, one in zip(HOSTS, told, strict=True)
    ]
    while len(registry.requests) - begun < chosen.modules and any(one.poll() is None for one in processes):
        pause(0.05)
    throttle.first = 1
    return [ended(process) for process in processes]


# --- the verdict ---


def busiest(starts: Sequence[float]) -> int:
    """The most starts in any window of one second."""
    most = first = 0
    for last, moment in enumerate(starts):
        while starts[first] <= moment - 1.0:
            first += 1
        most = max(most, last - first + 1)
    return most


def of_lane(log: Sequence[Start], lane: str) -> list[Start]:
    return [one for one in log if one.path.startswith(LANES[lane])]


def cooldown_of(engine: sa.Engine, log: Sequence[Start]) -> Cooldown:
    """The 429 from the log, and what the lane's row says of it."""
    with engine.connect() as connection:
        until = connection.execute(sa.select(LANE.c["COOLDOWN_UNTIL"]).where(LANE.c["HOST"] == THROTTLED)).scalar_one()
    offset = time.monotonic() - time.time()
    end = (until - datetime(1970, 1, 1)).total_seconds() + offset
    return Cooldown(next(one.at for one in log if one.status == 429), end - RETRY_AFTER, end)


def judge_pace(log: Sequence[Start], lane: str, gap: float, cooled: float) -> bool:
    """Prints a line of the table; false when a second saw too many.

    `largest` is the most in any second, `tightest` the seconds in which one more than the limit came, `pace` the share
    of what the gap allows.
    """
    moments = [one.at for one in of_lane(log, lane)]
    most, limit = busiest(moments), round(1 / gap)
    spent = moments[-1] - moments[0] - cooled
    tightest = min((after - first for first, after in zip(moments, moments[limit:], strict=False)), default=inf)
    pace = (len(moments) - 1) * gap / spent
    print(f"{lane:12}{len(moments):8}{limit:8}{most:8}{tightest:10.3f}{pace:9.1%}", end="")
    print("" if most <= limit else "   TOO MANY IN A SECOND")
    return most <= limit


def judge_cooldown(log: Sequence[Start], cooldown: Cooldown) -> bool:
    """Only what was on its way when the database learnt of the 429 may come before its end."""
    lane = of_lane(log, THROTTLED)
    late = [one for one in lane if cooldown.sent < one.at < cooldown.until]
    after = [one for one in lane if one.at >= cooldown.until]
    last = max((one.at - cooldown.known for one in late), default=0.0)
    print(f"429: in the database after {(cooldown.known - cooldown.sent) * 1000:.1f} ms;", end=" ")
    hosts = ", ".join(f"{count} from host {host}" for host, count in Counter(one.host for one in late).items())
    print(f"on their way: {f'{hosts}, the last {last * 1000:+.1f} ms after that' if late else 'none'};", end=" ")
    print(f"next {after[0].at - cooldown.sent:.3f} s after the 429 from host {after[0].host}", end="")
    is_good = last <= ON_THE_WAY and {one.host for one in after} == set(HOSTS)
    print("" if is_good else "   NOT ONE COOLDOWN FOR BOTH")
    return is_good


def judge_events(engine: sa.Engine, log: Sequence[Start], reports: Sequence[dict[str, Any]], events: int) -> bool:
    """All events have ended, none was settled twice, and no file was fetched twice."""
    with engine.connect() as connection:
        rows = connection.execute(sa.select(GO_LIST.c["PROCESSED"], GO_LIST.c["DUE_AT"])).all()
        pages = sa.select(sa.func.count()).where(POLL.c["QUEUE"] == PAGE.name, POLL.c["DUE_AT"].is_(None))
        expected = events + connection.execute(pages).scalar_one()
    codes = Counter(row.PROCESSED for row in rows if row.DUE_AT is None)
    settled = sum(sum(report["counts"].values()) for report in reports)
    fetched = Counter(one.path for one in of_lane(log, THROTTLED) if one.status == 200)
    twice = sum(count > 1 for count in fetched.values())
    is_good = len(rows) == sum(codes.values()) == events and settled == expected and not twice
    print(f"{events} versions: {sum(codes.values())} ended, codes {dict(codes)};", end=" ")
    print(f"{settled} of {expected} settled, pages included; {twice} files fetched twice", end="")
    print("" if is_good else "   NOT EACH EXACTLY ONCE")
    return is_good


def judge(engine: sa.Engine, log: list[Start], reports: list[dict[str, Any]], chosen: argparse.Namespace) -> bool:
    cooldown = cooldown_of(engine, log)
    print(f"{'lane':12}{'requests':>8}{'limit':>8}{'largest':>8}{'tightest':>10}{'pace':>9}")
    cooled = cooldown.until - cooldown.sent
    verdicts = [
        judge_pace(log, THROTTLED, chosen.gap, cooled),
        judge_pace(log, "go.pkgsite", chosen.gap * 2, 0.0),
        judge_cooldown(log, cooldown),
        judge_events(engine, log, reports, chosen.modules),
    ]
    print(f"requests by host: {dict(Counter(one.host for one in log))}; load {os.getloadavg()[0]:.1f}")
    return all(verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "url", help="a database server's database that may be written to; its tables of ours are dropped"
    )
    parser.add_argument("--workers", type=int, default=4, help="of each host")
    parser.add_argument("--modules", type=int, default=110, help="three requests to the proxy each")
    parser.add_argument("--gap", type=float, default=0.05, help="seconds, of the proxy; the package site's is twice")
    parser.add_argument("--latency", type=float, default=0.03, help="seconds until the registry answers")
    chosen = parser.parse_args()
    for product in find_products().products.values():
        product.queues()  # METADATA has their tables from now on
    engine, dialect = connect(chosen.url)
    drop(engine)
    with tempfile.TemporaryDirectory(prefix="stook-hosts-") as folder, LoopbackRegistry(world_of(chosen.modules)) as it:
        reports = drain(it, chosen, Path(folder))
        log = seen(it)
    kind = "with names and process tables of their own" if apart(HOSTS[0]) else "as plain processes"
    print(f"{dialect.name}: {len(HOSTS)} hosts x {chosen.workers} workers, {kind}")
    is_good = judge(engine, log, reports, chosen)
    drop(engine)
    engine.dispose()
    raise SystemExit(0 if is_good else 1)


if __name__ == "__main__":
    main()
