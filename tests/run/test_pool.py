"""`stook work --workers N`: processes that share the work, die and are replaced, and end together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from stook.engine.errors import FailureCode
from stook.run.report import SOURCES, UNREACHABLE, Report
from stook.run.service import join_reports

NAMES = tuple(f"crate-{number}" for number in range(24))
GAP = 0.05
tick = Event().wait


def announce(shop: Any, tmp_path: Path) -> None:
    """All crates of the shop are due."""
    from stook.engine.words import Announcement
    from stook.run.build import open_ledger
    from stook.run.products import read_settings

    with open_ledger(read_settings({"STOOK_DB": f"sqlite:///{shop.database.as_posix()}"}, tmp_path, {})) as ledger:
        ledger.announce([Announcement("cargo-index", name, source="seed") for name in NAMES])


@pytest.fixture
def full_shop(open_shop: Callable[..., Any], make_world: Callable[..., Any], tmp_path: Path) -> Any:
    """A shop whose queue holds two dozen crates, and whose API takes a while."""
    opened = open_shop(make_world(24, 2), STOOK_CARGO_API_GAP=str(GAP), STOOK_WORK_CLAIM="2", STOOK_WORK_TASKS="2")
    announce(opened, tmp_path)
    return opened


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The worker processes of a command."""
    found = []
    for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        try:
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    for _ in range(6000):
        if condition() or process.poll() is not None:
            return
        tick(0.01)
    raise AssertionError("it did not come to that")


def is_gone(pid: int) -> bool:
    try:
        return b") Z " in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True


def test_the_work_is_shared(full_shop: Any) -> None:
    """Three workers do everything once, end together when all of it is done, and give one report."""
    process = full_shop.start("work", "cargo", "--once", "--workers", "3", "--json")
    out, error = process.communicate(timeout=120)
    assert (process.returncode, error) == (0, "")
    report = json.loads(out)
    assert report["counts"] == {"complete": 48}
    assert sum(traffic["count"] for traffic in report["requests"].values()) == 48
    assert [(one["visits"], one["remaining"]) for one in report["notes"]["sources"]] == [(24, 0), (24, 0)]
    asked = Counter(one.path for one in full_shop.registry.requests)
    assert set(asked.values()) == {1}
    assert len({one.user_agent for one in full_shop.registry.requests}) == 1
    assert len(full_shop.tables()["VERSION_RUST"]) == 48


def test_hosts_share_pace_and_cooldown(full_shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two commands of two workers each keep one pace between them, and all sit out the cooldown that one met."""
    full_shop.registry.fault("crates-api.*crate-5$", "status", status=429, first=1)
    monkeypatch.setenv("STOOK_THROTTLE_BASE", "2")
    both = [full_shop.start("work", "cargo", "--once", "--workers", "2", "--json") for _ in range(2)]
    ended = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    asked = full_shop.asked("crates-api")
    starts = sorted(one.started for one in asked)
    assert len(starts) == 25
    # The server sees what started a gap apart a little later, and not all equally; two paces would be twice as many.
    assert max(sum(start <= other < start + 0.5 for other in starts) for start in starts) <= 0.5 / GAP + 3
    assert Counter(one.status for one in asked)[429] == 1
    assert max(later - earlier for earlier, later in pairwise(starts)) > 1.2  # nobody asked meanwhile


def test_a_dead_worker_is_replaced(full_shop: Any) -> None:
    """Workers killed on the way are started again, and the end is that of an undisturbed run."""
    process = full_shop.start("work", "cargo", "--once", "--workers", "2", "--json")
    killed = 0
    for number in (1, 6):
        wait_until(lambda number=number: len(full_shop.asked("crates-api")) >= number, process)
        for pid in workers_of(process)[:1]:
            os.kill(pid, signal.SIGKILL)
            killed += 1
    out, _ = process.communicate(timeout=120)
    assert (process.returncode, killed) == (0, 2)
    assert json.loads(out)["notes"]["workers_that_died"] == 2
    assert len(full_shop.tables()["VERSION_RUST"]) == 48
    assert all(row["LICENSE"] for row in full_shop.tables()["VERSION_RUST"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGHUP, 130)])
def test_told_to_stop(full_shop: Any, number: signal.Signals, code: int) -> None:
    """A signal to the command reaches all workers: they end without a trace, and nothing stays held."""
    process = full_shop.start("work", "cargo", "--once", "--workers", "2", "--json")
    wait_until(lambda: len(full_shop.asked("crates-api")) >= 2, process)
    workers = workers_of(process)
    process.send_signal(number)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in error, len(workers)) == (code, False, 2)
    assert json.loads(out)["command"] == "work cargo"
    assert number.name in json.loads(out)["notes"]["interrupted"]
    assert all(is_gone(pid) for pid in workers)
    held = "SELECT count(*) FROM TB_CRAWLER_POLL WHERE PROCESSED BETWEEN 20 AND 29 AND DUE_AT > ?"
    assert full_shop.sql(held, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}") == [(0,)]


def test_a_daemon_told_to_stop(full_shop: Any) -> None:
    """Workers without --once wait for more until SIGTERM ends them well."""
    process = full_shop.start("work", "cargo", "--workers", "2", "--json")
    wait_until(lambda: len(full_shop.asked("crates-api")) >= 24, process)
    process.send_signal(signal.SIGTERM)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, "")
    assert json.loads(out)["counts"] == {"complete": 48}


def test_orphans_end(full_shop: Any) -> None:
    """When the command itself is killed, its workers finish what they have and end by themselves."""
    process = full_shop.start("work", "cargo", "--workers", "2")
    wait_until(lambda: len(full_shop.asked("crates-api")) >= 1, process)
    workers = workers_of(process)
    process.kill()
    process.communicate(timeout=30)
    for _ in range(3000):
        if all(map(is_gone, workers)):
            break
        tick(0.01)
    assert all(map(is_gone, workers))


BROKEN = '''
"""A product whose source kills its worker."""
import os
from pathlib import Path
from stook.engine.ledger import poll_queue
from stook.run.product import NoSettings, Product

QUEUE = poll_queue("deadly", "deadly")

def sources(options, tasks, batch):
    if os.environ.get("DEADLY") and "spawn_main" in Path("/proc/self/cmdline").read_text():
        os._exit(9) if os.environ["DEADLY"] == "exit" else os.kill(os.getpid(), 9)
    return []

PRODUCT = Product("deadly", "Deadly", NoSettings, lambda: (QUEUE,), sources)
'''


@pytest.mark.parametrize(("way", "sentence"), [("exit", "exit code 9"), ("kill", "signal 9")])
def test_workers_that_keep_dying(
    shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, sentence: str
) -> None:
    """When a worker dies again and again without doing anything, whatever kills it, the run ends and says so."""
    (tmp_path / "stook_deadly_worked.py").write_text(BROKEN)
    info = tmp_path / "stook_deadly_worked-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stook-deadly-worked\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[stook.products]\ndeadly = stook_deadly_worked:PRODUCT\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("DEADLY", way)
    result = shop.run("work", "deadly", "--workers", "2", code=1)
    assert "died 5 times" in result.stderr
    assert sentence in result.stderr


def part(**notes: Any) -> Report:
    report = Report("work cargo", datetime.now(UTC), notes=dict(notes))
    report.count("complete", 2)
    report.rows.written = 3
    report.traffic("host").count = 4
    report.fail("a@1", FailureCode.MALFORMED, "why")
    return report


def test_reports_are_added_up() -> None:
    """Counts, rows, requests and failures are sums; failures that no report lists any more are still counted."""
    whole, one, two = Report("work cargo", datetime.now(UTC)), part(), part()
    one.failures_total += 900
    join_reports(whole, [one, two])
    assert (whole.counts, whole.rows.written, whole.requests["host"].count) == ({"complete": 4}, 6, 8)
    assert (len(whole.failures), whole.failures_total) == (2, 902)


def test_a_closed_lane_is_one_failure() -> None:
    """What every worker tells of the same lane counts once."""
    whole, parts = Report("work cargo", datetime.now(UTC)), [part(), part()]
    for one in parts:
        one.fail("lane cargo.api", FailureCode.LANE_CLOSED, "HTTP 403")
    join_reports(whole, parts)
    assert [one.event for one in whole.failures] == ["a@1", "lane cargo.api", "a@1"]
    assert whole.failures_total == 3
    assert whole.failures_by_code == {"malformed": 2, "lane_closed": 1}


def test_notes_are_joined() -> None:
    """Tables and visits are added up; nobody was reached only if no worker reached anybody."""
    line = {"source": "s", "visits": 2, "remaining": 9}
    whole = Report("work cargo", datetime.now(UTC))
    join_reports(
        whole, [part(**{SOURCES: [line], UNREACHABLE: "x", "written_by_table": {"t": 1}}), part(**{SOURCES: [line]})]
    )
    assert whole.notes[SOURCES] == [{"source": "s", "visits": 4, "remaining": 0}]
    assert (whole.notes["written_by_table"], UNREACHABLE in whole.notes) == ({"t": 1}, False)


def test_a_worker_without_a_connection_ends_no_others() -> None:
    """A worker that the database refused is started again while another works; the fifth time in a row ends the run."""
    from stook.run.pool import DEATHS, _Crew
    from stook.run.worker import EndSignal

    crew = _Crew(None, 2)  # type: ignore[arg-type]
    starved, busy = crew._places
    end = EndSignal(Report("work toy", datetime.now(UTC)), 3, "too many connections")
    busy.is_ready, busy.process = True, SimpleNamespace(pid=None)  # type: ignore[assignment]
    for _ in range(DEATHS - 1):
        crew._take(end, starved)
        assert not crew._is_over
    busy.is_ready = False
    crew._take(end, starved)
    assert (crew._is_over, crew.result.code, crew.result.sentence) == (True, 3, "too many connections")
