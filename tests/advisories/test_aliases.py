"""Advisories about one bug: groups, and rows by CVE."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stook.advisories.aliases import components
from stook.advisories.exposure import AdvisoryKind
from stook.advisories.ranges import to_text

from .records import advisories, affected, record  # noqa: TID252


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_chains_are_one_group_in_any_order(order: tuple[int, ...]) -> None:
    """A{1} B{2} C{2,3} D{1,3} are connected; merging pairs in the order of arrival would leave B out."""
    names = [["1"], ["2"], ["2", "3"], ["1", "3"]]
    assert components([names[place] for place in order]) == [[0, 1, 2, 3]]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 15).map(str), min_size=1, max_size=3), max_size=12))
def test_components(lists: list[list[str]]) -> None:
    """Two lists are in one component exactly if a chain of shared names joins them."""
    reached = [{place} for place in range(len(lists))]
    for _ in lists:
        for one in reached:
            held = {name for place in one for name in lists[place]}
            one |= {place for place, names in enumerate(lists) if held & set(names)}
    expected = sorted({tuple(sorted(one)) for one in reached})
    assert sorted(map(tuple, components(lists))) == expected


def entry(low: str, high: str, name: str = "oar", **more: object) -> dict[str, object]:
    return affected(name, {"introduced": low}, {"fixed": high}, **more)


def test_groups_stay_within_a_package() -> None:
    """One GHSA for two crates does not join what is known of either."""
    known = advisories(
        record("GHSA-1", entry("0", "1.0.0"), entry("0", "2.0.0", "mast"), aliases=["CVE-2024-0001", "CVE-2024-0002"]),
        record("RUSTSEC-2024-0001", entry("0", "1.0.0"), aliases=["CVE-2024-0001"]),
        record("RUSTSEC-2024-0002", entry("0", "2.0.0", "mast"), aliases=["CVE-2024-0002"]),
    )
    groups = known.groups("crates.io", "oar")
    assert [[one.id for one in group.advisories] for group in groups] == [["GHSA-1", "RUSTSEC-2024-0001"]]
    assert groups[0].names == ("CVE-2024-0001", "CVE-2024-0002", "GHSA-1", "RUSTSEC-2024-0001")


def test_one_row_for_each_cve() -> None:
    """A record with two CVEs gives two rows, two records with one CVE give one with the union; the rest by id."""
    known = advisories(
        record("RUSTSEC-2024-0001", entry("1.0.0", "1.1.0"), aliases=["CVE-2024-0001", "CVE-2024-0002"]),
        record("RUSTSEC-2024-0002", entry("2.0.0", "2.1.0"), aliases=["CVE-2024-0002"]),
        record("RUSTSEC-2024-0003", entry("0", "9.0.0", database_specific={"informational": "unsound"})),
        record("RUSTSEC-2024-0004", entry("0", "9.0.0"), aliases=["CVE-2024-0009"], withdrawn="2024-06-01T00:00:00Z"),
    )
    rows = {row.vulnerability_id: row for row in known.cve_rows("crates.io", "oar")}
    assert list(rows) == ["CVE-2024-0001", "CVE-2024-0002", "RUSTSEC-2024-0003"]
    assert to_text(rows["CVE-2024-0002"].intervals) == ">=1.0.0, <1.1.0 || >=2.0.0, <2.1.0"
    assert rows["CVE-2024-0002"].advisory_ids == ("RUSTSEC-2024-0001", "RUSTSEC-2024-0002")
    assert (rows["RUSTSEC-2024-0003"].is_cve, rows["RUSTSEC-2024-0003"].kind) == (False, AdvisoryKind.UNSOUND)


def test_a_cve_is_lent_only_if_there_is_one() -> None:
    """A record without a CVE takes its group's single one, and of two takes none."""
    ghsa = record("GHSA-1", entry("0", "1.0.0"), aliases=["CVE-2024-0001"])
    go = record("GO-2024-0001", entry("0", "1.0.0"), aliases=["GHSA-1"])
    (row,) = advisories(ghsa, go).cve_rows("crates.io", "oar")
    assert (row.vulnerability_id, row.advisory_ids) == ("CVE-2024-0001", ("GHSA-1", "GO-2024-0001"))
    two = record("GHSA-1", entry("0", "1.0.0"), aliases=["CVE-2024-0001", "CVE-2024-0002"])
    rows = advisories(two, go).cve_rows("crates.io", "oar")
    assert [row.vulnerability_id for row in rows] == ["CVE-2024-0001", "CVE-2024-0002", "GO-2024-0001"]
