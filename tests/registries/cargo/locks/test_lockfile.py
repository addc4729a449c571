"""Locks of all formats become packages."""

from __future__ import annotations

import pytest

from stook.engine.errors import Malformed
from stook.registries.cargo.locks import Origin, parse_lock

CRATES = "registry+https://github.com/rust-lang/crates.io-index"
PACKAGES = f"""
[[package]]
name = "thing"
version = "0.1.0"
dependencies = ["Inflector"]

[[package]]
name = "Inflector"
version = "0.11.4+spec-1"
source = "{CRATES}"
"""
CHECKSUM = 'checksum = "abcd"\n'
METADATA = f'\n[metadata]\n"checksum Inflector 0.11.4+spec-1 ({CRATES})" = "abcd"\n"checksum x 1 (git+y)" = "<none>"\n'
FORMATS = {
    "1 with [root]": PACKAGES.replace("[[package]]", "[root]", 1) + METADATA,
    "1": PACKAGES + METADATA,
    "2": PACKAGES + CHECKSUM,
    "3": "version = 3\n" + PACKAGES + CHECKSUM,
    "4": "# @generated\nversion = 4\n" + PACKAGES + CHECKSUM,
}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
def test_every_format_gives_the_same_packages(text: str) -> None:
    """Name, version and checksum are read alike from formats 1 to 4, spelt as in the lock."""
    thing, inflector = parse_lock(text.encode(), index_url="https://index.example/")
    assert (thing.name, thing.version, thing.source, thing.origin) == ("thing", "0.1.0", "", Origin.PATH)
    assert (inflector.name, inflector.version, inflector.checksum) == ("Inflector", "0.11.4+spec-1", "abcd")
    assert inflector.origin is Origin.REGISTRY


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        (CRATES, Origin.REGISTRY),
        ("sparse+https://index.crates.io/", Origin.REGISTRY),
        ("sparse+https://index.example/crates/", Origin.REGISTRY),
        ("registry+https://index.example/crates", Origin.REGISTRY),
        ("sparse+https://index.example/", Origin.OTHER_REGISTRY),
        ("registry+https://evil.example/index.crates.io", Origin.OTHER_REGISTRY),
        ("git+https://example.org/x?tag=v1#0123", Origin.GIT),
        ("path+file:///x", Origin.OTHER_REGISTRY),
    ],
)
def test_source_decides_the_origin(source: str, origin: Origin) -> None:
    """Only crates.io in its two spellings and the configured index count as the registry."""
    text = f'version = 4\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "{source}"\n'
    (package,) = parse_lock(text, index_url="https://index.example/crates")
    assert (package.origin, package.source) == (origin, source)


def test_unused_patches_are_no_packages() -> None:
    """`[[patch.unused]]` is not counted."""
    unused = '\n[[patch.unused]]\nname = "ghost"\nversion = "1.0.0"\n'
    names = [package.name for package in parse_lock(FORMATS["4"] + unused, index_url="https://i.example/")]
    assert names == ["thing", "Inflector"]


def test_empty_lock_has_no_packages() -> None:
    """A lock without packages is read, not refused."""
    assert parse_lock("version = 4\n", index_url="https://i.example/") == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("version = 5", "format 5"),
        ('version = "4"', "format 4"),
        ("<<<<<<< HEAD", "conflict markers \\(line 1\\)"),
        ("[[package]]\nname = 'a'\nversion = '1'\n" * 2, "a 1 is specified twice"),
        (b"\xff\xfe", "cannot be read"),
        ("package = 3", "not a list"),
        ("[[package]]\nname = 'a'", "without a name or a version"),
        ("root = 1", "without a name or a version"),
        ("[[package]]\nname = 'a'\nversion = '1'\nsource = 7", "not a text"),
        ("x = " + "[" * 5000, "cannot be read"),
    ],
)
def test_damaged_locks_are_malformed(text: str | bytes, reason: str) -> None:
    """What is no lock raises Malformed with a reason, nothing else."""
    with pytest.raises(Malformed, match=reason):
        parse_lock(text, index_url="https://i.example/")
