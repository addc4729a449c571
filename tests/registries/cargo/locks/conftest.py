"""Tiny repositories, a sparse index and a git server on loopback: the real things made small."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stook.registries.cargo.locks import LockReading, read_locks


def dependency(name: str, **more: object) -> dict[str, object]:
    """A dependency as an index line has it."""
    plain = {"name": name, "req": "^1", "features": [], "optional": False, "default_features": True}
    return plain | {"target": None, "kind": "normal"} | more


def line(name: str, version: str, *deps: dict[str, object]) -> str:
    """One version in an index file."""
    facts = {"name": name, "vers": version, "deps": deps, "cksum": version[0] * 64, "features": {}, "yanked": False}
    return json.dumps(facts) + "\n"


INDEX = {
    "/config.json": json.dumps({"dl": "http://127.0.0.1:9/dl"}),
    "/al/ph/alpha": line("alpha", "1.0.0") + line("alpha", "1.1.0"),
    "/be/ta/beta": line("beta", "1.2.0", dependency("alpha"), dependency("renamed", package="gamma-rs")),
    "/ga/mm/gamma-rs": line("gamma-rs", "1.0.5"),
}


class Server:
    """A loopback server: what it was asked, and where it is."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Pages(BaseHTTPRequestHandler):
    """Answers from a mapping of paths, and remembers every request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def __init__(self, server: Server, pages: Mapping[str, str], *rest: object) -> None:
        self.log, self.pages = server, pages
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.log.asked.append(self.path)
        page = self.pages.get(self.path)
        self.answer(404 if page is None else 200, (page or "").encode())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class GitPages(Pages):
    """Git's own smart HTTP server, run as a CGI program; `pages` holds the folder of repositories."""

    def do_GET(self) -> None:
        self.log.asked.append(self.path)
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        facts = {"GIT_PROJECT_ROOT": self.pages["root"], "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": parts.path}
        facts |= {"REQUEST_METHOD": self.command, "QUERY_STRING": parts.query, "PATH": os.environ["PATH"]}
        facts |= {"CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body))}
        facts |= {"GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "HTTP_CONTENT_ENCODING": ""}
        facts["HTTP_CONTENT_ENCODING"] = self.headers.get("Content-Encoding", "")
        settings = ["-c", "uploadpack.allowFilter=true", "-c", "uploadpack.allowAnySHA1InWant=true"]
        ended = subprocess.run(
            ["git", *settings, "http-backend"], env=facts, input=body, capture_output=True, check=True
        )
        self.relay(ended.stdout)

    def do_POST(self) -> None:
        self.do_GET()

    def relay(self, output: bytes) -> None:
        head, _, body = output.partition(b"\r\n\r\n")
        headers = dict(row.split(": ", 1) for row in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(handler: type[Pages], pages: Mapping[str, str]) -> Iterator[Server]:
    """A server on a free loopback port, ended afterwards."""
    server = Server()
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, server, pages)) as httpd:
        server.port = httpd.server_address[1]
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        yield server
        httpd.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def needs_cargo() -> None:
    """Skip where there is no cargo."""
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")


@pytest.fixture(scope="session")
def needs_git() -> None:
    """Skip where there is no git."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")


@pytest.fixture
def index() -> Iterator[Server]:
    """A sparse index of three crates."""
    with serving(Pages, INDEX) as server:
        yield server


@pytest.fixture
def stranger() -> Iterator[Server]:
    """A server that nobody should ever ask."""
    with serving(Pages, {}) as server:
        yield server


@pytest.fixture
def git_server(needs_git: None, tmp_path: Path) -> Iterator[Server]:
    """Serves the repositories below `tmp_path` as a forge does."""
    with serving(GitPages, {"root": str(tmp_path)}) as server:
        yield server


class Repo:
    """A git repository that tests fill: `add` writes files and tags what is there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, text: str = "") -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgSign=false"]
        command = ["git", *who, "-C", str(self.path), *arguments]
        environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(command, env=environment, input=text.encode(), check=True, capture_output=True)
        return done.stdout.decode().strip()

    def add(self, tag: str, files: Mapping[str, str]) -> str:
        for name, text in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "-m", tag)
        self.git("tag", "-a", "-m", tag, tag)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(needs_git: None, tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "thing")


Read = Callable[..., LockReading]


@pytest.fixture
def read(index: Server) -> Read:
    """`read_locks` with the loopback index and no presets."""

    def call(spec: object, *tags: str, **more: object) -> LockReading:
        return read_locks(str(spec), tags, **{"index_url": index.url, "presets": {}, "timeout": 60, **more})  # type: ignore[arg-type]

    return call


@pytest.fixture
def manifest() -> Callable[..., str]:
    """A manifest with the given lines below `[dependencies]`."""

    def text(*dependencies: str, name: str = "thing") -> str:
        head = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
        return head + "\n".join(dependencies) + "\n"

    return text
