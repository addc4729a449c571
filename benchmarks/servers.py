"""Database servers of one's own, in a temporary folder, to be stopped and started in the middle of a run."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

PATIENCE = 60.0  # seconds until a server must answer

pause = Event().wait
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/sbin", "/usr/bin", "/usr/local/bin")


def program(name: str) -> str | None:
    """Where a program is; PostgreSQL's are seldom on the path."""
    if found := shutil.which(name):
        return found
    found_all = sorted(path for place in PLACES for path in Path("/").glob(f"{place[1:]}/{name}"))
    return str(found_all[-1]) if found_all else None


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@dataclass
class Server:
    """One server. `stop` ends it as a restart does, or, in a hurry, as a power cut does."""

    url: str
    command: list[str]
    port: int
    account: str | None
    hurried: int = 9
    polite: int = 15
    process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=self.account, cwd="/"
        )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.command[0]} ended with {self.process.returncode}")
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            pause(0.1)
        raise RuntimeError(f"{self.command[0]} does not answer")

    def stop(self, *, hurried: bool = False) -> None:
        if self.process:
            self.process.send_signal(self.hurried if hurried else self.polite)
            self.process.wait()
            self.process = None


def _account(name: str) -> str | None:
    """Servers refuse to run as root."""
    if os.getuid() != 0:
        return None
    try:
        return pwd.getpwnam(name).pw_name
    except KeyError:
        return None


def _own(folder: Path, account: str | None) -> None:
    if account:
        entry = pwd.getpwnam(account)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    folder.chmod(0o700)
    for parent in folder.parents:  # a folder of pytest's is for its owner alone
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)


@contextmanager
def postgresql(folder: Path) -> Iterator[Server]:
    """A PostgreSQL; SIGINT is its fast shutdown, SIGQUIT its crash."""
    initdb, postgres = program("initdb"), program("postgres")
    if not initdb or not postgres:
        raise FileNotFoundError("PostgreSQL is not installed")
    account, port = _account("postgres"), free_port()
    data = folder / "pg"
    data.mkdir(parents=True)
    _own(data, account)
    subprocess.run(
        [initdb, "-D", str(data), "-A", "trust", "-U", "stook", "-N", "--locale=C.UTF-8"],
        check=True, capture_output=True, user=account, cwd="/",
    )  # fmt: skip
    command = [postgres, "-D", str(data), "-p", str(port), "-k", str(data), "-c", "listen_addresses=127.0.0.1"]
    server = Server(f"postgresql://stook@127.0.0.1:{port}/postgres", command, port, account, hurried=3, polite=2)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def mariadb(folder: Path) -> Iterator[Server]:
    """A MariaDB; SIGTERM is its shutdown, SIGKILL a crash."""
    install, daemon = program("mariadb-install-db"), program("mariadbd")
    if not install or not daemon:
        raise FileNotFoundError("MariaDB is not installed")
    account, port = _account("mysql"), free_port()
    data = folder / "my"
    data.mkdir(parents=True)
    _own(data, account)
    common = ["--no-defaults", f"--datadir={data}"]
    subprocess.run(
        [install, *common, "--auth-root-authentication-method=normal", "--skip-test-db"],
        check=True, capture_output=True, user=account, cwd="/",
    )  # fmt: skip
    command = [daemon, *common, f"--port={port}", "--bind-address=127.0.0.1", f"--socket={data}/s", "--skip-log-bin"]
    server = Server(f"mysql://root@127.0.0.1:{port}/stook", command, port, account)
    server.start()
    try:
        _make_database(port)
        yield server
    finally:
        server.stop()


def _make_database(port: int) -> None:
    import pymysql  # noqa: PLC0415  only here

    connection = pymysql.connect(host="127.0.0.1", port=port, user="root")
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE stook")
