"""What we remember of a reply, to ask next time only for what changed."""

from __future__ import annotations

import hashlib

from stook.engine.words import Reply, Validators

__all__ = ["Validators", "conditional_headers", "digest_of", "validators_of"]


def conditional_headers(validators: Validators) -> dict[str, str]:
    """The header that asks for changes only: the ETag where there is one, else the date (RFC 9110, 13.1)."""
    if validators.etag:
        return {"If-None-Match": validators.etag}
    return {"If-Modified-Since": validators.last_modified} if validators.last_modified else {}


def validators_of(reply: Reply) -> Validators:
    """What to keep of a 200; the digest is empty for a reply without a body (a 304)."""
    return Validators(
        etag=_sendable(reply.headers.get("etag", "")),
        last_modified=_sendable(reply.headers.get("last-modified", "")),
        digest=(reply.digest or digest_of(reply.body)) if reply.status == 200 else b"",
    )


def _sendable(value: str) -> str:
    """A header's value as it can be kept and sent again: bytes beyond ASCII are allowed there, but are no text."""
    return value if value.isascii() else ""


def digest_of(body: bytes) -> bytes:
    """The digest that tells equal bodies, whatever a CDN's ETag says."""
    return hashlib.sha256(body).digest()
