"""Errors that we act differently on; each carries a short reason, never a body."""

from __future__ import annotations

__all__ = ["LaneClosed", "LostLease", "Malformed", "Refused", "StookError", "Throttled", "Unavailable", "UserError"]


class StookError(Exception):
    """Anything Stook raises on purpose. `status` is the last HTTP status, where there was one."""

    def __init__(self, reason: str, *, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Refused(StookError):
    """The guard said no, or a reply broke a rule of ours (redirect, size, content type)."""


class Unavailable(StookError):
    """The other side cannot answer now: connection, timeout, 5xx. Says nothing about the data."""


class Throttled(Unavailable):
    """The other side asked us to slow down; `retry_after` in seconds where it said so."""

    def __init__(self, reason: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(reason, status=status)
        self.retry_after = retry_after


class LaneClosed(Unavailable):
    """The lane takes no more requests in this run; never a failure of the event that asked."""


class Malformed(StookError):
    """The data came, and cannot be read."""


class LostLease(StookError):
    """The event belongs to another worker by now; nothing was written."""


class UserError(StookError):
    """The user's mistake: shown as one sentence, exit code 2."""
