"""Look-ups: what affects a package at a version, and why."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from stook.advisories import AdvisoryKind, PackageVersion, SeverityLevel, UnreadableRecord
from stook.advisories.match import Advisories
from stook.advisories.ranges import RangeSource, to_text

from .oracle import Version, is_vulnerable  # noqa: TID252
from .orders import ORDERS  # noqa: TID252
from .records import advisories, affected, crate, found, module, record  # noqa: TID252

OPEN = {"introduced": "0"}
versions = st.builds("{}.{}.0{}".format, st.integers(0, 3), st.integers(0, 3), st.sampled_from(["", "-rc.1", "+b"]))
event_lists = st.lists(
    st.one_of(*(st.fixed_dictionaries({field: versions}) for field in ("introduced", "fixed", "last_affected"))),
    max_size=5,
).map(lambda events: [{"introduced": "1.1.0"}, *events])


@settings(deadline=None)
@given(st.lists(event_lists, min_size=1, max_size=6), st.lists(versions, min_size=1, max_size=8))
def test_all_that_affect_and_no_other(lists: list[list[dict[str, str]]], texts: list[str]) -> None:
    """The index of a package finds exactly the records that the specification's algorithm finds one by one."""
    entries = {f"GO-2024-{number:04}": affected("oar", *events) for number, events in enumerate(lists)}
    known = advisories(*(record(id, entry) for id, entry in entries.items()))
    for text in texts:
        expected = [id for id, entry in entries.items() if is_vulnerable(Version(text), [entry])]
        assert [one.advisory.id for one in known.find(crate("oar", text))] == expected


def test_reasons() -> None:
    """A finding names the range, its place in the record, and the bounds; or the list; or the fallback."""
    known = advisories(
        record("GO-2024-0001", affected("oar", {"introduced": "1.0.0"}, {"fixed": "1.2.5"}, versions=["3.0.0"])),
        record("GHSA-1", affected("oar", OPEN, database_specific={"last_known_affected_version_range": "<= 1.1.0"})),
    )
    ghsa, go = known.find(crate("oar", "1.1.0"))
    assert go.reason == "1.1.0 is in >=1.0.0, <1.2.5 (range 1 of GO-2024-0001)"
    assert go.interval
    assert (go.interval.low.text, go.interval.high.text) == ("1.0.0", "1.2.5")
    assert ghsa.reason == "1.1.0 is in <=1.1.0 (last_known_affected_version_range of GHSA-1)"
    assert ghsa.range
    assert ghsa.range.source is RangeSource.LAST_KNOWN
    (listed,) = known.find(crate("oar", "3.0.0"))
    assert listed.reason == "3.0.0 is in =3.0.0 (versions of GO-2024-0001)"


def test_names_and_spellings() -> None:
    """Crates by any spelling that crates.io takes for the same; modules by theirs; Go versions with and without v."""
    known = advisories(
        record("RUSTSEC-2024-0001", affected("Oar_Lock", OPEN, {"fixed": "1.0.0"})),
        record("GO-2024-0001", affected("example.com/Oar", OPEN, {"fixed": "1.0.0"}, ecosystem="Go")),
        record("GO-2024-0002", affected("stdlib", {"introduced": "1.21.0-0"}, {"fixed": "1.21.3"}, ecosystem="Go")),
    )
    packages = [
        crate("oar-lock", "0.9.0+1.7.2"),
        module("example.com/Oar", "v0.9.0"),
        module("example.com/Oar", "0.9.0"),
        module("example.com/oar", "v0.9.0"),
        module("example.com/Oar", "v1.0.0-rc.1"),
        module("example.com/Oar", "v1.0.0-0.20210101000000-0123456789ab"),
        module("example.com/Oar", "v2.0.0+incompatible"),
        module("stdlib", "go1.21rc2"),
        module("stdlib", "go1.21.3"),
        PackageVersion("npm", "oar-lock", "0.9.0"),
    ]
    assert [(version, id) for version, id, _ in found(known, packages)] == [
        ("0.9.0+1.7.2", "RUSTSEC-2024-0001"),
        ("v0.9.0", "GO-2024-0001"),
        ("0.9.0", "GO-2024-0001"),
        ("v1.0.0-rc.1", "GO-2024-0001"),
        ("v1.0.0-0.20210101000000-0123456789ab", "GO-2024-0001"),
        ("go1.21rc2", "GO-2024-0002"),
    ]


def test_what_cannot_be_ordered_is_never_clean() -> None:
    """An odd version is undetermined unless a list or an open range decides; so is any version at an odd bound."""
    known = advisories(
        record("GHSA-1", affected("oar", OPEN)),
        record("GHSA-2", affected("oar", OPEN, {"fixed": "1.0.0"}, versions=["main"])),
        record("GHSA-3", affected("oar", OPEN, {"fixed": "1.0.0"})),
        record("GHSA-4", affected("oar", OPEN, {"fixed": "9.6.0b1"}, versions=["2.0.0"])),
        record("GHSA-5", affected("oar", {"introduced": "1.0.0"}, {"fixed": "1.0.0"})),
    )
    assert found(known, [crate("oar", "main")]) == [
        ("main", "GHSA-1", "affected"),
        ("main", "GHSA-2", "affected"),
        ("main", "GHSA-3", "undetermined"),
        ("main", "GHSA-4", "undetermined"),
    ]
    assert found(known, [crate("oar", "2.0.0"), crate("oar", "3.0.0")]) == [
        ("2.0.0", "GHSA-1", "affected"),
        ("2.0.0", "GHSA-4", "affected"),
        ("3.0.0", "GHSA-1", "affected"),
        ("3.0.0", "GHSA-4", "undetermined"),
    ]
    assert "9.6.0b1" in known.find(crate("oar", "3.0.0"))[1].reason


def test_withdrawn_records_never_match() -> None:
    """They stay known by their id, so that rows can be taken back."""
    known = advisories(record("GO-2024-0001", affected("oar", OPEN), withdrawn="2024-06-01T00:00:00Z"))
    assert known.find(crate("oar", "1.0.0")) == []
    assert known.by_id["GO-2024-0001"].is_withdrawn


def test_the_last_modified_record_counts() -> None:
    """Whatever the order of arrival; a zero time never wins, and unreadable records are kept aside."""
    old = record("GO-2024-0001", affected("oar", OPEN), modified="2024-01-01T00:00:00Z")
    new = record("GO-2024-0001", affected("oar", OPEN, {"fixed": "1.0.0"}), modified="2024-02-01T00:00:00Z")
    zero = record("GO-2024-0001", affected("oar", OPEN, {"fixed": "9.0.0"}), modified="0001-01-01T00:00:00Z")
    aside = UnreadableRecord("x.json", "broken")
    for order in permutations([old, new, zero, aside]):
        known = Advisories.from_records(order, ORDERS)
        (exposure,) = known.exposures("crates.io", "oar")
        assert to_text(exposure.intervals) == "<1.0.0"
        assert known.unreadable == (aside,)


def test_severity_is_lent_by_aliases() -> None:
    """A record without a severity has the gravest of its group, which is named; its own is never replaced."""
    high = [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}]
    low = [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N"}]
    known = advisories(
        record("GHSA-1", affected("oar", OPEN), aliases=["CVE-2024-0001"], severity=high),
        record("GHSA-2", affected("oar", OPEN), aliases=["CVE-2024-0001"], severity=low),
        record("GO-2024-0001", affected("oar", OPEN), aliases=["CVE-2024-0001"]),
        record("GO-2024-0002", affected("oar", OPEN)),
    )
    severities = [(one.severity.level, one.severity.source) for one in known.exposures("crates.io", "oar")]
    assert severities == [
        (SeverityLevel.CRITICAL, "GHSA-1"),
        (SeverityLevel.LOW, "GHSA-2"),
        (SeverityLevel.CRITICAL, "GHSA-1"),
        (SeverityLevel.UNKNOWN, ""),
    ]


def test_remedy_looks_at_every_advisory_of_the_package() -> None:
    """A fixed version that another advisory affects is no remedy; what is only unmaintained does not count."""
    known = advisories(
        record("GO-2024-0001", affected("oar", OPEN, {"fixed": "1.2.0"})),
        record("GO-2024-0002", affected("oar", {"introduced": "1.2.0"}, {"fixed": "1.3.0"})),
        record("GO-2024-0003", affected("oar", OPEN, database_specific={"informational": "unmaintained"})),
    )
    remedy = known.remedy(crate("oar", "1.1.0"))
    assert (remedy.compatible, remedy.beyond, remedy.unfixed) == ("1.3.0", "", ())
    assert known.exposures("crates.io", "oar")[2].kind is AdvisoryKind.UNMAINTAINED
