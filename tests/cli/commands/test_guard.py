"""`stook guard`: what the door would do, in every form of the call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from stook.cli.main import stook


def judged(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(stook, ["guard", *arguments, "--json"], prog_name="stook")
    assert result.exit_code == code, result.stderr
    return [row["verdict"] for row in json.loads(result.stdout)] if code == 0 else result.stderr


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        ("93.184.215.14", "allow"),
        ("169.254.169.254", "refuse"),
        ("::1", "refuse"),
        ("2606:4700::1111", "allow"),
        ("http://127.0.0.1/", "refuse"),
        ("http://[::ffff:10.0.0.1]/", "refuse"),
        ("http://93.184.215.14/", "allow"),
        ("ftp://93.184.215.14/", "refuse"),
        ("not a url", "refuse"),
    ],
)
def test_targets(target: str, verdict: str) -> None:
    """Addresses and URLs are told apart and judged."""
    assert judged(target) == [verdict]


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [(["93.184.215.14"], "allow"), (["10.0.0.1"], "refuse"), (["93.184.215.14", "10.0.0.1"], "refuse")],
)
def test_answers(answers: list[str], verdict: str) -> None:
    """With answers given no resolver is asked, and one bad answer refuses the name."""
    options = [text for answer in answers for text in ("--answer", answer)]
    assert judged("https://rebind.example/", *options) == [verdict]


def test_file(tmp_path: Path) -> None:
    """Rows of a file get their verdicts in order, before those of the command line."""
    rows = [{"url": "https://x.example/", "answers": ["10.0.0.1"]}, {"address": "93.184.215.14"}]
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(rows), encoding="utf-8-sig")  # as some editors do
    assert judged("--file", str(file), "127.0.0.1") == ["refuse", "allow", "refuse"]


@pytest.mark.parametrize("text", ["{}", "[1]", "[", "[" * 100_000])
def test_files_that_hold_no_rows(tmp_path: Path, text: str) -> None:
    """A file of something else is a mistake, told in one sentence."""
    file = tmp_path / "rows.json"
    file.write_text(text, encoding="utf-8")
    assert "rows.json" in judged("--file", str(file), code=2)


def test_allowed_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """STOOK_UNSAFE_ALLOW_NETWORKS lets a network pass, and no metadata address."""
    monkeypatch.setenv("STOOK_UNSAFE_ALLOW_NETWORKS", "127.0.0.0/8,169.254.0.0/16")
    assert judged("127.0.0.1", "169.254.169.254") == ["allow", "refuse"]


@pytest.mark.parametrize("text", ["{", "{}", "[1]"])
def test_wrong_file(tmp_path: Path, text: str) -> None:
    """A file that holds no rows ends with 2 and a sentence."""
    file = tmp_path / "rows.json"
    file.write_text(text)
    assert "rows.json" in judged("--file", str(file), code=2)


def test_nothing() -> None:
    """Without anything to judge the call is a mistake."""
    assert "nothing to judge" in judged(code=2)


def test_for_people() -> None:
    """The table shows verdict, target and reason."""
    result = CliRunner().invoke(stook, ["guard", "169.254.169.254"], prog_name="stook")
    assert "refuse" in result.stdout
    assert "169.254.169.254" in result.stdout
