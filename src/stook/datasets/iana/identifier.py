"""Identifiers of IANA's registries, in parts."""

from __future__ import annotations

import re

from stook.datasets.model.identifier import Identifier

__all__ = ["identify_registry"]

_FORM = re.compile(r"(?:IANA\s+)?([^\s/]+)(?:/(\S+))?", re.IGNORECASE)


def identify_registry(docid: str) -> Identifier | None:
    """`IANA root` or `IANA root/child`: the root is the number, the child the part; the word IANA may be left out."""
    match = _FORM.fullmatch(docid.strip())
    return Identifier("IANA", match[1], part=match[2]) if match else None
