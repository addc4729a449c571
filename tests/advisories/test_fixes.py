"""Where to go from an affected version."""

from __future__ import annotations

import pytest

from stook.advisories import Remedy

from .records import advisories, affected, crate, module, record  # noqa: TID252

OPEN = {"introduced": "0"}


def test_series_and_beyond() -> None:
    """The first fix of the compatible series, and the first after it."""
    events = [OPEN, {"fixed": "1.2.5"}, {"introduced": "2.0.0"}, {"fixed": "2.1.0"}]
    known = advisories(record("GO-2024-0001", affected("oar", *events)))
    assert known.remedy(crate("oar", "1.2.0")) == Remedy("1.2.5", "2.1.0")
    assert known.remedy(crate("oar", "2.0.0")) == Remedy("2.1.0", "")
    assert known.remedy(crate("oar", "0.1.0")) == Remedy("", "1.2.5")


def test_lowest_prerelease_stands_for_its_release() -> None:
    """RustSec's `1.2.4-0` means 1.2.4, unless that is affected, too."""
    known = advisories(record("RUSTSEC-2024-0001", affected("oar", OPEN, {"fixed": "1.2.4-0"})))
    assert known.remedy(crate("oar", "1.2.0")).compatible == "1.2.4"
    more = record("RUSTSEC-2024-0002", affected("oar", {"introduced": "1.2.4"}, {"fixed": "1.2.6"}))
    known = advisories(record("RUSTSEC-2024-0001", affected("oar", OPEN, {"fixed": "1.2.4-0"})), more)
    assert known.remedy(crate("oar", "1.2.0")).compatible == "1.2.4-0"


def test_known_versions() -> None:
    """With versions that exist, the answer exists; a release before a pre-release; the last affected bound helps."""
    known = advisories(record("GHSA-1", affected("example.com/oar", OPEN, {"last_affected": "1.2.0"}, ecosystem="Go")))
    assert known.remedy(module("example.com/oar", "v1.0.0")) == Remedy()
    exist = ["v1.3.0", "v1.2.1-rc.1", "v1.2.0", "v2.0.0+incompatible", "nonsense", "v1.2.2"]
    assert known.remedy(module("example.com/oar", "v1.0.0"), exist) == Remedy("1.2.2", "2.0.0+incompatible")
    assert known.remedy(module("example.com/oar", "v1.0.0"), ["v1.2.1-rc.1"]) == Remedy("1.2.1-rc.1", "")


def test_what_has_no_fix() -> None:
    """An advisory that no later version escapes is named, and does not hide the fixes of the others."""
    known = advisories(
        record("GO-2024-0001", affected("oar", OPEN)),
        record("GO-2024-0002", affected("oar", OPEN, {"fixed": "1.2.0"})),
    )
    assert known.remedy(crate("oar", "1.0.0")) == Remedy("1.2.0", "", ("GO-2024-0001",))


@pytest.mark.parametrize("version", ["main", ""])
def test_no_order_no_remedy(version: str) -> None:
    """From what cannot be ordered, no way leads on."""
    known = advisories(record("GO-2024-0001", affected("oar", OPEN, {"fixed": "1.2.0"})))
    assert known.remedy(crate("oar", version)) == Remedy()
