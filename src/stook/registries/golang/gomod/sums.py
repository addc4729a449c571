"""The checksum of a go.mod, as go.sum and sum.golang.org write it."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

__all__ = ["mod_sum"]


def mod_sum(body: bytes) -> str:
    """`h1:` and the base64 digest of a `.mod` (golang.org/x/mod/sumdb/dirhash, Hash1 over the one file `go.mod`)."""
    listing = f"{sha256(body).hexdigest()}  go.mod\n"
    return "h1:" + b64encode(sha256(listing.encode()).digest()).decode()
