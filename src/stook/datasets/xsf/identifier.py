"""Identifiers of XMPP extension protocols, in parts."""

from __future__ import annotations

import re

from stook.datasets.model.identifier import Identifier

__all__ = ["identify_xep"]

_FORM = re.compile(r"(?:XSF\s+)?XEP[\s-]*([0-9]{1,4})", re.IGNORECASE)


def identify_xep(docid: str) -> Identifier | None:
    """`XEP 0001`, also written `xep-1`: the number has four digits."""
    match = _FORM.fullmatch(docid.strip())
    return Identifier("XEP", match[1].zfill(4)) if match else None
