"""What a record says of a package: kind, versions with fallbacks, functions, platforms."""

from __future__ import annotations

from typing import Any

import pytest

from stook.advisories.exposure import MAX_SENTENCES, AdvisoryKind, Exposure, exposures
from stook.advisories.ranges import RangeSource, to_text
from stook.advisories.severity import SeverityLevel

from .orders import ORDERS  # noqa: TID252
from .records import affected, record  # noqa: TID252

OPEN = {"introduced": "0"}


def only(*entries: dict[str, Any], id: str = "RUSTSEC-2024-0001") -> Exposure:
    found, _ = exposures(record(id, *entries), ORDERS)
    (exposure,) = found
    return exposure


def custom(*events: dict[str, str]) -> dict[str, Any]:
    return {"custom_ranges": [{"type": "ECOSYSTEM", "events": list(events)}]}


@pytest.mark.parametrize(
    ("id", "informational", "kind"),
    [
        ("RUSTSEC-2024-0001", None, AdvisoryKind.VULNERABILITY),
        ("RUSTSEC-2024-0001", "unsound", AdvisoryKind.UNSOUND),
        ("RUSTSEC-2024-0001", "unmaintained", AdvisoryKind.UNMAINTAINED),
        ("RUSTSEC-2024-0001", "notice", AdvisoryKind.NOTICE),
        ("RUSTSEC-2024-0001", "haunted", AdvisoryKind.OTHER),
        ("MAL-2024-1", None, AdvisoryKind.MALICIOUS),
    ],
)
def test_kinds(id: str, informational: str | None, kind: AdvisoryKind) -> None:
    """RustSec's informational kinds stay apart from vulnerabilities, new ones, too."""
    assert only(affected("oar", OPEN, database_specific={"informational": informational}), id=id).kind is kind


def test_custom_ranges_bound_what_is_open() -> None:
    """A Go record that says all versions, but knows better in its own field, is read with the bound, and marked."""
    entry = affected("example.com/oar/v5", OPEN, ecosystem="Go", ecosystem_specific=custom(OPEN, {"fixed": "5.0.4"}))
    exposure = only(entry)
    assert to_text(exposure.intervals) == "<5.0.4"
    assert exposure.fallbacks == (RangeSource.CUSTOM,)
    assert not exposure.notes


def test_custom_ranges_in_another_numbering() -> None:
    """Bounds that no order can read leave the range as the specification has it, with a note."""
    entry = affected("example.com/oar", OPEN, ecosystem="Go", ecosystem_specific=custom(OPEN, {"fixed": "edge-24.6"}))
    exposure = only(entry)
    assert to_text(exposure.intervals) == "*"
    assert exposure.fallbacks == ()
    assert "custom_ranges" in exposure.notes[0]


def test_last_known_bound() -> None:
    """GHSA's own upper bound closes what its range leaves open."""
    entry = affected("mio", OPEN, database_specific={"last_known_affected_version_range": "<= 0.8.10"})
    exposure = only(entry, id="GHSA-r8w9-5wcg-vfj7")
    assert to_text(exposure.intervals) == "<=0.8.10"
    assert exposure.fallbacks == (RangeSource.LAST_KNOWN,)
    fixed = affected(
        "mio", OPEN, {"fixed": "0.7.11"}, database_specific={"last_known_affected_version_range": "<= 1.0.0"}
    )
    assert to_text(only(fixed).intervals) == "<0.7.11"
    assert only(fixed).fallbacks == ()


def test_functions_and_platforms() -> None:
    """RustSec's and Go's ways to say which functions, systems and architectures."""
    rust = only(
        affected(
            "oar",
            OPEN,
            ecosystem_specific={"affects": {"functions": ["oar::pull"], "os": ["windows"], "arch": []}},
        )
    )
    assert (rust.functions, rust.platforms, rust.architectures) == (("oar::pull",), ("windows",), ())
    imports = [
        {"path": "example.com/oar/deck", "symbols": ["Pull", "Row"], "goos": ["linux"]},
        {"path": "example.com/x"},
    ]
    go = only(affected("example.com/oar", OPEN, ecosystem="Go", ecosystem_specific={"imports": imports}))
    assert go.functions == ("example.com/oar/deck: Pull", "example.com/oar/deck: Row", "example.com/x")
    assert go.platforms == ("linux",)


def test_one_package_in_several_entries() -> None:
    """Entries for one package are one exposure: versions united, the gravest kind, no limit that only one has."""
    exposure = only(
        affected("oar", OPEN, {"fixed": "1.0.0"}, database_specific={"informational": "notice"}),
        affected("Oar", {"introduced": "2.0.0"}, {"fixed": "2.1.0"}, ecosystem_specific={"affects": {"os": ["linux"]}}),
    )
    assert to_text(exposure.intervals) == "<1.0.0 || >=2.0.0, <2.1.0"
    assert exposure.kind is AdvisoryKind.VULNERABILITY
    assert exposure.platforms == ()
    assert len(exposure.ranges) == 2


def test_entries_that_say_nothing_to_us() -> None:
    """No package, or another ecosystem: a note, and the other entries stand."""
    found, notes = exposures(
        record("GHSA-1", {"ranges": []}, affected("oar", OPEN, ecosystem="npm"), affected("oar", OPEN)), ORDERS
    )
    assert [one.ecosystem for one in found] == ["crates.io"]
    assert len(notes) == 2


def test_sentences_are_few() -> None:
    """A record cannot make us keep a note for each of a thousand odd entries."""
    entries = [affected("oar", OPEN, ecosystem=f"sea-{number}") for number in range(1000)]
    _, notes = exposures(record("GHSA-1", *entries), ORDERS)
    assert len(notes) == MAX_SENTENCES + 1
    assert notes[-1] == "and 980 more"


def test_free_fields_of_another_shape() -> None:
    """What a database adds in a shape of its own leaves a note and costs nothing else."""
    exposure = only(affected("oar", OPEN, ecosystem_specific={"imports": "all"}, database_specific=None))
    assert to_text(exposure.intervals) == "*"
    assert len(exposure.notes) == 1


def test_a_severity_of_one_package() -> None:
    """A severity may stand with the package."""
    vector = {"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}
    assert only(affected("oar", OPEN, severity=[vector])).severity.level is SeverityLevel.CRITICAL
