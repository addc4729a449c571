"""The registry's own rule for the latest version."""

from __future__ import annotations

from itertools import permutations

import pytest

from stook.registries.cargo.latest import Candidate, default_version, latest_stable
from stook.registries.cargo.semver import parse_semver


def candidates(text: str) -> list[Candidate]:
    """Versions as words; a `!` before one means yanked."""
    found = []
    for word in text.split():
        semver = parse_semver(word.lstrip("!"))
        assert semver is not None
        found.append(Candidate(semver.text, semver.key, semver.is_prerelease, word.startswith("!")))
    return found


@pytest.mark.parametrize(
    ("versions", "default", "stable"),
    [
        ("1.0.0 !1.1.1 2.0.0-beta.1", "1.0.0", "1.0.0"),
        ("1.0.0 1.10.0 1.9.0", "1.10.0", "1.10.0"),
        ("1.0.0-alpha 1.0.0-beta.2 1.0.0-beta.11", "1.0.0-beta.11", None),
        ("!1.0.0 !2.0.0 !3.0.0-rc.1", "2.0.0", None),
        ("!1.0.0 0.9.0-rc.1", "0.9.0-rc.1", None),
        ("!1.0.0-a !1.0.0-b", "1.0.0-b", None),
        ("2.0.0 1.0.9", "2.0.0", "2.0.0"),
        ("1.0.0+a 1.0.0+b", "1.0.0+b", "1.0.0+b"),
        ("1.0.0 1.0.0+9 1.0.0+10", "1.0.0+10", "1.0.0+10"),
        ("", None, None),
    ],
)
def test_latest(versions: str, default: str | None, stable: str | None) -> None:
    """Stable and not yanked first, then not yanked, then stable; the order of the lines does not matter."""
    for order in permutations(candidates(versions)):
        assert default_version(order) == default
        assert latest_stable(order) == stable
