"""A product in a package of its own: installed beside Stook it has all that a built-in one has, and no file changes."""

from __future__ import annotations

import ast
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from packages import install

import stook

TOY = Path(__file__).parent / "toy"
SOURCE = Path(stook.__file__).parents[1]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A web server that says nothing on stderr."""

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def lights(tmp_path: Path) -> Iterator[str]:
    """The toy's registry: two lights on loopback."""
    site = tmp_path / "lights"
    site.mkdir()
    (site / "kullen.txt").write_text("white\n")
    (site / "anholt.txt").write_text("red\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def call(tmp_path: Path, lights: str) -> Any:
    """Runs `stook` in a process that finds the installed toy."""
    packages = tmp_path / "packages"
    packages.mkdir()
    install(TOY, packages)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(SOURCE), str(packages)]),
        "STOOK_DB": f"sqlite:///{tmp_path / 'lights.db'}",
        "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
        "STOOK_CONTACT": "tester@stook.invalid",
        "STOOK_LIGHTS_LIST_URL": lights,
        "STOOK_LIGHTS_LIST_GAP": "0",
    }

    def run(*arguments: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "stook", *arguments]
        done = subprocess.run(
            command, env=environment | more, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), f"{done.stdout}\n{done.stderr}"
        return done

    return run


def test_everything_a_product_brings(call: Any, tmp_path: Path) -> None:
    """Settings, queues, a table with its migration, commands and a view are there as soon as it is installed."""
    assert "lights    Collect lighthouses." in call("--help").stdout
    report = json.loads(call("lights", "collect", "kullen", "anholt", "nowhere", "--json", code=1).stdout)
    assert report["counts"] == {"complete": 1, "excluded": 1, "not_found": 1}
    assert [(one["name"], one["code"]) for one in report["failures"]] == [("nowhere", "not_found")]
    assert json.loads(call("show", "lights", "kullen", "--json").stdout)["colour"] == "white"
    assert "stook lights collect anholt" in call("show", "lights", "anholt", code=2).stderr
    assert "lights.list_url = http://127.0.0.1" in call("settings").stdout
    assert json.loads(call("queue", "status", "--product", "lights", "--json").stdout)[0]["queue"] == "lights"
    assert json.loads(call("work", "lights", "--once", "--json").stdout)["failures"] == []


def test_a_dump(call: Any, tmp_path: Path) -> None:
    """A command of its own reads a dump from a file, in transactions of its own; a bad line is listed."""
    (tmp_path / "dump.txt").write_text("vinga red\nmorups\nkullen white\nanholt white\n")
    report = json.loads(call("lights", "load", "dump.txt", "--json", code=1).stdout)
    assert (report["rows"]["written"], report["failures_by_code"]) == (3, {"malformed": 1})
    assert "vinga" in call("show", "lights", "vinga").stdout


def test_its_rules_hold(call: Any) -> None:
    """Its own check refuses a run, and its own readers refuse values, like those of a built-in product."""
    assert "require a contact" in call("lights", "collect", "kullen", code=2, STOOK_CONTACT="").stderr
    assert "require a contact" in call("work", "lights", "--once", code=2, STOOK_CONTACT="").stderr
    assert "one of white, red" in call("settings", code=2, STOOK_LIGHTS_COLOUR="green").stderr
    assert "did you mean STOOK_LIGHTS_COLOUR?" in call("settings", code=2, STOOK_LIGHTS_COLUR="red").stderr


def test_a_database_outlives_it(call: Any, tmp_path: Path) -> None:
    """Without the package its database is still in use: its tables and its branch stay as they are."""
    call("lights", "collect", "kullen")
    without = {"PYTHONPATH": str(SOURCE), "STOOK_LIGHTS_LIST_URL": "", "STOOK_LIGHTS_LIST_GAP": ""}
    assert "no setting" in call("queue", "status", code=2, **without).stderr
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STOOK_")}
    done = subprocess.run(
        [sys.executable, "-m", "stook", "--db", f"sqlite:///{tmp_path / 'lights.db'}", "queue", "status"],
        env=environment | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "white" in call("show", "lights", "kullen").stdout


def test_it_uses_the_public_interface_only() -> None:
    """No file of the toy imports anything of Stook but `stook.api`."""
    imported = {
        node.module
        for file in TOY.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "stook"
    }
    assert imported == {"stook.api"}
