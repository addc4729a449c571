"""JSON documents from outside as typed values, within limits."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from stook.engine.errors import Malformed

__all__ = ["decode_document", "encode_document"]

MAX_BYTES = 128 * 1024 * 1024
MAX_NESTED = 2_000_000  # objects and lists

_Document = TypeVar("_Document")


def decode_document(data: bytes, kind: type[_Document], title: str) -> _Document:
    """The document of that kind; fields that the kind does not name are skipped. Raises Malformed."""
    if len(data) > MAX_BYTES:
        raise Malformed(f"{title} has more than {MAX_BYTES} bytes")
    if data.count(b"{") + data.count(b"[") > MAX_NESTED:
        raise Malformed(f"{title} has more than {MAX_NESTED} objects and lists")
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=kind)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Malformed(f"{title} cannot be read: {str(error)[:200]}") from error
    except RecursionError as error:
        raise Malformed(f"{title} is nested too deeply") from error


def encode_document(document: object) -> bytes:
    """Indented JSON with a last newline."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
