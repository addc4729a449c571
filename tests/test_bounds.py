"""Every reader of what a stranger sends: junk costs its own visit, and no more than its size allows."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from stook.engine.errors import StookError
from stook.engine.words import Reply
from stook.registries.cargo.api import read_crate
from stook.registries.cargo.index import read_index_file
from stook.registries.cargo.locks.lockfile import parse_lock
from stook.registries.cargo.semver import parse_semver
from stook.registries.golang.feed import parse_page
from stook.registries.golang.gomod.gomod import read
from stook.registries.golang.latest import answer_latest, find_latest, tagged_versions
from stook.registries.golang.paths import path_problem
from stook.registries.golang.proxy.documents import read_release
from stook.registries.golang.proxy.errors import judge
from stook.registries.golang.sources import read_page
from stook.registries.golang.versions.versions import is_pseudo, is_valid

MEGABYTE = 1 << 20
FLOOR = 40 * MEGABYTE  # what any document may cost, as its words and lines are limited
TIMES = 10  # its own size that a document may take in memory beyond that
STEPS = 2.6  # times more lines of Python for twice the input: n log n, and some room

Reader = Callable[[bytes], Any]


def _latest(body: bytes) -> Any:
    """The go.mod of the newest of as many versions as it has lines."""
    listing = b"".join(b"v1.0.%d\n" % number for number in range(min(body.count(b"\n"), 3000)))
    rule = find_latest("m.test/x", listing)
    need = next(rule)
    return answer_latest("m.test/x", listing, {need: body})


def _release(body: bytes) -> Any:
    return read_release("m.test/x", "v1.0.0", Reply("", 200, b'{"Version":"v1.0.0"}'), Reply("", 200, body))


def _info(body: bytes) -> Any:
    return read_release("m.test/x", "v1.0.0", Reply("", 200, body), Reply("", 200, b"module m.test/x\n"))


READERS: dict[str, Reader] = {
    "go.mod": read,
    "release": _release,
    "info": _info,
    "latest": _latest,
    "list": tagged_versions,
    "feed": parse_page,
    "tolerant feed": lambda body: parse_page(body, is_tolerant=True),
    "pkg.go.dev": lambda body: read_page("m.test/x", "v1.0.0", body),
    "proxy's no": lambda body: judge(404, body, is_fresh=True),
    "index file": lambda body: read_index_file("oar", body),
    "API": lambda body: read_crate("oar", body),
    "Cargo.lock": lambda body: parse_lock(body, index_url="https://index.test"),
    "Go version": lambda body: (is_valid(body.decode("latin1")), is_pseudo(body.decode("latin1"))),
    "Go path": lambda body: path_problem(body.decode("latin1")),
    "semver": lambda body: parse_semver(body.decode("latin1")),
}
LINE = b'{"name":"oar","vers":"1.0.%d","deps":[],"cksum":"' + b"0" * 64 + b'","features":{},"yanked":false}\n'
ROW = b'{"Path":"m.test/x","Version":"v1.0.%d","Timestamp":"2020-01-01T00:00:00Z"}\n'
JUNK: dict[str, Callable[[int], bytes]] = {
    "retractions": lambda n: b"module m.test/x\nretract (\n" + b"v1.0.0\n" * n + b")\n",
    "a long comment for each": lambda n: (
        b"//" + b"c" * n + b"\nretract (\n" + b"v1.0.0\n" * n + b")\nmodule m.test/x\n"
    ),
    "ranges": lambda n: (
        b"module m.test/x\nretract (\n" + b"".join(b"[v1.0.%d, v1.%d.0] // w\n" % (i, i) for i in range(n)) + b")\n"
    ),
    "requires": lambda n: b"module m.test/x\nrequire (\n" + b"a.b/c v1.0.0\n" * n + b")\n",
    "replaces": lambda n: b"module m.test/x\nreplace (\n" + b"a.b/c => ../x\n" * n + b")\n",
    "blocks": lambda n: b"module a.b/c\n" + b"require (\n)\n" * n,
    "parentheses": lambda n: b"(" * n,
    "commas": lambda n: b"retract [" + b"v1.0.0," * n,
    "backslashes": lambda n: b'module "' + b"\\" * n,
    "an open backtick": lambda n: b"module `" + b"a\n" * n,
    "comments": lambda n: b"//x\n" * n,
    "one word": lambda n: b"module " + b"a" * n,
    "blanks": lambda n: b" " * n + b"\n",
    "empty lines": lambda n: b"\n" * n,
    "versions": lambda n: b"".join(b"v1.0.%d\n" % i for i in range(n)),
    "many numbers": lambda n: b"v1." + b"9" * n + b".0",
    "prereleases": lambda n: b"v1.0.0-" + b"0a." * n + b"_",
    "slashes": lambda n: b"a.b" + b"/x" * n,
    "nothing in braces": lambda n: b"{}\n" * n,
    "deep arrays": lambda n: b"[" * n,
    "deep objects": lambda n: b'{"a":' * n,
    "a deep line": lambda n: b'{"name":"oar","vers":"1.0.0","deps":' + b"[" * n + b"]" * n + b"}\n",
    "a deep origin": lambda n: b'{"Version":"v1.0.0","Origin":{"a":' + b"[" * n + b"]" * n + b"}}",
    "numbers": lambda n: b"[" + b"1," * n + b"1]",
    "escapes": lambda n: b'"' + rb"\u0000" * n + b'"',
    "broken text": lambda n: b"\xff\x00\xed\xa0\x80" * n,
    "crate lines": lambda n: b"".join(LINE % i for i in range(n)),
    "one version again and again": lambda n: LINE % 1 * n,
    "feed lines": lambda n: b"".join(ROW % i for i in range(n)),
    "API versions": lambda n: b'{"crate":{"name":"oar"},"versions":[' + b'{"num":"1"},' * n + b'{"num":"1"}]}',
    "odd API versions": lambda n: b'{"crate":{"name":"oar"},"versions":[' + b'{"num":"1","license":1},' * n + b"{}]}",
    "licences": lambda n: (
        b'{"path":"m.test/x","version":"v1.0.0","licenses":['
        + b",".join(b'{"types":["L%d"]}' % i for i in range(n))
        + b"]}"
    ),
    "locked packages": lambda n: b'[[package]]\nname = "a"\nversion = "1.0.0"\n' * n,
    "deep tables": lambda n: b"a = " + b"[" * n,
    "dotted keys": lambda n: b".".join([b"a"] * n) + b" = 1\n",
}
WORST: dict[str, tuple[str, ...]] = {
    "go.mod": (
        "retractions",
        "a long comment for each",
        "ranges",
        "requires",
        "parentheses",
        "commas",
        "comments",
        "backslashes",
    ),
    "release": ("requires", "replaces"),
    "info": ("a deep origin", "escapes"),
    "latest": ("retractions", "ranges"),
    "list": ("versions", "empty lines", "many numbers"),
    "feed": ("feed lines", "nothing in braces"),
    "tolerant feed": ("nothing in braces", "deep arrays"),
    "pkg.go.dev": ("licences",),
    "index file": ("crate lines", "one version again and again", "nothing in braces", "a deep line", "broken text"),
    "API": ("API versions", "odd API versions", "deep objects"),
    "Cargo.lock": ("locked packages", "dotted keys", "deep tables"),
}
"""What each reader was found to be slowest and hungriest with."""
CASES = [
    pytest.param(reader, junk, id=f"{name}: {kind}") for name, reader in READERS.items() for kind, junk in JUNK.items()
]


@pytest.mark.parametrize(("reader", "junk"), CASES)
def test_steps(reader: Reader, junk: Callable[[int], bytes]) -> None:
    """Twice the input takes no more than twice the steps, and a little."""
    small, large = (_steps(reader, junk(size)) for size in (1000, 2000))
    assert large <= STEPS * small + 2000


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in WORST.items() for kind in kinds])
def test_memory(name: str, kind: str) -> None:
    """No junk takes more than ten times its size in memory, beside a fixed sum."""
    junk = JUNK[kind]
    body = junk(MEGABYTE // max(len(junk(100)) // 100, 1))
    tracemalloc.start()
    try:
        _try(READERS[name], body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= TIMES * len(body) + FLOOR, f"{peak:,} bytes for {len(body):,}"


def _try(reader: Reader, body: bytes) -> None:
    """Our own errors are answers; any other escapes and fails the test."""
    try:
        reader(body)
    except StookError:
        pass


def _steps(reader: Reader, body: bytes) -> int:
    """How many lines of Python are run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)
    try:
        _try(reader, body)
    finally:
        sys.settrace(None)
    return count
