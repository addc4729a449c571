"""What a version's two documents become."""

from __future__ import annotations

import json
from typing import Any

from stook.engine.words import Reply
from stook.registries.golang.proxy.documents import read_release
from stook.registries.golang.records import GoRelease

M = "example.com/m"


def release(mod: str, **origin: Any) -> GoRelease:
    info = json.dumps({"Version": "v1.0.0", "Time": "2020-01-01T00:00:00Z"} | origin)
    return read_release(M, "v1.0.0", Reply("", 200, info.encode()), Reply("", 200, f"module {M}\n\n{mod}".encode()))


def test_an_unreadable_file_is_not_shown_as_nothing() -> None:
    """Without a go.mod that can be read nothing is known of requirements: no list, and the reason."""
    found = release("require (\n\texample.com/a v0.5.8\n\texample.com/b b98a9ff5e252\n)\n")
    assert found.dependencies is None
    assert "b98a9ff5e252" in found.mod_error
    assert release("go 1.20\n").dependencies == "[]"
    assert release("go 1.20\n").mod_error == ""


def test_replacements_are_told_with_the_requirement() -> None:
    """A requirement that the module replaces says by what: a folder, a fork, or another version."""
    found = release(
        "require (\n\texample.com/a v0.0.0\n\texample.com/b v1.2.0\n\texample.com/c v1.0.0\n)\n"
        "replace (\n\texample.com/a => ./staging/a\n\texample.com/b v1.2.0 => example.com/fork/b v1.2.1\n"
        "\texample.com/c v1.9.9 => example.com/d v1.0.0\n)\n"
    )
    rows = {row["name"]: row.get("replaced_by") for row in json.loads(found.dependencies or "")}
    assert rows == {
        "example.com/a": {"path": "./staging/a", "version": None},
        "example.com/b": {"path": "example.com/fork/b", "version": "v1.2.1"},
        "example.com/c": None,
    }
    assert len(json.loads(found.replaces or "")) == 3


def test_other_facts_of_the_file() -> None:
    """Toolchain, exclusions and tools are kept; what is not there is no list."""
    found = release("go 1.24\ntoolchain go1.24.3\nexclude example.com/x v1.0.0\ntool example.com/x/cmd/gen\n")
    assert (found.go_version, found.toolchain) == ("1.24", "go1.24.3")
    assert json.loads(found.excludes or "") == [{"name": "example.com/x", "version": "v1.0.0"}]
    assert json.loads(found.tools or "") == ["example.com/x/cmd/gen"]
    assert (found.replaces, release("go 1.20\n").tools) == (None, None)


def test_half_a_surrogate_pair_costs_itself() -> None:
    """Odd text in the origin is replaced, and the version is kept."""
    info = b'{"Version":"v1.0.0","Origin":{"VCS":"git","URL":"https://x/\\ud800"}}'
    found = read_release(M, "v1.0.0", Reply("", 200, info), Reply("", 200, f"module {M}\n".encode()))
    assert "\ufffd" in (found.scm or "")
