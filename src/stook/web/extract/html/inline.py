"""Inline elements, whose text runs on with the text around them; all others are blocks."""

from __future__ import annotations

__all__ = ["INLINE"]

INLINE = frozenset(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd label map mark "
    "meter nobr object output progress q ruby rb rp rt rtc s samp select slot small span strike strong sub sup "
    "time tt u var wbr".split()
)
