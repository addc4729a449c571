"""The choice of an encoding: byte order mark, header, declaration in the page, detection."""

from __future__ import annotations

import re
from typing import NamedTuple

from stook.web.extract.encoding.detection import detect
from stook.web.extract.encoding.labels import codec_of
from stook.web.extract.html.grammar import ATTRIBUTE

__all__ = ["DecodedText", "decode"]

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
# The standard looks at 1024 bytes, and browsers start over at a later meta element. This does both at once.
_PRESCAN_BYTES = 16 * 1024
_CHARSET = re.compile(r"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"']+))", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"<\?xml[^>]{0,200}?encoding[\t\n\r ]*=[\t\n\r ]*[\"']([A-Za-z0-9._:-]+)[\"']")
_MARKUP = re.compile(
    r"<!--(?:(?!-->).)*+(?:-->)?+"
    rf"|<(?P<name>/?[A-Za-z][^\t\n\f\r />]*+)(?P<attributes>(?:[\t\n\f\r /]++|{ATTRIBUTE})*+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(ATTRIBUTE)


class DecodedText(NamedTuple):
    """The text of a body, and the codec that read it."""

    text: str
    encoding: str


def decode(body: bytes, content_type: str, *, is_markup: bool) -> DecodedText:
    """Decode as a browser does (HTML Standard, "encoding sniffing algorithm"). Never fails: bad bytes become U+FFFD.

    `content_type` is the whole header; `is_markup` looks for a declaration in the page too.
    """
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return DecodedText(body[len(mark) :].decode(codec, "replace"), codec)
    codec = _codec_of_header(content_type) or (_codec_of_page(body) if is_markup else None) or detect(body)
    return DecodedText(body.decode(codec, "replace"), codec)


def _codec_of_header(content_type: str) -> str | None:
    found = _CHARSET.search(content_type)
    return codec_of(found[1] or found[2] or found[3] or "") if found else None


def _codec_of_page(body: bytes) -> str | None:
    head = body[:_PRESCAN_BYTES].decode("latin-1")
    declared = _XML_DECLARATION.match(head.lstrip("\t\n\f\r "))
    codec = codec_of(declared[1]) if declared else _codec_of_meta(head)
    # A page whose declaration could be read as ASCII is not UTF-16 (HTML Standard).
    return "utf-8" if codec in ("utf-16-le", "utf-16-be") else codec


def _codec_of_meta(head: str) -> str | None:
    for tag in _MARKUP.finditer(head):
        if (tag["name"] or "").lower() == "meta":
            codec = _codec_of_meta_element(tag["attributes"])
            if codec:
                return codec
    return None


def _codec_of_meta_element(source: str) -> str | None:
    attributes: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(source):
        value = found["double"] or found["single"] or found["bare"] or ""
        attributes.setdefault(found["attribute"].lower(), value)
    if "charset" in attributes:
        return codec_of(attributes["charset"])
    if attributes.get("http-equiv", "").lower() == "content-type":
        return _codec_of_header(attributes.get("content", ""))
    return None
