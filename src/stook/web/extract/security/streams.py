"""The texts of a page in document order: one stream that is painted, one that is not."""

from __future__ import annotations

from stook.web.extract.html import Comment, Document, Element

__all__ = ["INLINE", "text_streams"]

INLINE = frozenset(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label map mark meter nobr "
    "object output progress q ruby rb rp rt rtc s samp select slot small span strike strong sub sup time tt u var wbr".split()
)
_APART = frozenset(("br", "hr"))
# Their text is not text of the page; see `program`.
_PROGRAMS = frozenset(("script", "style"))


def text_streams(document: Document) -> tuple[str, str]:
    """Return the painted and the unpainted text.

    Inline elements leave the text in one piece; blocks begin a line and stand apart by an empty line, so that a rule sees
    a sentence as a reader would. Titles, scripts and style sheets are not in the streams.
    """
    elements = document.elements
    blocks = [0] * len(elements)  # for each element, the place of the block that its text runs in
    streams: tuple[list[str], list[str]] = ([], [])
    last_block = [0, 0]
    last_stream = 0
    place = 0
    for parent, node in document.nodes:
        if isinstance(node, Element):
            place += 1
            blocks[place] = blocks[parent] if node.tag in INLINE else place
            if node.tag in _APART:
                streams[node.is_hidden].append("\n")
        elif isinstance(node, Comment):
            continue
        else:
            owner = elements[parent]
            if owner.tag in _PROGRAMS or (owner.tag == "title" and elements[owner.parent].tag == "head"):
                continue
            which = owner.is_hidden
            if blocks[parent] != last_block[which]:
                last_block[which] = blocks[parent]
                streams[which].append("\n\n")
            elif which and not last_stream:
                streams[which].append(" ")  # painted text stood between
            streams[which].append(node)
            last_stream = which
    return "".join(streams[0]).strip(), "".join(streams[1]).strip()
