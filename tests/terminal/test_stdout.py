"""Stdout as other programs see it: readers that leave, and terminals with few characters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stook as stook_package


def ended(arguments: list[str], **environment: str) -> tuple[int, str]:
    """How a command ends whose stdout nobody reads, and what it says on stderr."""
    read, write = os.pipe()
    os.close(read)
    told = os.environ | {"PYTHONPATH": str(Path(stook_package.__file__).parents[1])} | environment
    command = [sys.executable, "-m", "stook", *arguments]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=told, check=False)
    os.close(write)
    return done.returncode, done.stderr


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_that_leaves(shop: Any, form: list[str]) -> None:
    """Who has read enough, like `head`, changes nothing: neither the exit code nor what stands on stderr."""
    assert ended(["settings", *form]) == (0, "")
    assert ended(["queue", "retry", *form]) == (0, "")
    assert ended(["cargo", "collect", "crate-0", *form]) == (0, "")
    assert ended(["show", "cargo", "crate-0", *form]) == (0, "")
    assert ended(["cargo", "collect", "nobody", *form]) == (1, "")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_terminal_with_few_characters(form: list[str]) -> None:
    """Text that a terminal has no characters for is shown as far as it goes; JSON is whole on every one."""
    told = os.environ | {"PYTHONPATH": str(Path(stook_package.__file__).parents[1]), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "stook", "settings", *form]
    done = subprocess.run(command, capture_output=True, env=told, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    if form:
        assert "…" in json.loads(done.stdout)[0]["help"]
