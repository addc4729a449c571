"""Failures are told apart by their codes: no code of ours compares or searches the text of a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import stook

SEARCHES = frozenset(
    "startswith endswith find index count partition rpartition removeprefix removesuffix split rsplit fullmatch match"
    " search".split()
)


def is_reason(node: ast.AST) -> bool:
    """Whether this is the reason of an error, an outcome, a failure or a verdict."""
    return isinstance(node, ast.Attribute) and node.attr in ("reason", "complaint")


def faults(tree: ast.AST) -> Iterator[int]:
    """Lines that compare, search or look up a reason."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                suspects = [node.left, *node.comparators]
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments) if name in SEARCHES:
                suspects = [value, *arguments]
            case ast.Subscript(slice=key, value=value):
                suspects = [key] if isinstance(key, ast.Attribute) else []
            case ast.Match(subject=subject):
                suspects = [subject]
            case ast.DictComp(key=key):
                suspects = [key]
            case ast.Dict(keys=keys):
                suspects = [key for key in keys if key]
            case _:
                continue
        if any(is_reason(suspect) for suspect in suspects):
            yield node.lineno


@pytest.mark.parametrize(
    "code",
    [
        "error.reason == 'timed out'",
        "outcome.reason in NOBODY",
        "'lane' in failure.reason",
        "one.reason.startswith('TLS')",
        "re.search('lane', why.reason)",
        "counts[outcome.reason] += 1",
        "{outcome.reason: 1}",
        "match error.reason:\n    case 'x': pass",
    ],
)
def test_what_is_seen(code: str) -> None:
    """Each way to tell failures apart by their text is found."""
    assert list(faults(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["error.code is FailureCode.TLS", "f'{error.reason}; try again'", "log(reason=error.reason)", "row[0]"]
)
def test_what_passes(code: str) -> None:
    """Codes may be compared, and reasons may be shown."""
    assert not list(faults(ast.parse(code)))


def test_no_reason_is_compared() -> None:
    """No module compares or searches a reason."""
    home = Path(stook.__file__).parent
    found = [
        f"{file.relative_to(home)}:{line}"
        for file in home.rglob("*.py")
        for line in faults(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert found == []
