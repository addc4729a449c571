"""What advisory checks read and write: locks, module lists, bills of materials, VEX, SARIF, OSV; one file a format."""

from stook.advisories.formats.cargo_lock import read_cargo_lock
from stook.advisories.formats.cyclonedx import read_cyclonedx
from stook.advisories.formats.go_modules import read_go_list, read_go_mod
from stook.advisories.formats.inventory import Inventory, ListedPackage, Unlisted
from stook.advisories.formats.openvex import VexReading, read_openvex
from stook.advisories.formats.osv_results import osv_record, write_osv_results
from stook.advisories.formats.purl import PackageUrl, parse_purl, purl_of
from stook.advisories.formats.sarif import write_sarif
from stook.advisories.formats.sbom import write_cyclonedx
from stook.advisories.formats.spdx import read_spdx

__all__ = [
    "Inventory",
    "ListedPackage",
    "PackageUrl",
    "Unlisted",
    "VexReading",
    "osv_record",
    "parse_purl",
    "purl_of",
    "read_cargo_lock",
    "read_cyclonedx",
    "read_go_list",
    "read_go_mod",
    "read_openvex",
    "read_spdx",
    "write_cyclonedx",
    "write_osv_results",
    "write_sarif",
]
