"""Cargo.lock as an inventory."""

from __future__ import annotations

import pytest

from stook.advisories.formats import ListedPackage, Unlisted, read_cargo_lock
from stook.engine.errors import Malformed

from ..records import crate  # noqa: TID252

CRATES = "registry+https://github.com/rust-lang/crates.io-index"
LOCK = f"""# generated
version = 4

[[package]]
name = "boat"
version = "0.1.0"
dependencies = ["oar 1.0.0", "mast", "oar", "nothing"]

[[package]]
name = "oar"
version = "1.0.0"
source = "{CRATES}"
checksum = "{"a" * 64}"

[[package]]
name = "oar"
version = "2.0.0"
source = "{CRATES}"

[[package]]
name = "mast"
version = "0.3.0"
source = "git+https://git.test/mast#abc"
"""


def test_packages() -> None:
    """Places, lines, checksums, sources and the graph; only the registry's packages are looked up.

    A name that two packages have is no reference, and neither is one that none has.
    """
    inventory = read_cargo_lock(LOCK.encode())
    assert inventory.packages == (
        ListedPackage(crate("boat", "0.1.0"), 4, "", "path", (1, 3)),
        ListedPackage(crate("oar", "1.0.0"), 9, "a" * 64),
        ListedPackage(crate("oar", "2.0.0"), 15),
        ListedPackage(crate("mast", "0.3.0"), 20, "", "git+https://git.test/mast#abc"),
    )
    assert list(inventory.checked()) == [crate("oar", "1.0.0"), crate("oar", "2.0.0")]


def test_references() -> None:
    """By name, by name and version, or with the source, where one version has two."""
    packages = [("boat", ""), ("oar", CRATES), ("oar", "git+https://git.test/oar#abc")]
    text = "".join(
        f'[[package]]\nname = "{name}"\nversion = "1.0.0"\nsource = "{source}"\n' for name, source in packages
    )
    for place, (name, source) in enumerate(packages[1:], 1):
        lock = text.replace('"boat"\n', f'"boat"\ndependencies = ["{name} 1.0.0 ({source})"]\n')
        assert read_cargo_lock(lock.encode()).packages[0].depends_on == (place,)


def test_the_oldest_format() -> None:
    """Format 1: the project in [root], checksums in [metadata]."""
    text = f"""[root]
name = "boat"
version = "0.1.0"
[[package]]
name = "oar"
version = "1.0.0"
source = "{CRATES}"
[metadata]
"checksum oar 1.0.0 ({CRATES})" = "abc"
"""
    boat, oar = read_cargo_lock(text.encode()).packages
    assert boat.other_source == "path"
    assert (oar.checksum, oar.line) == ("abc", 4)


def test_a_bad_package_costs_no_other() -> None:
    """It is named by its place."""
    text = LOCK + '[[package]]\nname = "hull"\n[[package]]\nname = "keel"\nversion = 1\n'
    inventory = read_cargo_lock(text.encode())
    assert len(inventory.packages) == 4
    assert inventory.unlisted == (
        Unlisted("package 5", "no name or no version"),
        Unlisted("package 6", "no name or no version"),
    )


def test_lines_inside_of_texts_do_not_mislead() -> None:
    """Where headers and tables do not tally, no line is claimed."""
    text = LOCK + 'x = """\n[[package]]\n"""\n'
    assert {one.line for one in read_cargo_lock(text.encode()).packages} == {0}


@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< HEAD",
        b"version = 99",
        b'version = "4"',
        b"package = 1",
        b"\xff",
        b"x = " + b"[" * 100_000,
        b"x = 1\nx = 2",
    ],
)
def test_what_is_no_lock(data: bytes) -> None:
    """Conflict markers, newer formats and broken text are errors."""
    with pytest.raises(Malformed):
        read_cargo_lock(data)
