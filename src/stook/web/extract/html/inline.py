"""Inline elements, whose text runs on with the text around them; all others are blocks."""

from __future__ import annotations

__all__ = ["INLINE"]

INLINE = frozenset(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd label map mark meter "
    "nobr object output picture progress q ruby rb rp rt rtc s samp select slot small span strike strong sub sup svg "
    "time tt u var wbr "
    # MathML
    "math maction menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow ms mspace msqrt "
    "mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics".split()
)
