"""The sample world is the same every time and shows everything worth showing."""

import json
import re

import pytest

from stook.testing import sample_world
from stook.testing.cargo_routes import index_file
from stook.testing.crates import default_release, precedence


@pytest.fixture(scope="module")
def world():
    """The sample, read only."""
    return sample_world()


def lines(world, name):
    """A crate's index lines, but for the spoilt one."""
    return [json.loads(line) for line in index_file(world.crate(name)).splitlines() if b"~~~" not in line]


def test_is_the_same_every_time(world):
    """Two builds give equal crates and events."""
    again = sample_world()
    assert (again.crates, again.go, again.now) == (world.crates, world.go, world.now)


def test_size(world):
    """Small enough to read, large enough to be worth looking at."""
    assert len(world.crates) == 24
    assert 150 <= sum(len(crate.releases) for crate in world.crates.values()) <= 250
    assert len({event.path for event in world.go.events}) >= 8
    assert 35 <= len(world.go.events) <= 60


def test_every_dependency_can_be_met(world):
    """Each names a crate of the world by its exact spelling, and one that is not yet yanked away."""
    names = {crate.name for crate in world.crates.values()}
    for crate in world.crates.values():
        for release in crate.releases:
            assert {dep.crate for dep in release.deps} <= names, f"{crate.name} {release.version}"


def test_no_version_is_older_than_the_one_before(world):
    """Lines of an index file stand in order of publication."""
    for crate in world.crates.values():
        times = [release.published for release in crate.releases]
        assert times == sorted(times)
        assert times[-1] <= crate.updated <= world.now


def test_names_of_all_kinds(world):
    """One, two and three letters; upper case; both separators, also mixed."""
    names = {crate.name for crate in world.crates.values()}
    assert {1, 2, 3} <= {len(name) for name in names}
    assert {"Beaconry", "lamp-oil", "tide_tables", "fog-horn_core", "Night_Log-Book"} <= names


def test_versions_of_all_kinds(world):
    """All yanked, only pre-releases, build metadata, 64-bit numbers, case in pre-releases."""
    assert all(release.is_yanked for release in world.crate("driftwood-buoys").releases)
    assert all("-" in release.version for release in world.crate("kraken-detector").releases)
    assert all("+" in release.version for release in world.crate("barnacle-sys").releases)
    assert {"1.0.0-rc.1", "1.0.0-RC.1"} <= {release.version for release in world.crate("fresnel-lens").releases}
    assert default_release(world.crate("everlasting-almanac")).version == "18446744073709551615.0.0"
    assert default_release(world.crate("storm-glass")).version == "0.3.0-beta.2"


def test_the_last_line_is_not_always_the_highest(world):
    """A back-port is published after a higher version."""
    versions = [release.version for release in world.crate("harbourmaster").releases]
    assert versions != sorted(versions, key=precedence)


def test_lines_of_all_generations(world):
    """Old ones with null kind and links; features2 with v 2; a line of the future; one that nobody can read."""
    old = lines(world, "lamp-oil")[0]
    assert old["deps"][0]["kind"] is None
    assert old["links"] is None
    assert "v" not in old
    new = next(line for line in lines(world, "keeper") if line["vers"] == "1.3.0")
    assert new["v"] == 2
    assert new["features2"]["retrofit"] == ["dep:old_lens"]
    assert new["rust_version"] == "1.70.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", new["pubtime"])
    assert lines(world, "message-in-a-bottle")[-1]["v"] == 3
    assert lines(world, "barnacle-sys")[0]["links"] == "barnacle"
    with pytest.raises(json.JSONDecodeError):
        json.loads(index_file(world.crate("message-in-a-bottle")).splitlines()[1])


def test_renamed_dependencies(world):
    """Aliases with and without an underscore in front name the real crate beside them."""
    new = next(line for line in lines(world, "keeper") if line["vers"] == "1.3.0")
    aliases = {dep["name"]: dep["package"] for dep in new["deps"] if "package" in dep}
    assert aliases == {"_bell": "o", "lens": "fresnel-lens", "old_lens": "fresnel-lens"}
    assert {dep["kind"] for dep in new["deps"]} == {"normal", "build", "dev"}


def test_licences_of_all_kinds(world):
    """None, the literal of the registry, slashes with and without blanks, deprecated ids, exceptions."""
    found = {release.license for crate in world.crates.values() for release in crate.releases}
    assert {None, "non-standard", "MIT/Apache-2.0", "MIT / Apache-2.0", "LGPL-2.1+"} <= found
    assert "Apache-2.0 WITH LLVM-exception" in found


def test_go_events_of_all_kinds(world):
    """Forks, aliases, retraction, deprecation, incompatible and pseudo-versions, and what is not there."""
    go = world.go
    declared = {event.path: event.mod.partition("module ")[2].split("\n")[0] for event in go.events}
    assert declared["github.com/old-salt/lamp"] == declared["github.com/keepers-guild/lamp.git"]
    assert declared["github.com/keepers-guild/tide"] == "tides.example/tide"
    assert declared["github.com/Keepers-Guild/Foghorn"].lower() == "github.com/keepers-guild/foghorn"
    assert {event.fate for event in go.events} == {"ok", "uncached", "missing", "withdrawn"}
    text = "".join(event.mod for event in go.events)
    assert "retract [v0.1.0, v0.2.0]" in text
    assert "// Deprecated:" in text
    versions = {event.version for event in go.events}
    assert {"v2.0.0+incompatible", "v0.3.0-RC.2", "v0.0.0-20180102030405-abcdefabcdef"} <= versions
