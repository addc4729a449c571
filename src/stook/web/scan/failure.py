"""Scanner trouble: the page that was to be scanned is blocked, whatever the reason."""

from __future__ import annotations

from enum import StrEnum

from stook.engine.errors import StookError

__all__ = ["ScannerFailure", "Trouble"]


class Trouble(StrEnum):
    """How a scanner failed."""

    MISSING = "missing"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    TOO_MUCH_OUTPUT = "too much output"
    BAD_OUTPUT = "bad output"
    EXIT_CODE = "exit code"
    WRONG_VERSION = "wrong version"


class ScannerFailure(StookError):
    """The scanner gave no report that can be trusted; `reason` holds nothing that it printed."""

    def __init__(self, trouble: Trouble, reason: str) -> None:
        super().__init__(f"scanner: {trouble}: {reason}")
        self.trouble = trouble
