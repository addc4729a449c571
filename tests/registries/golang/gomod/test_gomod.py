"""go.mod: the three readings of Go, and ours."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import FailureCode, Malformed
from stook.registries.golang.gomod.gomod import (
    GoMod,
    ModuleVersion,
    Replacement,
    Requirement,
    Retraction,
    is_synthetic,
    module_path,
    parse_lax,
    parse_strict,
    read,
)
from stook.registries.golang.gomod.syntax import LONGEST_TEXT

M = "example.com/m"
ERROR = None

# What modfile.ModulePath, ParseLax and Parse give (None: an error), as observed with golang.org/x/mod.
READINGS: list[tuple[bytes, str, str | None, str | None]] = [
    (b"module example.com/m\n", M, M, M),
    (b"module\texample.com/m\n", M, M, M),
    (b"  module   example.com/m  \n", M, M, M),
    (b"module example.com/m", M, M, M),
    (b"module example.com/m\r\n", M, M, M),
    (b'module "example.com/m"\n', M, M, M),
    (b'module "exa\\x6dple.com/\\155"\n', M, M, M),
    (b"module (\n\texample.com/m\n)\n", "(", M, M),
    (b"module ( example.com/m )\n", "( example.com/m )", ERROR, ERROR),
    (b"module `example.com/m`\n", M, ERROR, ERROR),
    (b"module 'example.com/m'\n", "'example.com/m'", ERROR, ERROR),
    (b"\xef\xbb\xbfmodule example.com/m\n", "", ERROR, ERROR),
    (b"module example.com/m\nmodule example.com/n\n", M, ERROR, ERROR),
    (b"require a.b/c v1.0.0\n\nmodule example.com/m\n", M, M, M),
    (b"module example.com/m extra\n", "example.com/m extra", ERROR, ERROR),
    (b"/* module example.com/x\n*/\nmodule example.com/m\n", M, ERROR, ERROR),
    (b"/*\nmodule example.com/x\n*/\nmodule example.com/m\n", "example.com/x", ERROR, ERROR),
    (b"module https://example.com/m\n", "https:", "https:", "https:"),
    (b'module "https://example.com/m"\n', "", "https://example.com/m", "https://example.com/m"),
    (b"module example.com/m\nrequire a.b/c v1.0\n", M, M, M),
    (b"module example.com/m\nrequire a.b/c master\n", M, ERROR, ERROR),
    (b"module example.com/m\nrequire a.b/c v2.0.0\n", M, ERROR, ERROR),
    (b"module example.com/m\nfrobnicate x\n", M, M, ERROR),
    (b"module example.com/m\ngo 1.21.x\n", M, M, ERROR),
    (b"module example.com/m\nretract (v1.0.0, v2.0.0]\n", M, M, ERROR),
    (b"", "", "", ""),
    (b"<html><body>404</body></html>\n", "", "", ERROR),
    ("module example.com/é\n".encode(), "example.com/é", "example.com/é", "example.com/é"),
    (b"module Example.com/m\n", "Example.com/m", "Example.com/m", "Example.com/m"),
]


def _module(parse: Callable[[bytes], GoMod], body: bytes) -> str | None:
    try:
        return parse(body).module
    except Malformed:
        return None


@pytest.mark.parametrize(("body", "crude", "lax", "strict"), READINGS)
def test_readings(body: bytes, crude: str, lax: str | None, strict: str | None) -> None:
    """Each form is read as each of Go's three parsers reads it."""
    assert module_path(body) == crude
    assert _module(parse_lax, body) == lax
    assert _module(parse_strict, body) == strict


@pytest.mark.parametrize(("body", "crude", "lax", "strict"), READINGS)
def test_read_always_answers(body: bytes, crude: str, lax: str | None, strict: str | None) -> None:
    """Our reading is the lax one, or the crude path with a note that names the line."""
    found = read(body)
    assert found.crude == crude
    assert found.module == (crude if lax is None else lax)
    assert found.note.startswith("go.mod line ") == (lax is None)


def test_everything_a_file_says() -> None:
    """Every directive is kept, with comments where they matter."""
    body = b"""// Deprecated: use example.org/m
module example.com/m

go 1.21.3
toolchain go1.22.0

require (
\ta.b/c v1.2 // indirect
\t"a.b/d/v2" v2.0.0 // indirect; soon not
)
require a.b/e v0.0.0-20191109021931-daa7c04131f5
exclude a.b/c v1.1.0
replace a.b/c => ../c
replace a.b/c v1.2.0 => x.y/c v1.0.1
// wrong
retract v1.0.0
retract [v1.1.0, v1.2.0] // worse
"""
    assert parse_strict(body) == parse_lax(body) == GoMod(
        module=M,
        go="1.21.3",
        toolchain="go1.22.0",
        deprecated="use example.org/m",
        requires=(
            Requirement("a.b/c", "v1.2.0", is_indirect=True),
            Requirement("a.b/d/v2", "v2.0.0", is_indirect=True),
            Requirement("a.b/e", "v0.0.0-20191109021931-daa7c04131f5"),
        ),
        excludes=(ModuleVersion("a.b/c", "v1.1.0"),),
        replaces=(
            Replacement(ModuleVersion("a.b/c", ""), ModuleVersion("../c", "")),
            Replacement(ModuleVersion("a.b/c", "v1.2.0"), ModuleVersion("x.y/c", "v1.0.1")),
        ),
        retracts=(Retraction("v1.0.0", "v1.0.0", "wrong"), Retraction("v1.1.0", "v1.2.0", "worse")),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("// indirect", True), ("//indirect", True), ("// indirect; soon not", True), ("// indirect\u00a0", True),
        ("// indirect;", False), ("// indirect ;", False), ("// indirect, x", False), ("// Indirect", False),
        ("// indirect\x1c", False), ("//\x1findirect", False),
    ],
)  # fmt: skip
def test_what_is_indirect(comment: str, expected: bool) -> None:
    """The comment is the one word, or that word with a semicolon and something behind it."""
    (found,) = parse_lax(f"module m.x/m\nrequire a.b/c v1.0.0 {comment}\n".encode()).requires
    assert found.is_indirect is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"// Deprecated: gone\nmodule m.x/m\n", "gone"),
        (b"module m.x/m // Deprecated: gone\n", "gone"),
        (b"//Deprecated:gone\nmodule m.x/m\n", "gone"),
        (b"// Deprecated: one\n// two\nmodule m.x/m\n", "one\ntwo"),
        (b"// Note.\n//\n// Deprecated: gone\n//\n// More.\nmodule m.x/m\n", "gone"),
        (b"// Note.\n// Deprecated: gone\nmodule m.x/m\n", ""),
        (b"// Deprecated: gone\n\nmodule m.x/m\n", ""),
        (b"// deprecated: gone\nmodule m.x/m\n", ""),
        (b"module m.x/m\n// Deprecated: gone\n", ""),
        (b"// Deprecated:\nmodule m.x/m\n", ""),
        (b"// Deprecated: block\nmodule (\n\tm.x/m\n)\n", "block"),
        (b"// Deprecated: block\nmodule (\n\tm.x/m // own\n)\n", ""),
        (b"// Deprecated: block\nmodule (\n\t// Deprecated: own\n\n\tm.x/m\n)\n", "own"),
        (b"module ( // Deprecated: open\n\tm.x/m\n) // Deprecated: close\n", ""),
        (b"// Deprecated: one\n//\n// Deprecated: two\nmodule m.x/m\n", "one"),
        (b"// Deprecated: gone\r\nmodule m.x/m\r\n", "gone"),
    ],
)
def test_deprecation(body: bytes, expected: str) -> None:
    """A module is deprecated by a paragraph that begins so, in the comments of its own line, and by nothing else."""
    assert parse_lax(body).deprecated == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("retract v1", [("v1", "v1", "")]),
        ("retract [v1.0.0,v2.0.0]", [("v1.0.0", "v2.0.0", "")]),
        (
            "retract (\n\tv1.0.0 // a\n\t// b\n\t[v1.1.0, v1.2.0]\n)",
            [("v1.0.0", "v1.0.0", "a"), ("v1.1.0", "v1.2.0", "b")],
        ),
        ("// all\nretract (\n\tv1.0.0\n\n\tv1.1.0\n)", [("v1.0.0", "v1.0.0", "all"), ("v1.1.0", "v1.1.0", "")]),
        ("// a\n// b\nretract v1.0.0 // c", [("v1.0.0", "v1.0.0", "a\nb\nc")]),
        ("retract v1.0.0 v2.0.0", [("v1.0.0", "v1.0.0", "")]),
        ("retract [v1.0.0", []),
        ("retract ()", []),
    ],
)
def test_retractions(text: str, expected: list[tuple[str, str, str]]) -> None:
    """Versions and closed ranges, with their own comments, else those of their block."""
    found = parse_lax(f"module {M}\n{text}\n".encode()).retracts
    assert [(r.low, r.high, r.rationale) for r in found] == expected


@pytest.mark.parametrize(
    "text",
    [
        "go 1.21 x", "go 1.21\ngo 1.21", "toolchain x", "toolchain go1\ntoolchain go1", "require a.b/c",
        "require 'a.b/c' v1.0.0", "require a.b/c/v1 v1.0.0", "exclude a.b/c", "replace a.b/c",
        "replace a.b/c => d", "replace a.b/c => ./d v1.0.0", "replace a.b/c => .\\d", "replace a.b/c/v1 => ./d",
        "replace a.b/c => d.e/f x", "retract v1.0.0 v2.0.0", "retract", "tool", "ignore a b", "godebug x",
        "require x (\n)", "go (\n1.21\n)", "require (", "require (\n) x", 'module "\\q"', 'tool "x', "x\x00",
        "module a/*b", 'tool "\\ud800"', 'tool "\\U00110000"', "retract [v1.0.0 v2.0.0]", "tool \"a'b",
    ],
)  # fmt: skip
def test_strict_errors(text: str) -> None:
    """What the main module may not say is an error that names its line."""
    with pytest.raises(Malformed, match=r"^go\.mod line 1:|^go\.mod line 2:"):
        parse_strict(text.encode())


def test_lax_keeps_well_formed_facts_only() -> None:
    """A dependency's replace and exclude never fail the reading; the malformed ones are left out."""
    found = parse_lax(b"replace a => b\nreplace a.b/c => ./d\nexclude a.b/c x\nunknown (\n\tx\n)\n")
    assert len(found.replaces) == 1
    assert found.excludes == ()


def test_a_string_over_two_lines_gives_its_comment_away() -> None:
    """A comment behind a line that a string breaks in two goes to the line before, as in Go."""
    body = b'module m.x/m\nfoo "a\\\nb" // Deprecated: gone\n'
    assert parse_lax(body).deprecated == "gone"


def test_wrong_bytes_are_shown_one_by_one() -> None:
    """Bytes that are no UTF-8 become one replacement character each, also those written as escapes."""
    assert module_path(b"module example.com/\xff\xfe\n") == "example.com/\ufffd\ufffd"
    assert parse_lax(b'module "example.com/\\xff\\u00e9"\n').module == "example.com/\ufffdé"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"module example.com/m\n", True),
        (b"module example.com/m", False),
        (b"module example.com/m\r\n", False),
        (b'module "example.com/m"\n', False),
        (b"module example.com/m\n\ngo 1.21\n", False),
        (b"module example.com/M\n", False),
    ],
)
def test_synthetic(body: bytes, expected: bool) -> None:
    """A .mod is made up exactly if it is the one line that the proxy writes."""
    assert is_synthetic(M, body) is expected


@given(st.binary(max_size=60) | st.text('module (){}[],"`\\/*\nab.1\r\t', max_size=60).map(str.encode))
def test_never_fails_otherwise(body: bytes) -> None:
    """Whatever the bytes, a reading comes back."""
    assert read(body).crude == module_path(body)


@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_quoted_paths_come_back(text: str) -> None:
    """A path written as a quoted string is read as it was."""
    quoted = "".join(f"\\U{ord(char):08x}" for char in text)
    assert parse_lax(f'module "{quoted}"\n'.encode()).module == text


def test_the_comment_of_a_block_is_shared_by_its_lines() -> None:
    """A long comment above a block of many lines is kept once, and cut."""
    body = b"// " + b"why " * 25_000 + b"\nretract (\n" + b"v1.0.0\n" * 20_000 + b")\n"
    retracts = parse_lax(body).retracts
    assert len(retracts) == 20_000
    assert len({id(retraction.rationale) for retraction in retracts}) == 1
    assert {len(retraction.rationale) for retraction in retracts} == {LONGEST_TEXT + 1}
    tracemalloc.start()
    parse_lax(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


@pytest.mark.parametrize("body", [b"\n" * 200_000, b"(" * 500_000, b"retract v1.0.0\n" * 150_000])
def test_what_no_module_needs_is_refused(body: bytes) -> None:
    """Too many lines or words are refused with a code, before they take memory."""
    with pytest.raises(Malformed) as caught:
        parse_lax(b"module example.com/m\n" + body)
    assert caught.value.code is FailureCode.TOO_LARGE
