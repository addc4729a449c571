"""Version orders; one file a scheme."""

from stook.registries.versions.semver import Semver, build_order, parse_semver

__all__ = ["Semver", "build_order", "parse_semver"]
