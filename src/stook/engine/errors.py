"""Errors that we act differently on; each carries a code, and a short reason for people, never a body."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

__all__ = [
    "EnvironmentFault",
    "FailureCode",
    "LaneClosed",
    "Malformed",
    "Refused",
    "StookError",
    "Unavailable",
    "UserError",
]


class FailureCode(StrEnum):
    """What went wrong, as a value: stored in LAST_CODE, counted in reports, used for exit codes.

    Failures are told apart by this code alone. The reason beside it is for people and may be reworded at any time.
    """

    ADDRESS_REFUSED = "address_refused"
    """The guard refused the URL, the host name, or an address that the name resolves to."""
    SCHEME = "scheme"
    """The URL is neither http nor https."""
    DNS = "dns"
    """The host name does not resolve, or not in time."""
    CONNECT = "connect"
    """No connection, or it was lost before an answer came."""
    TLS = "tls"
    """The TLS handshake failed, or the certificate cannot be trusted."""
    TIMEOUT = "timeout"
    """No answer, or no whole answer, within the time limit."""
    TOO_LARGE = "too_large"
    """A body, document or row is larger than its limit."""
    CONTENT_TYPE = "content_type"
    """The body has a type or an encoding that was not asked for."""
    REDIRECT = "redirect"
    """A redirect loops, is not a valid URL, leads from https to http, or is one too many."""
    HTTP_STATUS = "http_status"
    """The server answered with a status that says nothing about the data."""
    BROKEN_BODY = "broken_body"
    """The body is cut short, is not what its encoding says, or the answer is no valid HTTP."""
    WRONG_UPSTREAM = "wrong_upstream"
    """The server answers, but not as the service that its URL should lead to."""
    LANE_CLOSED = "lane_closed"
    """The lane takes no more requests in this run."""
    MALFORMED = "malformed"
    """The data came whole, and cannot be read."""
    NOT_FOUND = "not_found"
    """The authority does not have it."""
    NOT_KEPT = "not_kept"
    """The database refuses what was found."""
    COMPUTE_LIMIT = "compute_limit"
    """A computation passed its limit of time or memory."""
    PIN = "pin"
    """A lock names what its registry does not have, has withdrawn, or has with another checksum."""
    WORKER_DIED = "worker_died"
    """The worker that looked at it died, more than once."""
    DATABASE = "database"
    """The database is away, or does not answer."""
    PROCESS = "process"
    """A child process, git for example, failed."""
    CANCELLED = "cancelled"
    """The run ended first."""
    INTERNAL = "internal"
    """A fault in Stook itself."""

    @property
    def met_nobody(self) -> bool:
        """Whether no server of the right kind was reached: trouble of this machine, its network or its settings."""
        return self in _MET_NOBODY


_MET_NOBODY = frozenset(
    {FailureCode.DNS, FailureCode.CONNECT, FailureCode.TLS, FailureCode.TIMEOUT, FailureCode.WRONG_UPSTREAM}
)


class StookError(Exception):
    """Anything Stook raises on purpose. `status` is the last HTTP status, where there was one."""

    default_code: ClassVar[FailureCode] = FailureCode.INTERNAL

    def __init__(self, reason: str, code: FailureCode | None = None, *, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code or self.default_code
        self.status = status


class Refused(StookError):
    """A rule of ours says no: the guard, or a limit on redirects, sizes or types."""

    default_code = FailureCode.ADDRESS_REFUSED


class Unavailable(StookError):
    """The other side cannot answer now: connection, timeout, 5xx. Says nothing about the data.

    `retry_after` is in seconds, where the other side said so.
    """

    default_code = FailureCode.HTTP_STATUS

    def __init__(
        self,
        reason: str,
        code: FailureCode | None = None,
        *,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(reason, code, status=status)
        self.retry_after = retry_after


class LaneClosed(Unavailable):
    """The lane takes no more requests in this run; never a failure of the event that asked."""

    default_code = FailureCode.LANE_CLOSED

    def __init__(self, lane: str, reason: str, *, status: int | None = None) -> None:
        super().__init__(f"lane {lane} is closed: {reason}", status=status)
        self.lane = lane


class Malformed(StookError):
    """The data came, and cannot be read."""

    default_code = FailureCode.MALFORMED


class UserError(StookError):
    """The user's mistake: shown as one sentence, exit code 2."""


class EnvironmentFault(StookError):
    """This installation or database cannot be used as it is: shown as one sentence, exit code 3."""

    default_code = FailureCode.DATABASE
