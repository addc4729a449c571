"""`stook cargo collect` from end to end, against a registry on loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stook.engine.ledger import Ledger
from stook.engine.ledger.queue.settle import settle
from stook.engine.words import Announcement, Code, Event, Outcome
from stook.registries.cargo.sources import INDEX
from stook.run.build import open_ledger
from stook.run.products import read_settings
from stook.testing import sample_world

NAMES = tuple(f"crate-{number}" for number in range(4))
FIELDS = set(
    "schema command started seconds database counts rows requests failures failures_total failures_by_code waiting next"
    " notes".split()
)


def test_collect(shop: Any) -> None:
    """Every version of the crates named is stored, with dates, licences and a true latest version."""
    report = shop.report("cargo", "collect", *NAMES)
    assert set(report) == FIELDS
    assert (report["command"], report["counts"], report["failures"]) == ("cargo collect", {"complete": 8}, [])
    assert (report["schema"], report["database"].startswith("sqlite:///"), report["waiting"]) == (1, True, {})
    assert set(report["requests"]["127.0.0.1"]) == {"count", "not_modified", "throttled", "failed", "bytes"}
    assert report["requests"]["127.0.0.1"]["count"] == 8
    assert report["next"]
    tables = shop.tables()
    assert [len(tables[name]) for name in ("RUST_LIST", "VERSION_RUST", "PRODUCT_RUST", "HISTORY")] == [12, 12, 4, 0]
    assert {row["LATEST_VERSION"] for row in tables["PRODUCT_RUST"]} == {"1.2.0"}
    assert all(row["LICENSE"] == "MIT OR Apache-2.0" and row["RELEASE_DATE"] for row in tables["VERSION_RUST"])
    assert all(row["PROCESSED"] == 1 and row["DUE_AT"] is None for row in tables["RUST_LIST"])


def test_names_are_merged(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of the command line, seeds.txt and STOOK_CARGO_SEEDS come together, each once."""
    Path("seeds.txt").write_text("# ours\ncrate-1  # the second\n\nCRATE-0\n")
    monkeypatch.setenv("STOOK_CARGO_SEEDS", "crate-2,crate-1")
    shop.report("cargo", "collect", "crate-0")
    assert [row["PRODUCT_KEY"] for row in shop.tables()["PRODUCT_RUST"]] == ["crate-0", "crate-1", "crate-2"]
    assert len(shop.asked("crates-index")) == 3


def test_seeds_of_windows(shop: Any) -> None:
    """A seeds file as Windows' editors write it, with a byte order mark and CRLF, is read like any other."""
    Path("seeds.txt").write_bytes(b"\xef\xbb\xbfcrate-1\r\n\r\n# ours\r\ncrate-2\r\n")
    shop.report("cargo", "collect")
    assert [row["PRODUCT_KEY"] for row in shop.tables()["PRODUCT_RUST"]] == ["crate-1", "crate-2"]


def test_second_run(shop: Any) -> None:
    """A second run asks the index conditionally, the API nothing, and leaves every row as it was."""
    shop.report("cargo", "collect", *NAMES)
    before = shop.tables(times=True)
    shop.registry.requests.clear()
    report = shop.report("cargo", "collect", *NAMES)
    assert [(one.status, one.conditional) for one in shop.registry.requests] == [(304, True)] * 4
    assert shop.asked("crates-api") == []
    assert report["rows"]["written"] == 0
    assert report["requests"]["127.0.0.1"]["not_modified"] == 4
    assert shop.tables(times=True) == before


def test_limit(shop: Any) -> None:
    """`--limit` takes the first crates in order of name."""
    shop.report("cargo", "collect", *reversed(NAMES), "--limit", "2")
    assert [row["PRODUCT_KEY"] for row in shop.tables()["PRODUCT_RUST"]] == ["crate-0", "crate-1"]


def write_lock(*packages: str) -> None:
    """Cargo.lock in the working folder, naming `crate@version`."""
    registry = "registry+https://github.com/rust-lang/crates.io-index"
    rows = [package.split("@") for package in packages]
    tables = [f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = "{registry}"\n' for name, version in rows]
    Path("Cargo.lock").write_text("version = 4\n\n" + "\n".join(tables))


def locked_rows(shop: Any) -> list[tuple[Any, ...]]:
    columns = "CRATE_NAME, VERSION, LOCK_TAGS, PINNED"
    rows = shop.sql(f"SELECT {columns} FROM TB_COMP_LIB_RUST_LIST WHERE VERSION <> '1.2.0' ORDER BY 1, 2")
    return [(name, version, json.loads(tags or "{}"), pinned) for name, version, tags, pinned in rows]


def test_a_lock_that_moved(shop: Any) -> None:
    """A lock read again replaces what it told: no version stays pinned, no crate named, that it names no more."""
    project = Path.cwd().name
    marked: dict[str, Any] = {project: ["untagged"]}
    write_lock("crate-0@1.0.0", "crate-1@1.0.0")
    shop.report("cargo", "collect", "--lock", ".")
    assert locked_rows(shop) == [
        ("crate-0", "1.0.0", marked, 1),
        ("crate-0", "1.1.0", {}, 0),
        ("crate-1", "1.0.0", marked, 1),
        ("crate-1", "1.1.0", {}, 0),
    ]
    write_lock("crate-0@1.1.0")
    shop.report("cargo", "collect", "--lock", ".")
    assert locked_rows(shop) == [
        ("crate-0", "1.0.0", {}, 0),
        ("crate-0", "1.1.0", marked, 1),
        ("crate-1", "1.0.0", {}, 0),
        ("crate-1", "1.1.0", {}, 0),
    ]


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_tags_of_several_runs(shop: Any) -> None:
    """Tags read in different runs stand side by side; one that cannot be read takes nothing from what it told."""
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgSign=false")
    subprocess.run([*git, "init", "--quiet"], check=True)
    for tag, version in (("v1", "1.0.0"), ("v2", "1.1.0")):
        write_lock(f"crate-0@{version}")
        subprocess.run([*git, "add", "Cargo.lock"], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", tag], check=True)
        subprocess.run([*git, "tag", tag], check=True)
        shop.report("cargo", "collect", "--lock", ".", "--tag", tag)
    project = Path.cwd().name
    both = [("crate-0", "1.0.0", {project: ["v1"]}, 1), ("crate-0", "1.1.0", {project: ["v2"]}, 1)]
    assert locked_rows(shop) == both
    subprocess.run([*git, "tag", "-d", "v1"], check=True, stdout=subprocess.DEVNULL)
    shop.report("cargo", "collect", "--lock", ".", "--tag", "v1", code=1)
    assert locked_rows(shop) == both


def test_what_another_worker_holds(shop: Any) -> None:
    """A crate that another worker is at is collected all the same: that one knew nothing of this run."""
    shop.report("cargo", "collect", "crate-0")
    write_lock("crate-0@1.0.0")

    def end_when_told(ledger: Ledger, events: Sequence[Event]) -> None:
        while not shop.sql("SELECT 1 FROM TB_COMP_LIB_PIN"):
            pass
        with ledger.transaction() as transaction:
            settle(transaction, INDEX, [(event, Outcome(Code.COMPLETE)) for event in events], ledger.clock.now())

    with open_ledger(read_settings(os.environ, Path.cwd())) as ledger:
        ledger.announce([Announcement(INDEX.name, "crate-0", fresh_for=0.0)])
        other = threading.Thread(target=end_when_told, args=(ledger, ledger.claim(INDEX.name, 1)), daemon=True)
        other.start()
        shop.report("cargo", "collect", "--lock", ".")
        other.join()
    assert locked_rows(shop)[0] == ("crate-0", "1.0.0", {Path.cwd().name: ["untagged"]}, 1)


def test_resync(shop: Any) -> None:
    """`--resync` collects again what is stored and unchanged, and leaves the same rows."""
    shop.report("cargo", "collect", *NAMES)
    before = shop.tables()
    shop.registry.requests.clear()
    report = shop.report("cargo", "collect", *NAMES, "--resync")
    assert {one.status for one in shop.registry.requests} == {200}
    assert report["rows"]["written"] > 0
    assert shop.tables() == before


def test_every_change_upstream(open_shop: Callable[..., Any]) -> None:
    """Publish, yank, un-yank, a version gone, a crate gone and other content show in the row and in the history."""
    shop = open_shop(sample_world())
    names = "fresnel-lens lamp-oil tide_tables driftwood-buoys oar kelp-net".split()
    shop.report("cargo", "collect", *names)
    world = shop.world
    gone, changed = world.crate("driftwood-buoys").releases[0].version, world.crate("oar").releases[-1].version
    world.publish("fresnel-lens", "2.3.0")
    world.yank("lamp-oil", "1.1.0", "Smokes")
    world.unyank("tide_tables", "0.2.0")
    world.delete_version("driftwood-buoys", gone)
    checksum = world.replace_checksum("oar", changed)
    world.delete_crate("kelp-net")
    report = shop.report("cargo", "collect", *names, code=1)
    assert [one["event"] for one in report["failures"]] == ["kelp-net (index)"]
    history = set(shop.history())
    assert {
        ("fresnel-lens", "published", "2.3.0"),
        ("lamp-oil", "yanked", "1.1.0"),
        ("tide_tables", "unyanked", "0.2.0"),
        ("driftwood-buoys", "deleted", gone),
        ("oar", "checksum_changed", changed),
        ("kelp-net", "deleted", ""),
    } == {one for one in history if one[1] != "latest_changed"}
    one = "SELECT {} FROM TB_COMP_LIB_RUST_LIST WHERE CRATE_NAME = ? AND VERSION = ?"
    assert shop.sql(one.format("YANKED"), "lamp-oil", "1.1.0") == [(1,)]
    assert shop.sql(one.format("YANKED"), "tide_tables", "0.2.0") == [(0,)]
    assert shop.sql(one.format("CHECKSUM"), "oar", changed) == [(checksum,)]
    assert shop.sql(one.format("DELETED_AT IS NOT NULL"), "driftwood-buoys", gone) == [(1,)]
    assert shop.sql("SELECT COMP_STATUS FROM TB_COMP_LIB_PRODUCT_RUST WHERE PRODUCT_KEY = 'kelp-net'") == [(9,)]
    assert shop.sql(
        "SELECT YANK_MESSAGE FROM TB_COMP_LIB_VERSION_RUST WHERE PRODUCT_KEY = 'lamp-oil' AND VERSION = '1.1.0'"
    ) == [("Smokes",)]


def test_the_sample_world(open_shop: Callable[..., Any]) -> None:
    """Latest versions of the sample world are those its API calls default; what is unreadable is listed."""
    shop = open_shop(sample_world())
    report = shop.report("cargo", "collect", *[crate.name for crate in shop.world.crates.values()], code=1)
    assert {one["error"] for one in report["failures"]} == {"malformed"}
    from stook.testing.crates import default_release

    latest = {row["NAME"]: row["LATEST_VERSION"] for row in shop.tables()["PRODUCT_RUST"]}
    expected = {crate.name: default_release(crate).version for crate in shop.world.crates.values()}
    assert latest == expected | {"message-in-a-bottle": latest["message-in-a-bottle"]}


def test_pace(open_shop: Callable[..., Any], make_world: Callable[..., Any]) -> None:
    """API requests keep the gap whatever the number of tasks; the User-Agent tells the contact."""
    shop = open_shop(make_world(10, 1), STOOK_CARGO_API_GAP="0.1")
    report = shop.report("cargo", "collect", *[f"crate-{number}" for number in range(10)], "--tasks", "32")
    assert len(shop.asked("crates-api")) == 10
    assert report["seconds"] >= 9 * 0.1  # the far side's clock would tell of this machine's stalls, too
    assert all("(+tester@stook.invalid)" in one.user_agent for one in shop.registry.requests)


def test_api_refuses(open_shop: Callable[..., Any], make_world: Callable[..., Any]) -> None:
    """After a 403 the API is asked no more in that run; the index goes on, and a later run fills in."""
    shop = open_shop(make_world(), STOOK_CARGO_API_GAP="0.05")
    shop.registry.fault("crates-api", "status", status=403)
    report = shop.report("cargo", "collect", *NAMES, code=1)
    assert len(shop.asked("crates-api")) == 1
    assert [(one["event"], one["error"]) for one in report["failures"]] == [("lane cargo.api", "lane_closed")]
    assert "403" in report["failures"][0]["reason"]
    assert report["notes"]["deferred"] == {"cargo.api": 4}
    assert len(shop.tables()["VERSION_RUST"]) == 12
    assert shop.sql("SELECT ATTEMPTS, PROCESSED FROM TB_CRAWLER_POLL WHERE QUEUE = 'cargo-api'") == [(0, 0)] * 4
    shop.registry.clear_faults()
    shop.report("cargo", "collect", *NAMES)
    assert all(row["LICENSE"] for row in shop.tables()["VERSION_RUST"])


def test_api_slows_down(open_shop: Callable[..., Any], make_world: Callable[..., Any]) -> None:
    """After a 429 with Retry-After the API's lane waits as long; the index goes on meanwhile."""
    shop = open_shop(make_world(), STOOK_THROTTLE_BASE="0.2", STOOK_CARGO_INDEX_GAP="0.05")
    shop.registry.fault("crates-api", "status", status=429, headers={"Retry-After": "1"}, first=1)
    report = shop.report("cargo", "collect", *NAMES)
    api, index = shop.asked("crates-api"), shop.asked("crates-index")
    assert api[0].status == 429
    again = min(one.started for one in api if one.status == 200)
    assert again - api[0].started >= 0.98
    assert any(api[0].started < one.started < again for one in index)
    assert report["requests"]["127.0.0.1"]["throttled"] >= 1


FAULTS = [
    ("truncate", {}, "truncated"),
    ("reset", {}, "connection lost"),
    ("status", {"status": 500}, "HTTP 500"),
    ("status", {"status": 403}, "HTTP 403"),
    ("wrong_type", {}, "content type"),
    ("redirect", {}, "redirect loop"),
    ("garbage", {}, "unreadable index line"),
]


@pytest.mark.parametrize(("kind", "more", "reason"), FAULTS, ids=[f"{kind}-{more}" for kind, more, _ in FAULTS])
def test_faults_of_the_index(shop: Any, kind: str, more: dict[str, Any], reason: str) -> None:
    """One crate's fault is listed with its reason, the rest completes; after it ends, a run completes all."""
    shop.registry.fault("crate-1$", kind, **more)
    report = shop.report("cargo", "collect", *NAMES, code=1)
    about = [one for one in report["failures"] if "crate-1" in one["event"]]
    assert about == report["failures"]
    assert any(reason in one["reason"] for one in about)
    others = shop.sql("SELECT COUNT(*) FROM TB_COMP_LIB_VERSION_RUST WHERE PRODUCT_KEY <> 'crate-1' AND PROCESSED = 1")
    assert others == [(9,)]
    shop.registry.clear_faults()
    assert shop.report("cargo", "collect", *NAMES)["failures"] == []
    assert len([row for row in shop.tables()["VERSION_RUST"] if row["PROCESSED"] == 1]) == 12


def test_a_line_that_stays_broken(shop: Any) -> None:
    """Each run names it and ends with 1 until it is mended; `show` says that it is kept aside, and why."""
    shop.report("cargo", "collect", "crate-1")
    shop.world.publish("crate-1", "8.0.0")
    shop.registry.fault("crates-index.*crate-1$", "garbage", text='{"name":"crate-1","vers":"9.0.0","deps":0}')
    for _ in range(2):
        (failure,) = shop.report("cargo", "collect", "crate-1", code=1)["failures"]
        assert "crate-1@9.0.0" in failure["event"]
    assert "is kept aside" in shop.run("show", "cargo", "crate-1", "9.0.0", code=2).stderr
    assert "kept aside    9.0.0: unreadable" in shop.run("show", "cargo", "crate-1").stdout
    shop.registry.clear_faults()
    shop.report("cargo", "collect", "crate-1")
    assert "kept aside" not in shop.run("show", "cargo", "crate-1").stdout


@pytest.mark.parametrize(
    ("kind", "more", "reason"),
    [
        ("truncate", {}, "truncated"),
        ("reset", {}, "connection lost"),
        ("status", {"status": 500}, "HTTP 500"),
        ("wrong_type", {}, "content type"),
        ("redirect", {}, "redirect loop"),
        ("garbage", {}, "unreadable API answer"),
    ],
)
def test_faults_of_the_api(shop: Any, kind: str, more: dict[str, Any], reason: str) -> None:
    """The API's fault loses that crate's enrichment only; a later run fills it in."""
    shop.registry.fault("crates-api.*crate-1$", kind, **more)
    report = shop.report("cargo", "collect", *NAMES, code=1)
    (failure,) = report["failures"]
    assert (failure["event"], report["waiting"]) == ("crate-1 (api)", {failure["code"]: 1})
    assert reason in failure["reason"]
    assert len(shop.tables()["VERSION_RUST"]) == 12
    shop.registry.clear_faults()
    shop.report("cargo", "collect", *NAMES)
    assert all(row["LICENSE"] for row in shop.tables()["VERSION_RUST"])


def test_unknown_to_the_api(shop: Any) -> None:
    """The API's 404 is no failure of the run: it loses that crate's enrichment, and a later run fills it in."""
    shop.registry.fault("crates-api.*crate-1$", "status", status=404)
    report = shop.report("cargo", "collect", *NAMES)
    assert report["failures"] == []
    assert report["notes"]["not_enriched"] == {"cargo-api": 1}
    shop.registry.clear_faults()
    shop.report("cargo", "collect", *NAMES)
    assert all(row["LICENSE"] for row in shop.tables()["VERSION_RUST"])


@pytest.mark.parametrize("kind", ["latency", "drip"])
def test_slow_answers(shop: Any, kind: str) -> None:
    """A slow answer is an answer."""
    shop.registry.fault("crate-1$", kind, seconds=0.2)
    assert shop.report("cargo", "collect", *NAMES)["failures"] == []


def test_no_such_crate(shop: Any) -> None:
    """A crate that the index does not have is listed, makes no row, and does not stop the others."""
    report = shop.report("cargo", "collect", "crate-0", "nowhere", code=1)
    (failure,) = report["failures"]
    assert (failure["event"], failure["error"]) == ("nowhere (index)", "not_found")
    assert [row["PRODUCT_KEY"] for row in shop.tables()["PRODUCT_RUST"]] == ["crate-0"]


def test_spelt_alike(shop: Any) -> None:
    """A name that is not found is told the stored crate that is spelt alike."""
    shop.report("cargo", "collect", "crate-0")
    report = shop.report("cargo", "collect", "Crate_0", code=1)
    assert "crate-0" in report["failures"][0]["reason"]
    assert "did you mean crate-0?" in shop.run("show", "cargo", "crate_0", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["9lives"], "not a crate name: '9lives'"),
        (["../etc/passwd"], "not a crate name"),
        ([], "nothing to collect"),
        (["--seeds", "nowhere.txt"], "nowhere.txt"),
        (["crate-0", "--lock", ""], "--lock is empty"),
        (["crate-0", "--limit", "0"], "--limit"),
        (["crate-0", "--tasks", "0"], "--tasks"),
        (["--lock", "no-such-project"], "no-such-project"),
        (["crate-0", "--tag", "v1"], "say which with --lock"),
    ],
)
def test_mistakes(shop: Any, arguments: list[str], sentence: str) -> None:
    """A mistake ends with 2 and one sentence, before anything is asked."""
    result = shop.run("cargo", "collect", *arguments, code=2)
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert shop.registry.requests == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_while_locks_are_read(
    shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """Whichever signal ends it, no child goes on, and no folder is left."""
    told, folder = tmp_path / "told", tmp_path / "folders"
    os.mkfifo(told)
    folder.mkdir()
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    more_than_a_pipe_holds = "head -c 100000 /dev/zero"  # so it is read from, once the child has told its number
    git.write_text(f"#!/bin/sh\n{more_than_a_pipe_holds}\necho $$ >'{told}'\nexec sleep 60\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(folder))
    process = shop.start("cargo", "collect", "--lock", "https://git.example/x", "--tag", "v1.0.0")
    child = int(told.read_text())
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said.partition(".")[0]) == (130, "Interrupted")
    assert list(folder.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_tag_that_stays_away_is_not_asked_for_again(shop: Any, tmp_path: Path) -> None:
    """Where only locks failed, the same command again would change nothing, and is not suggested."""
    lock = '[[package]]\nname = "crate-1"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n'
    good, bad = tmp_path / "good", tmp_path / "bad"
    for folder, text in ((good, f"version = 3\n{lock}"), (bad, "version = [")):
        folder.mkdir()
        (folder / "Cargo.lock").write_text(text)
    assert shop.report("cargo", "collect", "--lock", str(good))["next"] == ["stook show cargo crate-1"]
    report = shop.report("cargo", "collect", "crate-2", "--lock", str(bad), code=1)
    assert [one["code"] for one in report["failures"]] == ["malformed"]
    assert report["next"] == ["stook show cargo crate-2"]


def test_live_registry_wants_a_contact(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """crates.io itself is not asked without a contact."""
    monkeypatch.setenv("STOOK_CONTACT", "")
    monkeypatch.setenv("STOOK_CARGO_API_URL", "https://crates.io")
    assert "STOOK_CONTACT" in shop.run("cargo", "collect", "crate-0", code=2).stderr


def test_unreachable_database(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that cannot be used ends with 3, and says which and what to do."""
    monkeypatch.setenv("STOOK_DB", "sqlite:////proc/nowhere/stook.db")
    result = shop.run("cargo", "collect", "crate-0", code=3)
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_unreachable_index(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When nobody answers at all, the run ends with 3, and says what was tried and what to do."""
    monkeypatch.setenv("STOOK_CARGO_INDEX_URL", f"http://127.0.0.1:{free_port()}/")
    result = shop.run("cargo", "collect", *NAMES, "--json", code=3)
    report = json.loads(result.stdout)
    assert report["failures_total"] == 4
    assert "127.0.0.1 (4 requests)" in result.stderr
    assert "stook settings" in result.stderr


def test_unreachable_api(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When only the API is away, what the index says is kept, and the run ends with 1."""
    monkeypatch.setenv("STOOK_CARGO_API_URL", f"http://127.0.0.1:{free_port()}")
    assert shop.report("cargo", "collect", *NAMES, code=1)["failures_total"] == 4
    assert len(shop.tables()["VERSION_RUST"]) == 12


def test_what_is_not_there_is_not_suggested(shop: Any) -> None:
    """What to run next works: a crate that the index does not have is not one to show."""
    assert shop.report("cargo", "collect", "nobody", code=1)["next"] == []
    assert shop.report("cargo", "collect", "a-nobody", "crate-1", code=1)["next"] == ["stook show cargo crate-1"]


def test_for_people(shop: Any) -> None:
    """Without --json the closing tables tell of index and API, and what to do next."""
    shown = shop.run("cargo", "collect", *NAMES).stdout
    for text in ("complete", "crates.io index", "crates.io API", "127.0.0.1", "Next: stook show cargo crate-0"):
        assert text in shown
