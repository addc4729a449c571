"""The frame: commands are found, errors become exit codes, help says enough."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from sqlalchemy.exc import DatabaseError, OperationalError, ProgrammingError

from stook import __version__
from stook.cli.lazy_group import CORE, StookCommands
from stook.cli.main import Frame, stook
from stook.engine.errors import EnvironmentFault, Malformed, Unavailable, UserError
from stook.run.products import CORE_COMMANDS, read_settings
from stook.settings import describe


class Refusal(OSError):
    """What a driver says of an account that may not do this."""

    sqlstate = "42501"


def run(*arguments: str) -> Result:
    """`stook` with arguments, in this process."""
    return CliRunner().invoke(stook, arguments, prog_name="stook")


def ending(raised: BaseException | int | None) -> Result:
    """How a command ends that raises or returns this."""

    @click.command("fail", cls=click.Command)
    def fail() -> int | None:
        if isinstance(raised, BaseException):
            raise raised
        return raised

    class OneCommand(Frame):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
            return fail

    return CliRunner().invoke(OneCommand("stook"), ["fail"])


@pytest.mark.parametrize(
    ("raised", "code", "sentence"),
    [
        (None, 0, ""),
        (1, 1, ""),
        (UserError("No such crate."), 2, "Error: No such crate."),
        (click.FileError("seeds.txt", "gone"), 2, "seeds.txt"),
        (Unavailable("index.crates.io timed out"), 3, "index.crates.io timed out"),
        (Unavailable("429"), 3, "Not reachable: 429"),
        (Malformed("no JSON"), 1, "Malformed: no JSON"),
        (EnvironmentFault("made by a newer release"), 3, "Error: made by a newer release"),
        (
            OperationalError("SELECT 1", {}, OSError("connection refused\nhint")),
            3,
            "connection refused. Check STOOK_DB",
        ),
        (DatabaseError("SELECT 1", {}, OSError("file is not a database")), 3, "file is not a database. Check STOOK_DB"),
        (ProgrammingError(None, None, OSError("invalid connection option")), 3, "invalid connection option. Check"),
        (ProgrammingError("SELECT 1", {}, Refusal("permission denied")), 3, "permission denied. Check STOOK_DB"),
        (ModuleNotFoundError("no", name="psycopg"), 3, "stook[postgresql]"),
        (PermissionError(13, "Permission denied", "/x"), 3, "Permission denied"),
        (UserError("\x1b[31mseeds\x07 cannot be read"), 2, "Error: \ufffd[31mseeds\ufffd cannot be read"),
        (KeyboardInterrupt(), 130, "Interrupted."),
    ],
)
def test_exit_codes(raised: BaseException | int | None, code: int, sentence: str) -> None:
    """Each way to end has the contract's exit code, one sentence on stderr and no traceback."""
    result = ending(raised)
    assert result.exit_code == code
    assert sentence in result.stderr
    assert result.stderr.count("\n") <= 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    "bug", [ZeroDivisionError("bug"), ProgrammingError("SELEC 1", {}, OSError("syntax error at or near SELEC"))]
)
def test_an_unforeseen_error_keeps_its_traceback(bug: Exception) -> None:
    """A bug is not dressed up as a mistake of the user, nor as trouble with the database."""
    assert ending(bug).exception is bug


@pytest.mark.parametrize("arguments", [["setings"], ["settings", "--nope"], ["--nope"], ["--log", "loud", "settings"]])
def test_wrong_calls(arguments: list[str]) -> None:
    """A wrong call ends with 2 and a sentence; nothing goes to stdout."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Error: " in result.stderr
    assert result.stdout == ""


def test_misspelt_command() -> None:
    """A misspelt command is told its nearest neighbour."""
    assert "settings" in run("setings").stderr


def test_help_needs_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Help works when the settings are wrong; the command itself then says what is wrong."""
    monkeypatch.setenv("STOOK_NOPE", "1")
    assert run("settings", "--help").exit_code == 0
    result = run("settings")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "STOOK_NOPE" in result.stderr


def test_version() -> None:
    """`--version` says the version."""
    assert run("--version").stdout == f"stook {__version__}\n"


def test_global_options_reach_the_settings() -> None:
    """`--db` and `--log` win over everything, and are named as origin."""
    rows = json.loads(run("--db", "sqlite:///x.db", "--log", "info", "settings", "--json").stdout)
    found = {row["key"]: (row["value"], row["origin"]) for row in rows}
    assert found["db"] == ("sqlite:///x.db", "--db")
    assert found["log"] == ("info", "--log")


def test_settings_for_people(tmp_path: Path) -> None:
    """Every setting is a line, however narrow the terminal, with who set it; the password is masked."""
    result = run("--db", "mysql://me:s3cr@127.0.0.1/x", "settings")
    lines = result.stdout.splitlines()
    for row in describe(read_settings({}, tmp_path)):
        assert sum(line.startswith(f"{row.key} =") for line in lines) == 1
    assert "cargo.api_gap = 1  (default)" in lines
    assert "db = mysql://me:***@127.0.0.1/x  (from --db; default: sqlite:///<user data folder>/stook/stook.db)" in lines
    assert "s3cr" not in result.stdout


def walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all below it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None, f"{name} has no command"
            yield from walk(inner, (*path, name))


def test_every_command_has_help_with_an_example() -> None:
    """Whatever command a module adds, it has help, and the help shows how it is called."""
    for path, command in walk(stook, ("stook",)):
        text = command.help or ""
        assert "Example" in text, f"{' '.join(path)} shows no example"
        assert " ".join(path) in text, f"the example of {' '.join(path)} does not call it"


def test_every_module_holds_its_command() -> None:
    """A command is called like its entry, and has a sentence for the list of commands."""
    assert tuple(sorted(CORE)) == CORE_COMMANDS
    for name, entry in StookCommands("stook").entries().items():
        assert entry.load().name == name
        assert entry.help.endswith("."), name


def test_help_imports_no_heavy_part() -> None:
    """`stook --help` imports neither database, HTTP nor table parts: it answers at once."""
    code = (
        "import sys; from stook.cli.main import stook; stook(['-h'], standalone_mode=False); print(list(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert not modules & {"sqlalchemy", "aiohttp", "rich.console", "structlog", "msgspec", "platformdirs"}


def test_python_m_stook() -> None:
    """`python -m stook` is the same program, and its exit code the command's."""
    done = subprocess.run([sys.executable, "-m", "stook", "nope"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "No such command" in done.stderr


def test_an_error_is_json_when_asked_for(tmp_path: Path) -> None:
    """With --json an error that ends the command is one JSON document on stdout, beside the sentence on stderr."""
    result = run("--db", f"sqlite:///{tmp_path / 'none.db'}", "queue", "status", "--json")
    assert result.exit_code == 3
    told = json.loads(result.stdout)
    assert (told["exit_code"], "there is no database" in told["error"]) == (3, True)
    assert not list(tmp_path.glob("none.db*"))


@pytest.mark.parametrize("name", ["STOOK_CARGO_INDEX_URL", "STOOK_GO_PROXY_URL"])
def test_no_password_of_a_url_is_printed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A URL that is refused because it has a password is shown without it."""
    monkeypatch.setenv(name, "https://user:se/cr@et@mirror.example/index")
    result = run("settings")
    assert (result.exit_code, "cr@et" in result.stderr, "se/cr" in result.stderr) == (2, False, False)
