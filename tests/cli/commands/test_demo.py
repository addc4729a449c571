"""`stook demo`: the whole thing offline, fit for a narrow terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from stook.cli.main import stook


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    """Runs the demo with settings that nobody made for it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(stook, ["demo", *arguments], prog_name="stook")
        assert result.exit_code == 0, result.output
        return result

    return run


def test_demo(demo: Any) -> None:
    """It shows the crates, what changed between two runs, and what to run next; one crate is one line."""
    result = demo()
    lines = result.stdout.splitlines()
    assert max(len(line) for line in lines if "Next:" not in line and "Kept aside" not in line) <= 80
    table = lines[: next(number for number, line in enumerate(lines) if "first run" in line)]
    assert len([line for line in table if line.strip()]) <= 24 + 3
    for kind in ("published", "yanked", "unyanked", "deleted", "checksum_changed"):
        assert kind in result.stdout
    assert "not modified" in result.stdout
    for whole in ("barnacle-sys", "1.2.0+lib.3.5.0", "message-in-a-bottle", "MIT OR Apache-2.0"):
        assert any(whole in line for line in table)
    assert "Next: stook --db" in result.stdout
    assert result.stderr == ""


def test_json(demo: Any) -> None:
    """`--json` prints one report and nothing else."""
    report = json.loads(demo("--json").stdout)
    assert report["command"] == "demo"
    assert report["counts"]["complete"] == 48
    assert len(report["next"]) == 2
