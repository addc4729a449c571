"""What holds for every test: no network beyond loopback, no settings from outside, a database of its own."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

ENGINES = ("sqlite", "postgresql", "mariadb")


class OutsideLoopback(RuntimeError):
    """A test tried to reach the network."""


_attempts: list[str] = []  # what the audit hook saw; a hook lives as long as the process


def _watch_sockets(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook, so that no way of connecting is missed, and none has to be patched."""
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        target = arguments[1][0] if isinstance(arguments[1], tuple) else None
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        target = arguments[0]
    else:
        return
    if isinstance(target, (str, bytes)) and not _is_local(target):
        _attempts.append(f"{event} {target!r}")
        raise OutsideLoopback(f"{event} {target!r}: tests use loopback and stook.testing")


def _is_local(target: str | bytes) -> bool:
    host = target.decode() if isinstance(target, bytes) else target
    if host in {"", "localhost"}:
        return True
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def pytest_configure() -> None:
    """Watch from the start: collecting tests must not reach the network either.

    A shell in the background, or nohup, leaves signals ignored, and processes that tests start would ignore them too.
    """
    sys.addaudithook(_watch_sockets)
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def outside_attempts() -> Iterator[list[str]]:
    """Fails a test that tried to leave loopback, even if it swallowed the error; the guard's own test clears it."""
    _attempts.clear()
    yield _attempts
    assert not _attempts, f"left loopback: {_attempts}"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No STOOK_… of whoever runs the suite, and no stook.toml or database of theirs."""
    for name in os.environ:
        if name.startswith("STOOK_") and not name.startswith("STOOK_TEST_"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))


def _unavailable(engine: str, error: Exception) -> None:
    """Skip, or fail where STOOK_TEST_REQUIRE names the engine."""
    reason = f"{engine} is not there (STOOK_TEST_{engine.upper()}): {error}"
    if engine in os.environ.get("STOOK_TEST_REQUIRE", "").replace(" ", "").split(","):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def _postgresql() -> Iterator[str]:
    psycopg = pytest.importorskip("psycopg")
    server = os.environ.get("STOOK_TEST_POSTGRESQL", f"postgresql://{quote(getuser())}@127.0.0.1:5432/test")
    schema = f"stook_test_{secrets.token_hex(6)}"
    try:
        connection = psycopg.connect(server, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError as error:
        _unavailable("postgresql", error)
    with connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        try:
            separator = "&" if urlsplit(server).query else "?"
            yield f"{server}{separator}options={quote(f'-csearch_path={schema}')}"
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE")
    connection.close()


@contextmanager
def _mariadb() -> Iterator[str]:
    pymysql = pytest.importorskip("pymysql")
    server = urlsplit(os.environ.get("STOOK_TEST_MARIADB", "mysql://root@127.0.0.1:3306/test"))
    database = f"stook_test_{secrets.token_hex(6)}"
    account = {"user": server.username or "", "password": server.password or ""}
    try:
        connection = pymysql.connect(host=server.hostname, port=server.port or 3306, autocommit=True, **account)
    except pymysql.err.OperationalError as error:
        _unavailable("mariadb", error)
    with connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {database}")
        try:
            yield server._replace(path=f"/{database}").geturl()
        finally:
            cursor.execute(f"DROP DATABASE {database}")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A database file of the test's own, as STOOK_DB."""
    return f"sqlite:///{(tmp_path / 'stook.db').as_posix()}"


@pytest.fixture
def postgresql_url() -> Iterator[str]:
    """A schema of the test's own on PostgreSQL, as STOOK_DB."""
    with _postgresql() as url:
        yield url


@pytest.fixture
def mariadb_url() -> Iterator[str]:
    """A database of the test's own on MariaDB or MySQL, as STOOK_DB."""
    with _mariadb() as url:
        yield url


@pytest.fixture(params=ENGINES)
def database_url(request: pytest.FixtureRequest) -> str:
    """One test, every engine: each time an empty database as STOOK_DB."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(scope="module", params=ENGINES)
def shared_database_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """As `database_url`, but one database for a whole module, whose tests empty the tables themselves."""
    if request.param == "sqlite":
        yield f"sqlite:///{(tmp_path_factory.mktemp('shared') / 'stook.db').as_posix()}"
        return
    with {"postgresql": _postgresql, "mariadb": _mariadb}[request.param]() as url:
        yield url
