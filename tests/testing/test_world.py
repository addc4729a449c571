"""The world changes as a registry does."""

import json

import pytest

from stook.testing import World
from stook.testing.cargo_routes import index_file


def index(world, name):
    """A crate's index lines by version."""
    return {line["vers"]: line for line in map(json.loads, index_file(world.crate(name)).splitlines())}


@pytest.fixture
def world():
    """One crate with two versions."""
    world = World()
    world.publish("Oar", "1.0.0", deps=["ay ^1 as=_yes"], features2={"a": ["dep:_yes"]}, description="Slow")
    world.publish("oar", "1.1.0", license=None)
    return world


def test_publish_adds_a_line(world):
    """A new version stands at the end, under the spelling that came first."""
    assert list(index(world, "oar")) == ["1.0.0", "1.1.0"]
    assert {line["name"] for line in index(world, "oar").values()} == {"Oar"}
    assert index(world, "oar")["1.0.0"]["v"] == 2
    assert world.crate("OAR").description == "Slow"


def test_a_version_is_published_once(world):
    """The registry refuses a version that exists."""
    with pytest.raises(ValueError, match=r"oar 1\.0\.0 is already published"):
        world.publish("oar", "1.0.0")


def test_yank_and_unyank_change_one_flag(world):
    """Both move the crate's time; the message goes with the yank."""
    before = index(world, "oar"), world.crate("oar").updated
    world.yank("oar", "1.0.0", "Splinters")
    assert index(world, "oar")["1.0.0"]["yanked"] is True
    assert world.crate("oar").release("1.0.0").yank_message == "Splinters"
    world.unyank("oar", "1.0.0")
    assert index(world, "oar") == before[0]
    assert world.crate("oar").release("1.0.0").yank_message is None
    assert world.crate("oar").updated > before[1]


def test_replace_checksum(world):
    """The same version, other bytes."""
    old = index(world, "oar")["1.0.0"]["cksum"]
    new = world.replace_checksum("oar", "1.0.0")
    assert index(world, "oar")["1.0.0"]["cksum"] == new != old


def test_deletions_leave_no_trace(world):
    """A deleted version's line is gone, and so is a deleted crate; its name is free."""
    world.delete_version("oar", "1.0.0")
    assert list(index(world, "oar")) == ["1.1.0"]
    world.delete_crate("Oar")
    with pytest.raises(KeyError):
        world.crate("oar")
    assert world.publish("oar", "1.0.0").version == "1.0.0"


def test_what_is_not_there_cannot_change(world):
    """An unknown version is an error that names it."""
    with pytest.raises(KeyError, match=r"Oar has no version 9\.9\.9"):
        world.yank("oar", "9.9.9")


def test_every_change_counts_and_moves_time(world):
    """The revision and the world's own time go up with each change, in equal steps every run."""
    revision, now = world.revision, world.now
    world.yank("oar", "1.0.0")
    world.announce("github.com/deep/kraken", "v0.0.1")
    assert world.revision == revision + 2
    assert world.now > now
    assert world.now == _again().now


def _again():
    world = World()
    world.publish("Oar", "1.0.0")
    world.publish("oar", "1.1.0")
    world.yank("oar", "1.0.0")
    world.announce("github.com/deep/kraken", "v0.0.1")
    return world


def test_a_changed_crate_gets_pubtime_on_all_lines(world):
    """As in the registry, the next change writes `pubtime` into every line."""
    world.crate("oar").has_pubtime = False
    world.touch("oar")
    assert all("pubtime" in line for line in index(world, "oar").values())


def test_announce_replaces_and_declares():
    """A second announcement takes the place of the first; go.mod follows `declares` or `mod`."""
    world = World()
    world.announce("github.com/deep/kraken", "v0.0.1", fate="missing")
    event = world.announce("github.com/deep/kraken", "v0.0.1", declares="deep.example/kraken")
    assert world.go.events == [event]
    assert event.mod == "module deep.example/kraken\n\ngo 1.22\n"
    assert world.announce("github.com/deep/squid", "v1.0.0").mod == "module github.com/deep/squid\n"
    assert world.announce("github.com/deep/squid", "v1.1.0", mod="module x.example\n").mod == "module x.example\n"
