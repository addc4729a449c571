"""The texts of a page in document order: one stream that is painted, one that is not."""

from __future__ import annotations

from stook.web.extract.html import Document

__all__ = ["text_streams"]


def text_streams(document: Document) -> tuple[str, str]:
    """Return the painted and the unpainted text.

    Inline elements leave the text in one piece; blocks stand apart by an empty line, so that a rule sees a sentence as
    a reader would. Scripts, style sheets, pages inside of the page and the title are not in the streams.
    """
    elements, blocks = document.elements, document.blocks
    skipped = {place for tag in ("script", "style", "noscript") for place in document.places.get(tag, ())}
    skipped.update(
        place for place in document.places.get("title", ()) if elements[elements[place].parent].tag == "head"
    )
    streams: tuple[list[str], list[str]] = ([], [])
    last_block = [0, 0]
    last_stream = False
    for owner, text in document.texts:
        if owner in skipped:
            continue
        is_hidden = elements[owner].is_hidden
        stream = streams[is_hidden]
        block = blocks[owner]
        if block != last_block[is_hidden]:
            last_block[is_hidden] = block
            stream.append("\n\n")
        elif is_hidden > last_stream:
            stream.append(" ")  # painted text stood between
        stream.append(text)
        last_stream = is_hidden
    return "".join(streams[0]).strip(), "".join(streams[1]).strip()
