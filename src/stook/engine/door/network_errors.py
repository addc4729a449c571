"""Errors of the HTTP library as our own: a code, and a short reason with neither the server's words nor an address."""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from stook.engine.door.guard.resolver import GateRefused
from stook.engine.errors import FailureCode, Refused, StookError, Unavailable

__all__ = ["Disconnected", "translated"]

_CERTIFICATE = {  # X509_V_ERR_… of OpenSSL's x509_vfy.h
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed",
    19: "leads to a self-signed authority that is not trusted",
    20: "is from an authority that is not trusted",
    21: "is from an authority that is not trusted",
    23: "has been revoked",
    62: "is for another name",
    64: "is for another address",
}


class Disconnected(Unavailable):
    """The connection was lost before a status came: maybe an idle one that the server had given up."""

    default_code = FailureCode.CONNECT


def translated(error: aiohttp.ClientError | OSError) -> StookError:
    """Our own error in place of one of the library."""
    match error:
        case TimeoutError() if isinstance(error, aiohttp.ConnectionTimeoutError):
            return Unavailable("no connection in time", FailureCode.CONNECT)
        case TimeoutError():
            return Unavailable("timed out", FailureCode.TIMEOUT)
        case GateRefused():
            return Refused("address not allowed", FailureCode.ADDRESS_REFUSED)
        case aiohttp.ClientConnectorCertificateError():
            return Unavailable(_certificate_reason(error.certificate_error), FailureCode.TLS)
        case aiohttp.ClientSSLError():
            return Unavailable("the TLS handshake failed", FailureCode.TLS)
        case aiohttp.ClientConnectorError() if isinstance(error.os_error, GateRefused):
            return Refused("address not allowed", FailureCode.ADDRESS_REFUSED)
        case aiohttp.ClientPayloadError():
            return Unavailable("truncated body", FailureCode.BROKEN_BODY)
        case aiohttp.ClientResponseError() if _has_cause(error, LineTooLong):
            return Unavailable("HTTP header too large", FailureCode.TOO_LARGE)
        case aiohttp.ClientResponseError():
            return Unavailable("the answer is not valid HTTP", FailureCode.BROKEN_BODY)
        case _:
            return Unavailable("connection failed", FailureCode.CONNECT)


def _has_cause(error: BaseException, kind: type[BaseException]) -> bool:
    cause = error.__cause__
    return cause is not None and (isinstance(cause, kind) or _has_cause(cause, kind))


def _certificate_reason(error: Exception) -> str:
    number = error.verify_code if isinstance(error, ssl.SSLCertVerificationError) else 0
    return f"the TLS certificate {_CERTIFICATE.get(number, 'cannot be verified')}"
