"""The formats of a record, and the bytes of a record in one of them."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

import msgspec

from stook.datasets.formats.bibxml import render_bibxml
from stook.datasets.formats.xml import render_xml
from stook.datasets.formats.yaml import dump_yaml
from stook.datasets.model.bibitem import Bibitem, to_fields
from stook.engine.errors import Malformed

__all__ = ["Format", "render"]


class Format(StrEnum):
    """`xml` is Relaton's `bibdata`, `bibxml` the `reference` of RFC XML (RFC 7991)."""

    YAML = "yaml"
    XML = "xml"
    BIBXML = "bibxml"
    JSON = "json"

    @property
    def extension(self) -> str:
        """The file extension, without a dot: bibxml and xml share theirs."""
        return "xml" if self is Format.BIBXML else self.value


def render(item: Bibitem, form: Format) -> bytes:
    """The bytes of the record's file; equal records give equal bytes. Text that is no Unicode raises Malformed."""
    try:
        return _encode(item, form)
    except UnicodeEncodeError:  # a lone surrogate: YAML and JSON have no way to write it
        raise Malformed(f"record {item.id[:80]!r} holds what is not valid text") from None


def _encode(item: Bibitem, form: Format) -> bytes:
    match form:
        case Format.YAML:
            return dump_yaml(to_fields(item)).encode()
        case Format.XML:
            return render_xml(item).encode()
        case Format.BIBXML:
            return render_bibxml(item).encode()
        case Format.JSON:
            return msgspec.json.format(msgspec.json.encode(item), indent=2) + b"\n"
        case _:
            assert_never(form)
