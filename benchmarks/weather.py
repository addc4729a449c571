"""A small registry for the chaos run, by the standard library alone: crates, modules, faults, and poison among them.

python benchmarks/weather.py PORT FOLDER CRATES MODULES      the file FOLDER/calm ends the faults
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from urllib.parse import parse_qs, urlsplit

VERSIONS = ("1.0.0", "1.1.0", "2.0.0-rc.1")
CRATE_POISON = ("bomb-empty", "bomb-deep", "bomb-long", "bomb-large")
MODULE_POISON = ("retracts", "requires", "word", "list", "origin")
FAULTS = {"503": 0.03, "reset": 0.03, "cut": 0.03, "slow": 0.03}  # share of requests
pause = Event().wait


def checksum(name: str, version: str) -> str:
    return hashlib.sha256(f"{name} {version}".encode()).hexdigest()


def is_yanked(name: str, version: str) -> bool:
    return version == "1.0.0" and int(name.rpartition("-")[2]) % 3 == 0


def module(number: int) -> str:
    return f"example.org/module-{number}"


def poison(kind: str) -> str:
    return f"example.org/poison-{kind}"


def index_file(name: str) -> bytes:
    lines = []
    for version in VERSIONS:
        line = {"name": name, "vers": version, "deps": [], "cksum": checksum(name, version), "features": {}}
        lines.append(json.dumps(line | {"yanked": is_yanked(name, version)}))
    return ("\n".join(lines) + "\n").encode()


@cache
def bomb(name: str) -> bytes:
    head = b'{"name":"%s","vers":"1.0.0","cksum":"%s","features":{},"deps":' % (name.encode(), b"0" * 64)
    return {
        "bomb-empty": b"{}\n" * 3_000_000,
        "bomb-deep": head + b"[" * 5000 + b"]" * 5000 + b"}\n",
        "bomb-long": head + b'[{"name":"' + b"x" * 6_000_000 + b'","req":"1"}]}\n',
        "bomb-large": b"x" * 60_000_000,
    }[name]


def api_answer(name: str) -> bytes:
    versions = [{"num": version, "license": f"LIC-{version}", "downloads": 7} for version in VERSIONS]
    return json.dumps({"crate": {"name": name, "description": f"About {name}"}, "versions": versions}).encode()


@cache
def go_mod(path: str) -> bytes:
    head = f"module {path}\n\ngo 1.21\n\n".encode()
    kind = path.rpartition("poison-")[2] if "poison-" in path else ""
    if kind == "retracts":
        return head + b"// " + b"c" * 200_000 + b"\nretract (\n" + b"v1.0.1\n" * 90_000 + b")\n"
    if kind == "requires":
        return head + b"require (\n" + b"".join(b"a.b/c%d v1.0.0\n" % one for one in range(300_000)) + b")\n"
    if kind == "word":
        return head + b'replace "' + b"\\" * 15_000_000
    return head + b"require example.org/dep v1.0.0\n"


def go_info(path: str, version: str) -> bytes:
    told = json.dumps({"Version": version, "Time": "2020-01-01T00:00:00Z"}).encode()
    if path == poison("origin"):
        return told[:-1] + b',"Origin":{"VCS":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}}"
    return told


def go_list(path: str) -> bytes:
    if path == poison("list"):
        return b"".join(b"v1.0.%d\n" % number for number in range(600_000))
    return b"v1.0.0\nv1.1.0\nv1.2.0\n"


class Weather(BaseHTTPRequestHandler):
    """Answers, or does not."""

    protocol_version = "HTTP/1.1"
    folder: Path
    crates = modules = 0
    rows: tuple[dict[str, str], ...] = ()

    def log_message(self, format: str, *arguments: object) -> None:
        """Not on stderr; a line a request in a file."""

    def do_GET(self) -> None:
        with (self.folder / "requests").open("a") as log:
            log.write(f"{time.time():.3f}\n")
        fault = ""
        if not (self.folder / "calm").exists():
            (fault,) = random.choices([*FAULTS, ""], [*FAULTS.values(), 1 - sum(FAULTS.values())])
        if fault == "slow":
            pause(0.5)
        if fault == "reset":
            self.close_connection = True
            return
        status, body = (503, b"") if fault == "503" else self.answer()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/plain" if "/index/" in self.path else "application/json")
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault == "cut" else body)
        self.close_connection = fault == "cut"

    def answer(self) -> tuple[int, bytes]:
        parts = urlsplit(self.path)
        _, base, rest = parts.path.split("/", 2)
        query = parse_qs(parts.query)
        if base == "index":
            name = rest.rpartition("/")[2]
            return self.crate(name, bomb(name) if name in CRATE_POISON else index_file(name))
        if base == "api":
            return self.crate(rest.rpartition("/")[2], api_answer(rest.rpartition("/")[2]))
        if base == "feed":
            return 200, self.page(query.get("since", [""])[0], int(query.get("limit", ["2000"])[0]))
        if base == "site":
            page = {"path": rest.partition("module/")[2], "version": query["version"][0]}
            return 200, json.dumps(page | {"licenses": [{"types": ["MIT"]}]}).encode()
        path, _, rest = rest.removeprefix("cached-only/").partition("/@")
        if not path.startswith("example.org/"):
            return 404, b"not found: unrecognized import path"
        if rest == "v/list":
            return 200, go_list(path)
        version, _, ending = rest.removeprefix("v/").rpartition(".")
        return 200, go_mod(path) if ending == "mod" else go_info(path, version)

    def crate(self, name: str, body: bytes) -> tuple[int, bytes]:
        if name == "config.json":
            return 200, b'{"dl":"http://127.0.0.1/dl"}'
        return (200, body) if name in CRATE_POISON or name.startswith("crate-") else (404, b"")

    def page(self, since: str, limit: int) -> bytes:
        shown = [row for row in self.rows if row["Timestamp"] >= since][:limit]
        return "".join(json.dumps(row) + "\n" for row in shown).encode()


def feed(modules: int) -> tuple[dict[str, str], ...]:
    """Three versions a module, one of each poison; the poison stands among the good."""
    paths = [module(number) for number in range(modules)]
    for place, kind in enumerate(MODULE_POISON):
        paths.insert((place + 1) * modules // (len(MODULE_POISON) + 1), poison(kind))
    events = [(path, f"v1.{minor}.0") for path in paths for minor in range(1 if "poison" in path else 3)]
    stamps = (f"2020-01-01T{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}.000001Z" for s in range(len(events)))
    return tuple(
        {"Path": path, "Version": version, "Timestamp": stamp}
        for (path, version), stamp in zip(events, stamps, strict=True)
    )


def main() -> None:
    port, folder, crates, modules = sys.argv[1:]
    Weather.folder, Weather.crates, Weather.modules = Path(folder), int(crates), int(modules)
    Weather.rows = feed(int(modules))
    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer(("127.0.0.1", int(port)), Weather).serve_forever()


if __name__ == "__main__":
    main()
