"""Version orders; one file a scheme."""

from stook.registries.versions.semver import Semver, parse_semver

__all__ = ["Semver", "parse_semver"]
