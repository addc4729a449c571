"""The project's own checks: they pass on the project, and fail on the fault they guard against."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from stook.cli.main import stook
from stook.run.products import read_settings
from stook.settings import describe

SCRIPTS = Path(__file__).parents[1] / "scripts"


def only_door(package: Path, file: str, code: str) -> list[str]:
    """What the check says about a package whose one file holds this code."""
    place = package / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(code, encoding="utf-8")
    found: list[str] = list(runpy.run_path(str(SCRIPTS / "only_door.py"))["violations"](package))
    return found


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A script as `scripts/check` calls it."""
    command = [sys.executable, str(SCRIPTS / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "import socket",
        "import ssl as tls",
        "from http import client",
        "import http.client",
        "from urllib.request import urlopen",
        "from urllib import request",
        "import urllib\nurllib.request.urlopen('http://a')",
        "import aiohttp.web",
        "import httpx",
        "import requests",
        "def late():\n    import smtplib",
        "import asyncio\nasyncio.open_connection('a', 1)",
        "import asyncio as a\nasync def f():\n    await a.get_running_loop().create_connection(None)",
        "from asyncio import start_server",
        "__import__('socket')",
        "import importlib\nimportlib.import_module('ssl')",
        "from importlib import import_module\nimport_module(name)",
        "import subprocess",
        "import asyncio\nasyncio.create_subprocess_exec('git')",
        "import os\nos.system('git')",
        "from os import popen",
        "def broken(:",
    ],
)
def test_only_door_sees(tmp_path: Path, code: str) -> None:
    """Each way round the door is found, with its file and line."""
    assert "toy.py:" in only_door(tmp_path, "registries/toy.py", code)[0]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("engine/door/transport.py", "import ssl, socket, aiohttp"),
        ("testing/registry.py", "import asyncio\nasyncio.start_server(None)"),
        ("registries/cargo/locks/child.py", "import subprocess"),
        ("run/products.py", "import importlib\nimportlib.import_module(name)"),
        ("web/page.py", "from urllib.parse import urlsplit\nimport asyncio\nasyncio.sleep(0)"),
        ("web/page.py", "def f(requests, socket):\n    return requests.items(), socket.name"),
        ("registries/toy.py", "import importlib\nimportlib.import_module('stook.registries.cargo')"),
    ],
)
def test_only_door_lets_pass(tmp_path: Path, file: str, code: str) -> None:
    """The places that are listed may; names that only look like a library's are left alone."""
    assert only_door(tmp_path, file, code) == []


@pytest.mark.parametrize("place", ["engine/doorway.py", "registries/golang/locks.py", "cli/testing/x.py"])
def test_only_door_knows_whole_places(tmp_path: Path, place: str) -> None:
    """A place with a similar name is no exception."""
    assert only_door(tmp_path, place, "import subprocess, socket")


def test_a_seeded_fault_fails_the_check(tmp_path: Path) -> None:
    """The script itself ends with 1 and says which places may; a folder that is not there is no success either."""
    (tmp_path / "toy.py").write_text("import socket", encoding="utf-8")
    done = run("only_door.py", str(tmp_path))
    assert done.returncode == 1
    assert "toy.py:1: opens connections: socket" in done.stdout
    assert "engine/door/: " in done.stdout
    assert run("only_door.py", str(tmp_path / "nowhere")).returncode == 2


def test_the_project_has_one_door() -> None:
    """The project itself opens nothing but the door."""
    done = run("only_door.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_reference_is_complete(tmp_path: Path) -> None:
    """The reference pages name every setting and every command; that each word is fresh is `scripts/check`'s."""
    made = runpy.run_path(str(SCRIPTS / "docs.py"))
    pages = "".join(page.read_text(encoding="utf-8") for page in (SCRIPTS.parent / "docs" / "reference").glob("*.md"))
    wanted = [f"`{row.env}`" for row in describe(read_settings({}, tmp_path))] + [
        f"## {name}\n" for name, _ in made["_helps"](stook, None, "stook")
    ]
    assert [name for name in wanted if name not in pages] == []


def test_every_test_says_its_promise() -> None:
    """Each test function has a docstring: what it holds the project to."""
    silent = [
        f"{file.name}:{node.lineno} {node.name}"
        for file in Path(__file__).parent.rglob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert silent == []
