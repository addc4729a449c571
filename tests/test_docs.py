"""The documents say what is so: links lead somewhere, commands and settings exist, and what they tell to do works."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from packages import install

import stook
from stook.cli.main import stook as command_line
from stook.engine import words
from stook.run.products import find_products, read_settings
from stook.settings import describe, load_settings
from stook.testing import LoopbackRegistry, sample_world

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
OURS = [page for page in PAGES if page.parent != DOCS / "reference"]  # not the generated ones
TUTORIAL = DOCS / "guides" / "add-a-registry.md"
PORT = "8923"  # in the tutorial

ASSIGNMENTS = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ +)*")


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page, as (language, body)."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text(page), re.DOTALL | re.MULTILINE)


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.DOTALL | re.MULTILINE)


def words_of(line: str) -> list[str]:
    """A line as words, its numbers made alike: they change from run to run."""
    return re.sub(r"\d+", "#", line).split()


def environment(**more: str) -> dict[str, str]:
    """For child processes: this Stook, wherever they run, and a width that folds no table."""
    return {**os.environ, "PYTHONPATH": str(Path(stook.__file__).parents[1]), "COLUMNS": "200", **more}


def python(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """This Python in a child process: the log it sets up ends with it."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment(**more), capture_output=True, text=True, check=False, timeout=120)


# --- what stands on the pages ---


def test_architecture_is_short() -> None:
    """The architecture can be read in one sitting: at most 130 lines."""
    assert len(text(DOCS / "architecture.md").splitlines()) <= 130


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    """Every relative link leads to a file or folder of the project, and to a heading that is there."""
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(target), link


def command_lines(page: Path) -> Iterator[str]:
    """Every call of `stook`, in blocks and in running text."""
    for language, body in blocks(page):
        if language in {"sh", "console", "text"}:
            parts = (part for line in body.splitlines() for part in ASSIGNMENTS.sub("", line).split(" && "))
            yield from (part.strip().removesuffix(" &") for part in parts)
    yield from (ASSIGNMENTS.sub("", span) for span in re.findall(r"`([^`\n]+)`", prose(page)))


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_commands(page: Path) -> None:
    """Every `stook …` that a page shows is a command with options that there are."""
    for line in command_lines(page):
        is_of_the_tutorial = page == TUTORIAL and "pebble" in line  # `test_add_a_product` runs those
        if line.startswith("stook ") and not is_of_the_tutorial:
            result = CliRunner().invoke(command_line, [*shlex.split(line)[1:], "--help"], prog_name="stook")
            assert result.exit_code == 0, f"{line}: {result.output}"


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_settings(page: Path, tmp_path: Path) -> None:
    """Every setting that a page names exists, by its name in the environment."""
    named = set(re.findall(r"STOOK_[A-Z_]*[A-Z]", text(page)))
    own = {name for name in named if name.startswith("STOOK_PEBBLE")} if page == TUTORIAL else set()
    assert named - own <= {row.env for row in describe(read_settings({}, tmp_path))}


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_settings_files(page: Path, tmp_path: Path) -> None:
    """Every stook.toml that a page shows is accepted."""
    for language, body in blocks(page):
        table = tomllib.loads(body) if language == "toml" else {}
        is_other = "project" in table or any("repository" in one for one in table.values() if isinstance(one, dict))
        if table and not is_other:
            (tmp_path / "stook.toml").write_text(body, encoding="utf-8")
            load_settings({}, tmp_path, find_products().sections, unread=["pebble"])


def test_words() -> None:
    """Every word of the engine's vocabulary is explained, each once."""
    explained = re.findall(r"^\| (\w[\w ]*?) \|", text(DOCS / "words.md"), re.MULTILINE)
    entries = [part for one in explained for part in one.split(", ") if part != "word"]
    assert set(words.__all__) <= set(entries)
    assert len(entries) == len(set(entries))


# --- the tables ---


def schema() -> dict[str, list[str]]:
    """Columns by table, as a fresh process finds them with every product that comes with Stook."""
    code = (
        "import json; from stook.run.products import find_products;"
        "[product.queues() for product in find_products().products.values()];"
        "from stook.engine.ledger.schema import METADATA;"
        "print(json.dumps({name: [one.name for one in table.c] for name, table in METADATA.tables.items()}))"
    )
    found: dict[str, list[str]] = json.loads(python("-c", code).stdout)
    return found


def sections(page: Path) -> dict[str, str]:
    """The second-level sections of a page, by heading."""
    parts = re.split(r"^## (.+)$", text(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_columns() -> None:
    """The tables page names every column of every table."""
    told = sections(DOCS / "tables.md")
    for table, columns in schema().items():
        assert table in told, f"{table} is not told of"
        section = told[table] + (told["Queue columns"] if "LEASE" in columns else "")
        assert set(columns) <= set(re.findall(r"`([A-Z_]+)`", section)), table


def test_codes() -> None:
    """The tables page explains every code that an event may end with."""
    told = re.findall(r"^\| (\d+)", sections(DOCS / "tables.md")["Queue columns"], re.MULTILINE)
    assert {str(code.value) for code in words.Code} <= set(told)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the sample world, a lock that names two versions of it, and a change since."""
    folder = tmp_path_factory.mktemp("collected")
    world = sample_world()
    with LoopbackRegistry(world) as registry:
        settings = {
            "STOOK_DB": f"sqlite:///{folder / 'stook.db'}",
            "STOOK_UNSAFE_ALLOW_NETWORKS": "127.0.0.0/8",
            "STOOK_CARGO_INDEX_URL": registry.index_url,
            "STOOK_CARGO_API_URL": registry.api_url,
            "STOOK_CARGO_INDEX_GAP": "0",
            "STOOK_CARGO_API_GAP": "0",
        }
        lock = folder / "Cargo.lock"
        lock.write_text(_lock(registry.index_url, {"lamp-oil": "1.1.0", "oar": "1.1.0"}), encoding="utf-8")
        names = [crate.name for crate in world.crates.values()]
        collect = ("-m", "stook", "cargo", "collect", "--lock", str(lock), *names)
        python(*collect, **settings)
        world.yank("lamp-oil", "1.1.0")
        world.publish("fresnel-lens", "2.3.0")
        world.delete_crate("kelp-net")
        python(*collect, **settings)
    return folder / "stook.db"


def _lock(index_url: str, versions: Mapping[str, str]) -> str:
    packages = [
        f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = "sparse+{index_url}"\n'
        for name, version in versions.items()
    ]
    return "\n".join(["version = 4\n", *packages])


def test_questions(collected: Path) -> None:
    """Every question of the tables page has an answer in a collected sample world."""
    connection = sqlite3.connect(collected)
    for language, query in blocks(DOCS / "tables.md"):
        if language == "sql":
            cursor = connection.execute(query)
            assert cursor.fetchone() if cursor.description else cursor.rowcount == 1, query
    connection.close()


# --- the README ---


def test_set_up() -> None:
    """The README's set-up is two commands, and what they name is there."""
    first, second = [body.strip() for language, body in blocks(ROOT / "README.md") if language == "sh"][:2]
    assert first == "python -m pip install . && stook demo"
    assert second == "python -m pip install '.[test]' && scripts/test"
    project: dict[str, Any] = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]
    assert "test" in project["optional-dependencies"]
    assert "stook" in project["scripts"]
    assert os.access(ROOT / "scripts" / "test", os.X_OK)


def test_picture(tmp_path: Path) -> None:
    """What the README shows of the demo is what the demo prints, numbers aside."""
    printed = [set(words_of(line)) for line in python("-m", "stook", "demo", TMPDIR=str(tmp_path)).stdout.splitlines()]
    (picture,) = (body for language, body in blocks(ROOT / "README.md") if language == "text")
    for line in picture.splitlines():
        if not line.startswith("$") and not set(line) <= set(" ─…"):
            shown = set(words_of(line))
            assert any(shown <= one for one in printed), line


# --- the tutorial ---


class Reader:
    """Somebody who follows the tutorial in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self.server: subprocess.Popen[str] | None = None
        path = os.pathsep.join([str(Path(stook.__file__).parents[1]), str(folder)])
        tools = folder / ".tools"
        tools.mkdir()
        for name, arguments in {"python": "", "stook": "-m stook"}.items():
            (tools / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
            (tools / name).chmod(0o755)
        search = os.pathsep.join([str(tools), os.environ["PATH"]])
        self.environment = environment(PYTHONPATH=path, PATH=search, PYTHONUNBUFFERED="1")

    def write(self, name: str, body: str) -> None:
        """A file of the tutorial, as it stands there."""
        file, body = self.folder / name, body.replace(PORT, self.port)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")

    def run(self, command: str) -> str:
        """What a command of the tutorial prints."""
        command = command.replace(PORT, self.port)
        if command == "python -m pip install -e .":
            return self.install()
        if command.endswith(" &"):
            return self.serve(command.removesuffix(" &"))
        ended = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return ended.stdout + ended.stderr

    def install(self) -> str:
        """What pip would leave of the package: a test may not fetch a build backend."""
        install(self.folder, self.folder)
        return ""

    def serve(self, command: str) -> str:
        """Start the tutorial's web server, and wait for its first line."""
        for file in (self.folder / "site").iterdir():
            os.utime(file, (0, 0))  # a reader is slower than the second in which HTTP tells dates apart
        self.server = subprocess.Popen(
            shlex.split(command.replace("python", shlex.quote(sys.executable), 1)),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.server.stdout
        return self.server.stdout.readline()

    def stop(self) -> None:
        if self.server and self.server.stdout:
            self.server.terminate()
            self.server.wait()
            self.server.stdout.close()


def _free_port() -> str:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """A reader whose server ends with the test."""
    one = Reader(tmp_path)
    yield one
    one.stop()


def dialogue(body: str) -> Iterator[tuple[str, str]]:
    """A console block as commands, each with what it should print."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def assert_shown(shown: str, printed: str, port: str) -> None:
    """Lines in their order, `…` for whatever stands between; widths and blanks do not count."""
    wanted = ["…".join(" ".join(part.split()) for part in line.split("…")) for line in shown.splitlines()]
    pattern = ".*?".join(re.escape(line).replace("…", ".*?") for line in wanted)
    assert re.search(pattern.replace(PORT, port), " ".join(printed.split()), re.DOTALL), (
        f"{shown}\n--- not in:\n{printed}"
    )


def test_add_a_product(reader: Reader) -> None:
    """Whoever follows the tutorial to the letter, but for pip, has a product that works."""
    for language, body in blocks(TUTORIAL):
        file = re.match(r"# (\S+\.(?:py|toml))\n", body)
        if file:
            reader.write(file[1], body)
        elif language == "console":
            for command, shown in dialogue(body):
                assert_shown(shown, reader.run(command), reader.port)


def test_the_tutorial_uses_the_public_interface() -> None:
    """The tutorial imports nothing of Stook but `stook.api` and `stook.testing`."""
    imported = re.findall(r"^\s*(?:from|import) (stook(?:\.\w+)*)\b(?!_)", text(TUTORIAL), re.MULTILINE)
    assert set(imported) == {"stook.api", "stook.testing"}
