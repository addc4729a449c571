"""The log: stderr only, one JSON object a line when asked, foreign loggers alike."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from stook.cli.logs import configure_logs


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


def test_text_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Without JSON a line is plain text, without colours when stderr is no terminal."""
    configure_logs("warning", "text")
    structlog.get_logger().warning("lane closed", host="crates.io")
    shown = capsys.readouterr()
    assert "lane closed" in shown.err
    assert "host=crates.io" in shown.err
    assert "\x1b" not in shown.err
