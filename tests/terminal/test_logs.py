"""The log: stderr only, one JSON object a line when asked, foreign loggers alike."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO

import pytest
import structlog

from stook.terminal.logs import configure_logs


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Our lines and those of other libraries are JSON on stderr; lines below the level are not written."""
    configure_logs("info", "json")
    structlog.get_logger().info("request", url_host="index.crates.io", status=200)
    structlog.get_logger().debug("hidden")
    logging.getLogger("asyncio").warning("slow callback")
    shown = capsys.readouterr()
    lines = [json.loads(line) for line in shown.err.splitlines()]
    assert shown.out == ""
    assert [line["event"] for line in lines] == ["request", "slow callback"]
    assert (lines[0]["status"], lines[1]["level"]) == (200, "warning")


def test_json_lines_have_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    """What a stranger sent cannot steer a terminal that shows the log."""
    configure_logs("info", "json")
    structlog.get_logger().info("x", reason="\x9b31m\x1b[2J\u202e")
    shown = capsys.readouterr().err
    assert shown.strip().isascii()
    assert json.loads(shown)["reason"] == "\x9b31m\x1b[2J\u202e"


def test_text_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Without JSON a line is plain text, without colours when stderr is no terminal."""
    configure_logs("warning", "text")
    structlog.get_logger().warning("lane closed", host="crates.io")
    shown = capsys.readouterr()
    assert "lane closed" in shown.err
    assert "host=crates.io" in shown.err
    assert "\x1b" not in shown.err


class Terminal(StringIO):
    """A terminal, as far as anybody asks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("name", "value", "is_coloured"), [("TERM", "xterm", True), ("TERM", "dumb", False), ("NO_COLOR", "1", False)]
)
def test_colours(monkeypatch: pytest.MonkeyPatch, name: str, value: str, is_coloured: bool) -> None:
    """Colours are for terminals that know them, and for people who did not say no."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    with redirect_stderr(Terminal()) as shown:
        configure_logs("warning", "text")
        structlog.get_logger().warning("lane closed")
    assert ("\x1b" in shown.getvalue()) == is_coloured


@pytest.mark.parametrize("line_format", ["text", "json"])
def test_lines_go_where_stderr_is(line_format: str) -> None:
    """Progress takes over stderr while it is drawn: lines that come then go above it, not through it."""
    configure_logs("warning", line_format)
    with redirect_stderr(StringIO()) as taken_over:
        structlog.get_logger().warning("lane closed")
        logging.getLogger("asyncio").warning("slow callback")
    assert "lane closed" in taken_over.getvalue()
    assert "slow callback" in taken_over.getvalue()
