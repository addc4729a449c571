"""Identifiers of RFCs and of the sub-series BCP, FYI and STD, in parts."""

from __future__ import annotations

import re

from stook.datasets.model.identifier import Identifier

__all__ = ["identify_rfc", "spaced"]

_FORM = re.compile(r"(?:IETF\s+)?(RFC|BCP|FYI|STD)[\s-]*0*([0-9]{1,6})", re.IGNORECASE)


def identify_rfc(docid: str) -> Identifier | None:
    """`RFC 1`, also written `RFC0001`: the series is the publisher, the number has no zeros in front."""
    match = _FORM.fullmatch(docid.strip())
    return Identifier(match[1].upper(), match[2]) if match else None


def spaced(docid: str) -> str:
    """`RFC0001` as `RFC 1`; text of another form stays."""
    found = identify_rfc(docid)
    return f"{found.publisher} {found.number}" if found else docid
