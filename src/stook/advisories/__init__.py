"""Advisories: which packages are affected at which versions, and why; pure, without network or database."""

from stook.advisories.advisory import Advisory, Review
from stook.advisories.aliases import AliasGroup, CveRow
from stook.advisories.dump import read_dump
from stook.advisories.ecosystems import Ecosystem, PackageVersion, VersionOrder
from stook.advisories.exposure import AdvisoryKind, Exposure
from stook.advisories.fixes import Remedy
from stook.advisories.match import Advisories, AdvisoryFinding, Certainty
from stook.advisories.osv import OsvRecord, UnreadableRecord, decode_record, read_records
from stook.advisories.policy import CheckPolicy, Suppression
from stook.advisories.report import CheckReport, ExitCode, SuppressedFinding, check
from stook.advisories.severity import AdvisorySeverity, SeverityLevel

__all__ = [
    "Advisories",
    "Advisory",
    "AdvisoryFinding",
    "AdvisoryKind",
    "AdvisorySeverity",
    "AliasGroup",
    "Certainty",
    "CheckPolicy",
    "CheckReport",
    "CveRow",
    "Ecosystem",
    "ExitCode",
    "Exposure",
    "OsvRecord",
    "PackageVersion",
    "Remedy",
    "Review",
    "SeverityLevel",
    "SuppressedFinding",
    "Suppression",
    "UnreadableRecord",
    "VersionOrder",
    "check",
    "decode_record",
    "read_dump",
    "read_records",
]
