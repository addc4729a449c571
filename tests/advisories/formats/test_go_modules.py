"""go.mod and `go list -m all` as inventories."""

from __future__ import annotations

import pytest

from stook.advisories import PackageVersion
from stook.advisories.formats import Unlisted, read_go_list, read_go_mod
from stook.engine.errors import Malformed

from ..records import module  # noqa: TID252

GO_MOD = b"""module example.com/boat // the boat

go 1.21
toolchain go1.22.3

require example.com/oar v1.2.3
require (
\texample.com/mast v2.0.0+incompatible // indirect
\t"example.com/hull" v0.0.0-20210101000000-0123456789ab
\texample.com/keel v1.0.0
\texample.com/sail v1.0.0
\texample.com/broken
)

exclude example.com/oar v1.2.2
retract [v1.0.0, v1.0.5] // wet
replace example.com/keel => ../keel
replace (
\texample.com/sail v1.0.0 => example.com/other/sail v1.1.0
\texample.com/oar v1.2.2 => example.com/never v1.0.0
)
"""


def test_go_mod() -> None:
    """Requirements with their lines, replacements applied; a folder in the place of a module is not looked up."""
    inventory = read_go_mod(GO_MOD)
    assert list(inventory.checked()) == [
        module("example.com/oar", "v1.2.3"),
        module("example.com/mast", "v2.0.0+incompatible"),
        module("example.com/hull", "v0.0.0-20210101000000-0123456789ab"),
        module("example.com/other/sail", "v1.1.0"),
    ]
    assert [one.line for one in inventory.packages] == [6, 8, 9, 10, 11]
    assert [one.other_source for one in inventory.packages if one.other_source] == ["replaced by ../keel"]
    assert inventory.unlisted == (Unlisted("line 12", "not a requirement: example.com/broken"),)


def test_the_go_line_is_no_compiler() -> None:
    """Neither `go` nor `toolchain` says which Go compiles."""
    assert all(one.package.name != "stdlib" for one in read_go_mod(GO_MOD).packages)


@pytest.mark.parametrize("data", [b"require (\nexample.com/oar v1.0.0\n", b"\xff\xfe", b"\n" * (16 * 1024 * 1024 + 1)])
def test_no_go_mod(data: bytes) -> None:
    """A block without an end, another encoding, an absurd size."""
    with pytest.raises(Malformed):
        read_go_mod(data)


def test_go_list() -> None:
    """Modules with versions, replacements, and what `-u` adds; the main module is left out and named."""
    text = b"""example.com/boat
example.com/oar v1.2.3
example.com/mast v1.0.0 => example.com/other/mast v1.1.0
example.com/keel v1.0.0 => ../keel
example.com/sail v1.0.0 [v1.2.0] (deprecated)
example.com/hull v1.0.0 what is this
"""
    inventory = read_go_list(text)
    assert list(inventory.checked()) == [
        module("example.com/oar", "v1.2.3"),
        module("example.com/other/mast", "v1.1.0"),
        module("example.com/sail", "v1.0.0"),
    ]
    assert inventory.packages[2].package == PackageVersion("Go", "example.com/keel", "v1.0.0")
    assert inventory.packages[2].other_source == "replaced by ../keel"
    assert [one.name for one in inventory.unlisted] == ["example.com/boat", "example.com/hull v1.0.0 what is this"]
