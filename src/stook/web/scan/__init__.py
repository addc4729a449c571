"""The injection scanner: a pure library, and the command `stook-scan`."""

from stook.web.scan.engine import scan
from stook.web.scan.external import ExternalScanner
from stook.web.scan.failure import ScannerFailure, Trouble
from stook.web.scan.finding import Finding, ScanReport, Severity
from stook.web.segment import Segment, SegmentKind

__all__ = [
    "ExternalScanner",
    "Finding",
    "ScanReport",
    "ScannerFailure",
    "Segment",
    "SegmentKind",
    "Severity",
    "Trouble",
    "scan",
]
