"""What a check writes: CycloneDX against its schema, SARIF by its rules, OSV records that read back."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import msgspec
import pytest
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation import make_schemabased_validator
from hypothesis import given, settings
from hypothesis import strategies as st

from stook.advisories import CheckPolicy, CheckReport, Suppression, check
from stook.advisories.advisory import interpret
from stook.advisories.formats import (
    Inventory,
    ListedPackage,
    osv_record,
    read_cargo_lock,
    read_cyclonedx,
    write_cyclonedx,
    write_osv_results,
    write_sarif,
)
from stook.advisories.osv import decode_record
from stook.advisories.ranges import to_text

from ..orders import ORDERS  # noqa: TID252
from ..records import advisories, affected, crate, module, record  # noqa: TID252
from .test_cargo_lock import LOCK  # noqa: TID252

V3 = [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}]
V2 = [{"type": "CVSS_V2", "score": "AV:N/AC:L/Au:N/C:P/I:P/A:P"}]
V4 = [{"type": "CVSS_V4", "score": "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:L/SC:N/SI:N/SA:N"}]
OPEN = {"introduced": "0"}
LINKS = [{"type": "ADVISORY", "url": "https://oar.test/1 é|x"}]
KNOWN = advisories(
    record(
        "RUSTSEC-2024-0001", affected("oar", OPEN, {"fixed": "1.5.0"}), severity=V3, summary="Leak", references=LINKS
    ),
    record("RUSTSEC-2024-0002", affected("oar", OPEN), summary="Gone", severity=V2, aliases=["CVE-2024-0002"]),
    record("RUSTSEC-2024-0003", affected("oar", OPEN, database_specific={"informational": "unmaintained"})),
    record("RUSTSEC-2024-0004", affected("oar", OPEN, {"fixed": "odd"}), severity=V4),
)
POLICY = CheckPolicy(suppressions=(Suppression(frozenset({"CVE-2024-0002"}), "not reachable"),))
INVENTORY = read_cargo_lock(LOCK.encode())


def report() -> CheckReport:
    return check(INVENTORY.checked(), KNOWN, POLICY, today=date(2026, 12, 1))


def assert_valid_cyclonedx(document: bytes) -> None:
    validator = make_schemabased_validator(OutputFormat.JSON, SchemaVersion.V1_6)
    assert validator.validate_str(document.decode()) is None


def test_cyclonedx() -> None:
    """A valid document with each package once, the graph, and the findings; the same each time."""
    document = write_cyclonedx(INVENTORY, report(), version="1.0")
    assert_valid_cyclonedx(document)
    assert document == write_cyclonedx(INVENTORY, report(), version="1.0")
    bom = json.loads(document)
    boat, first, *_ = bom["components"]
    assert "purl" not in boat
    assert first["purl"] == first["bom-ref"] == "pkg:cargo/oar@1.0.0"
    assert first["hashes"] == [{"alg": "SHA-256", "content": "a" * 64}]
    assert bom["dependencies"][0]["dependsOn"] == ["3:mast@0.3.0", "pkg:cargo/oar@1.0.0"]
    leak, suppressed, unmaintained, *undetermined = bom["vulnerabilities"]
    assert leak["id"] == "RUSTSEC-2024-0001"
    assert "analysis" not in leak
    assert leak["ratings"][0]["method"] == "CVSSv31"
    assert [one["ref"] for one in leak["affects"]] == ["pkg:cargo/oar@1.0.0"]
    assert suppressed["analysis"] == {"detail": "suppressed (policy): not reachable"}
    assert unmaintained["properties"] == [{"name": "stook:kind", "value": "unmaintained"}]
    assert [one["analysis"]["state"] for one in undetermined] == ["in_triage"]
    assert undetermined[0]["ratings"][0]["method"] == "CVSSv4"
    assert {one["versions"][0]["status"] for one in undetermined[0]["affects"]} == {"unknown"}


def test_cyclonedx_reads_back() -> None:
    """What is looked up from the document is what was looked up from the lock."""
    assert set(read_cyclonedx(write_cyclonedx(INVENTORY)).checked()) == set(INVENTORY.checked())


def test_cyclonedx_of_odd_inventories() -> None:
    """Nothing, the same package twice, and modules are valid, too."""
    oar, mast = ListedPackage(crate("oar", "1.0.0")), ListedPackage(module("example.com/mast", "v1.0.0+incompatible"))
    for packages in ((), (oar, oar), (mast,)):
        assert_valid_cyclonedx(write_cyclonedx(Inventory(packages)))


def test_findings_are_those_of_the_registry() -> None:
    """A package from git with the name and version of a registry's has no finding, in whatever order they stand."""
    git, registry = ListedPackage(crate("oar", "1.0.0"), other_source="git+x"), ListedPackage(crate("oar", "1.0.0"))
    for packages in ((git, registry), (registry, git)):
        bom = json.loads(write_cyclonedx(Inventory(packages), report()))
        references = {one["ref"] for entry in bom["vulnerabilities"] for one in entry["affects"]}
        assert references == {"pkg:cargo/oar@1.0.0"}


def test_sarif() -> None:
    """Rules by id, results that point at rule and line, levels by what fails, suppressions with their reason."""
    log = json.loads(write_sarif(report(), INVENTORY, path="sub dir/Cargo.lock", version="1.0"))
    assert (log["version"], list(log)) == ("2.1.0", ["$schema", "version", "runs"])
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(rule["id"] for rule in rules)
    assert rules[0]["properties"]["security-severity"] == "9.8"
    assert rules[0]["helpUri"] == "https://oar.test/1%20%C3%A9%7Cx"
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "sub%20dir/Cargo.lock"
        assert place["region"]["startLine"] == (9 if "@1.0.0" in result["properties"]["purl"] else 15)
        assert re.fullmatch("[0-9a-f]{64}", result["partialFingerprints"]["package/v1"])
        assert result["message"]["text"]
    fingerprints = [result["partialFingerprints"]["package/v1"] for result in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)
    levels = {(result["ruleId"], result["level"], "suppressions" in result) for result in run["results"]}
    assert levels == {
        ("RUSTSEC-2024-0001", "error", False),
        ("RUSTSEC-2024-0002", "note", True),
        ("RUSTSEC-2024-0003", "note", False),
        ("RUSTSEC-2024-0004", "warning", False),
    }
    (suppression,) = next(result["suppressions"] for result in run["results"] if "suppressions" in result)
    assert suppression == {"kind": "external", "status": "accepted", "justification": "not reachable"}


def test_osv_results() -> None:
    """By package, with the records and their groups; suppressed findings are left out."""
    document = json.loads(write_osv_results(report(), path="Cargo.lock"))
    (result,) = document["results"]
    assert result["source"] == {"path": "Cargo.lock", "type": "lockfile"}
    first, second = result["packages"]
    assert first["package"] == {"name": "oar", "version": "1.0.0", "ecosystem": "crates.io"}
    ids = ["RUSTSEC-2024-0001", "RUSTSEC-2024-0004", "RUSTSEC-2024-0003"]
    assert [one["id"] for one in first["vulnerabilities"]] == ids
    assert first["groups"][0] == {
        "ids": ["RUSTSEC-2024-0001"],
        "aliases": ["RUSTSEC-2024-0001"],
        "max_severity": "9.8",
    }
    assert [one["id"] for one in second["vulnerabilities"]] == ids[1:]
    empty = check([], KNOWN, POLICY, today=date(2026, 12, 1))
    assert json.loads(write_osv_results(empty, path="Cargo.lock")) == {"results": []}


events = st.one_of(
    *(
        st.fixed_dictionaries({field: st.sampled_from(["0.1.0", "1.0.0-rc.1", "1.0.0", "1.2.0+b", "2.0.0"])})
        for field in ("introduced", "fixed", "last_affected")
    )
)


@settings(deadline=None)
@given(st.lists(events, max_size=6), st.sets(st.sampled_from(["3.0.0", "main", "trunk"])), st.booleans())
def test_osv_records_read_back(plain: list[dict[str, str]], listed: set[str], is_withdrawn: bool) -> None:
    """A record that we write means what the one that we read meant."""
    more: dict[str, Any] = {"withdrawn": "2024-06-01T00:00:00Z"} if is_withdrawn else {}
    entry = affected("oar", OPEN, *plain, versions=sorted(listed))
    first = interpret(record("GO-2024-0001", entry, aliases=["CVE-2024-0001"], severity=V3, **more), ORDERS)
    again = interpret(decode_record(msgspec.json.encode(osv_record(first))), ORDERS)
    assert [to_text(one.intervals) for one in again.exposures] == [to_text(one.intervals) for one in first.exposures]
    assert again.exposures[0].unordered_versions == first.exposures[0].unordered_versions
    for field in ("id", "modified", "withdrawn", "aliases", "summary", "severity", "links"):
        assert getattr(again, field) == getattr(first, field)


@pytest.mark.parametrize(
    "moment",
    ["0001-01-01T00:00:00Z", "2024-05-01T12:00:00Z", "2024-05-01T14:00:00.5+02:00", "9999-12-31T23:59:59-14:00"],
)
def test_times_of_osv_records(moment: str) -> None:
    """Always UTC with a Z, the unknown time and the last one included."""
    written = osv_record(interpret(record(modified=moment), ORDERS))["modified"]
    assert re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z", written)
