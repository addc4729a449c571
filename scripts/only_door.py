#!/usr/bin/env python3
"""Check that only the door opens connections, and that child processes and free imports stand where we know why.

import-linter sees whole modules; this sees names: `asyncio.open_connection`, `from urllib import request`,
`importlib.import_module("socket")`. Usage: only_door.py [FOLDER], by default src/stook.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Rule:
    """Names that may be used only in `places`: path prefix below the package, and the reason."""

    what: str
    modules: frozenset[str]
    attributes: frozenset[str]
    places: dict[str, str]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NETWORK = Rule(
    what="opens connections",
    modules=words(
        "socket _socket ssl _ssl socketserver"
        " http.client http.server urllib.request urllib3 ftplib imaplib nntplib poplib smtplib telnetlib xmlrpc"
        " multiprocessing.connection multiprocessing.managers asyncio.streams asyncio.selector_events"
        " aiohttp aiosignal aiohappyeyeballs httpx httpcore requests h2 h11 pycurl curl_cffi tornado twisted"
        " trio anyio websockets websocket paramiko asyncssh grpc dns aiodns pycares"
    ),
    attributes=words(
        "open_connection open_unix_connection start_server start_unix_server create_connection create_server"
        " create_unix_connection create_unix_server create_datagram_endpoint connect_accepted_socket"
        " sock_connect sock_accept sock_sendto urlopen urlretrieve getaddrinfo getnameinfo gethostbyname"
    ),
    places={
        "engine/door/": "the one way out: guard, lane, transport",
        "testing/": "its small loopback registry and scripted resolver are the other end of the door",
        "run/worker.py": "a worker process reports to its parent through a pipe",
        "run/pool.py": "worker processes report to their parent through pipes",
    },
)

PROCESSES = Rule(
    what="starts processes",
    modules=words("subprocess pty multiprocessing _posixsubprocess sh pexpect os.system os.popen os.fork"),
    attributes=words(
        "create_subprocess_exec create_subprocess_shell subprocess_exec subprocess_shell posix_spawn"
        " posix_spawnp forkpty execv execve execvp execvpe execl execle execlp execlpe spawnv spawnve spawnvp"
        " spawnvpe spawnl spawnle spawnlp spawnlpe startfile ProcessPoolExecutor"
    ),
    places={
        "engine/compute/": "computations in child processes, which cost nobody else their time or memory",
        "registries/cargo/locks/": "git and cargo resolve the locks of a project's tags",
        "run/worker.py": "one of several worker processes, and its end of the pipe",
        "run/pool.py": "worker processes, when more than one is asked for",
        "web/scan/child.py": "an external scanner runs as a child, with an empty environment and a time limit",
    },
)

IMPORTS = Rule(
    what="imports a module whose name is only known at run time",
    modules=frozenset(),
    attributes=frozenset(),
    places={
        "datasets/__init__.py": "the public names, each imported when it is first used",
        "datasets/registry.py": "flavours are the packages of its own folder",
        "api.py": "the public names, each imported from the module that it lies in when it is first used",
        "run/products.py": "products are modules called `product`, and what other packages announce",
    },
)

IMPORTERS = {"__import__", "import_module"}


@dataclass(frozen=True)
class Use:
    """A dotted name imported or written at a line; `name` is None for an import of a computed name."""

    line: int
    name: str | None
    is_import: bool = True


def uses(tree: ast.Module) -> Iterator[Use]:
    """Every module imported, every dotted name taken from one, every import by function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Use(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (Use(node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield Use(node.lineno, ast.unparse(node), is_import=False)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in IMPORTERS:
            yield Use(node.lineno, _literal(node))


def _literal(call: ast.Call) -> str | None:
    """The module that a call of `import_module` names, if it says so in plain text."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def breaks(rule: Rule, use: Use) -> bool:
    """Whether a use is one of the rule's modules, something in them, or one of its attributes."""
    if use.name is None:
        return rule is IMPORTS
    parts = use.name.split(".")
    heads = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    if not use.is_import:
        heads -= {parts[0]}  # a variable may be called `requests`; only an import says it is the module
    return bool(heads & rule.modules) or (len(parts) > 1 and parts[-1] in rule.attributes)


def violations(package: Path) -> Iterator[str]:
    """One line for each broken rule below a package's folder."""
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package).as_posix()
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
        except SyntaxError as error:
            yield f"{file}:{error.lineno}: cannot be judged: {error.msg}"
            continue
        rules = [rule for rule in (NETWORK, PROCESSES, IMPORTS) if not place.startswith(tuple(rule.places))]
        found = {(use.line, rule.what, use.name) for use in uses(tree) for rule in rules if breaks(rule, use)}
        yield from (f"{file}:{line}: {what}: {name or 'computed'}" for line, what, name in sorted(found, key=str))


def main(arguments: list[str]) -> int:
    package = Path(arguments[0]) if arguments else Path(__file__).parents[1] / "src" / "stook"
    if not package.is_dir():
        print(f"{package} is no folder", file=sys.stderr)
        return 2
    found = list(violations(package))
    for line in found:
        print(line)
    if found:
        print("These places may, for these reasons (scripts/only_door.py):")
        for place, reason in {**NETWORK.places, **PROCESSES.places, **IMPORTS.places}.items():
            print(f"  {place}: {reason}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
