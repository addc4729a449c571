"""JSON from outside: the errors of decoders, and texts that every database can hold."""

from __future__ import annotations

import re
from typing import Final

import msgspec

__all__ = ["DECODE_ERRORS", "storable"]

DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""JSON that is malformed or of another shape, text that is not UTF-8, and documents that are nested too deep."""

# Behind an even number of backslashes: an escaped pair of surrogates, a lone one, or NUL.
_ESCAPES = re.compile(
    rb"(?<!\\)((?:\\\\)*)"
    rb"(?:(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))"
)


def storable(raw: bytes) -> bytes:
    """JSON text with the replacement character for NUL and for half a surrogate pair, which no text column holds."""
    if b"\\u0000" not in raw and b"\\ud" not in raw and b"\\uD" not in raw:
        return raw
    return _ESCAPES.sub(_replaced, raw)


def _replaced(match: re.Match[bytes]) -> bytes:
    return match[0] if match["pair"] else match[1] + rb"\ufffd"
