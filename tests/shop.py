"""A shop: a loopback registry, a database of its own, and `stook` run against both."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import stook as stook_package
from stook.cli.main import stook
from stook.run.build import open_ledger
from stook.run.products import read_settings
from stook.testing import LoopbackRegistry, World
from stook.testing.registry import Seen

TABLES = ("RUST_LIST", "VERSION_RUST", "PRODUCT_RUST", "HISTORY")
TIMES = frozenset({"CREATED", "LAST_UPDATED", "TIMESTAMP", "SEEN_AT", "ENRICHED_AT"})


class Shop:
    """Runs `stook` in this process or as one of its own."""

    def __init__(self, registry: LoopbackRegistry, database: Path) -> None:
        self.registry = registry
        self.world = registry.world
        self.database = database

    def run(self, *arguments: str, code: int | None = 0) -> Result:
        """The command in this process; its exit code must be `code`."""
        result = CliRunner().invoke(stook, arguments, prog_name="stook")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert code is None or result.exit_code == code, f"{result.exit_code}\n{result.stdout}\n{result.stderr}"
        return result

    def report(self, *arguments: str, code: int | None = 0) -> dict[str, Any]:
        """The command's JSON report; stdout holds nothing else."""
        found: dict[str, Any] = json.loads(self.run(*arguments, "--json", code=code).stdout)
        return found

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """The command as a process of its own."""
        command = [sys.executable, "-m", "stook", *arguments]
        environment = os.environ | {"PYTHONPATH": str(Path(stook_package.__file__).parents[1])}
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def sql(self, statement: str, *values: Any) -> list[Any]:
        """A statement by hand, as an operator has it."""
        connection = sqlite3.connect(self.database, timeout=30)
        try:
            with connection:
                return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def tables(self, *, times: bool = False) -> dict[str, list[dict[str, Any]]]:
        """The registry tables as they stand, with or without what says when we wrote."""
        found = {}
        for name in TABLES:
            columns = [row[1] for row in self.sql(f"PRAGMA table_info(TB_COMP_LIB_{name})")]
            left = set() if times else TIMES | ({"ID"} if name == "HISTORY" else set())
            rows = [dict(zip(columns, row, strict=True)) for row in self.sql(f"SELECT * FROM TB_COMP_LIB_{name}")]
            plain = [{key: value for key, value in row.items() if key not in left} for row in rows]
            found[name] = sorted(plain, key=repr)
        return found

    def asked(self, what: str) -> list[Seen]:
        """Requests whose path contains this, in order."""
        return [one for one in tuple(self.registry.requests) if what in one.path]

    def history(self) -> list[tuple[str, str, str]]:
        return self.sql("SELECT PRODUCT_KEY, KIND, VERSION FROM TB_COMP_LIB_HISTORY ORDER BY SEEN_AT, KIND, VERSION")


def small_world(crates: int = 4, versions: int = 3) -> World:
    """Crates `crate-0` … with some versions each."""
    world = World()
    for number in range(crates):
        for version in range(versions):
            world.publish(f"crate-{number}", f"1.{version}.0", description=f"Crate number {number}")
    return world


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with all tables, to be copied: making them takes longer than most tests."""
    folder = tmp_path_factory.mktemp("new")
    with open_ledger(read_settings({"STOOK_DB": f"sqlite:///{folder.as_posix()}/stook.db"}, folder, {})):
        return folder / "stook.db"


@pytest.fixture
def open_shop(tmp_path: Path, new_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Shop]]:
    """Opens a shop on a world; the working folder is empty and its own."""
    opened: list[LoopbackRegistry] = []

    def open_(world: World, **environment: str) -> Shop:
        registry = LoopbackRegistry(world).__enter__()
        opened.append(registry)
        database = tmp_path / "data" / "stook.db"
        database.parent.mkdir(exist_ok=True)
        shutil.copy(new_database, database)
        told = {
            "STOOK_DB": f"sqlite:///{database.as_posix()}",
            "STOOK_CONTACT": "tester@stook.invalid",
            "STOOK_CARGO_INDEX_URL": registry.index_url,
            "STOOK_CARGO_API_URL": registry.api_url,
            "STOOK_CARGO_INDEX_GAP": "0",
            "STOOK_CARGO_API_GAP": "0",
            "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
            "STOOK_LOG": "error",
        }
        for name, value in (told | environment).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        return Shop(registry, database)

    yield open_
    for registry in opened:
        registry.__exit__(None, None, None)


@pytest.fixture
def shop(open_shop: Callable[..., Shop]) -> Shop:
    """A shop on four small crates."""
    return open_shop(small_world())


@pytest.fixture
def make_world() -> Callable[..., World]:
    """Makes small worlds: see `small_world`."""
    return small_world
