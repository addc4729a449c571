"""Exceptions: found by id, name and reference; unknown and ambiguous ones say so."""

from __future__ import annotations

import pytest

from stook.licences.rows import default_rows
from stook.licences.rules import default_rules
from stook.licences.strings.additions import Addition, find_addition
from stook.licences.strings.answer import UnknownPart
from stook.licences.strings.index import NameIndex

INDEX = NameIndex(default_rows(), default_rules())


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("classpath-exception-2.0", "Classpath-exception-2.0"),
        ("Classpath", "Classpath-exception-2.0"),
        ("LLVM Exceptions", "LLVM-exception"),
        ("GCC runtime library exception 3.1", "GCC-exception-3.1"),
        ("Linux-syscall-note", "Linux-syscall-note"),
        ("documentref-d:additionref-x", "DocumentRef-d:AdditionRef-x"),
    ],
)
def test_found(text: str, short: str) -> None:
    """Ids in any case, names, and references of a document."""
    found = find_addition(text, INDEX)
    assert isinstance(found, Addition)
    assert found.id == short


@pytest.mark.parametrize("text", ["exceptions", "openssl exception", "GCC exception", "MIT", ""])
def test_unknown(text: str) -> None:
    """What names no exception, or several, is unknown."""
    assert isinstance(find_addition(text, INDEX), UnknownPart)
