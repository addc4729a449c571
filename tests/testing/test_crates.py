"""Names, order and the default version follow the registry's rules."""

import pytest

from stook.testing.crates import Dependency, fold, index_path, precedence
from stook.testing.crates import default_release as default
from stook.testing.world import World


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("o", "1/o"),
        ("Ay", "2/ay"),
        ("oar", "3/o/oar"),
        ("a-b_c", "a-/b_/a-b_c"),
        ("Beaconry", "be/ac/beaconry"),
    ],
)
def test_index_paths(name, path):
    """Paths are lower case and keep separators."""
    assert index_path(name) == path


def test_uniqueness_ignores_case_and_separators():
    """One key for all spellings of a name."""
    assert fold("Night_Log-Book") == fold("night-log_book")


def test_precedence_is_that_of_semver():
    """The order of the semver page, with numbers beyond any machine word and case that counts."""
    ordered = """0.0.0-0 1.0.0-1 1.0.0-2 1.0.0-11 1.0.0-RC.1 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta.2
        1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.9.0 1.10.0 2.0.0 18446744073709551614.0.0 18446744073709551615.0.0"""
    assert sorted(sorted(ordered.split()), key=precedence) == ordered.split()


def test_build_metadata_has_no_precedence():
    """Versions that differ in build metadata alone are equal."""
    assert precedence("1.0.0+lib.1") == precedence("1.0.0+lib.2-x")


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ("1.0.0 1.1.1* 2.0.0-beta.1", "1.0.0"),
        ("0.1.0-beta.2 0.1.0-beta.11", "0.1.0-beta.11"),
        ("1.0.0* 1.1.0* 2.0.0-rc.1*", "1.1.0"),
        ("0.1.0* 0.2.0-beta.1", "0.2.0-beta.1"),
        ("1.1.0+b-1 1.0.9", "1.1.0+b-1"),
    ],
)
def test_default_version(versions, expected):
    """Highest stable not yanked, else highest not yanked, else highest stable."""
    world = World()
    for text in versions.split():
        world.publish("oar", text.rstrip("*"))
        if text.endswith("*"):
            world.yank("oar", text.rstrip("*"))
    assert default(world.crate("oar")).version == expected


def test_dependency_notation():
    """One line of the sample's notation carries all that a dependency has."""
    assert Dependency.parse(
        "fresnel-lens >=1,<3 as=_lens optional bare with=std,colour on=cfg(unix) build"
    ) == Dependency("fresnel-lens", ">=1,<3", "build", "_lens", True, False, ("std", "colour"), "cfg(unix)")
    assert Dependency.parse("oar ^1 dev") == Dependency("oar", "^1", "dev")
