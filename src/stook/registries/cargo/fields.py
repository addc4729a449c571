"""Reading a JSON object field by field, where it cannot be read as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from stook.engine.decoding import DECODE_ERRORS

__all__ = ["read_fields"]

MOST_ODD = 100  # values that are told one by one

T = TypeVar("T", bound=msgspec.Struct)


def read_fields(raw: Mapping[str, msgspec.Raw], kind: type[T], name: str, odd: list[str]) -> T | None:
    """The struct with every field that can be read; the others keep their default and are named in `odd`.

    None, where a field without a default cannot be read.
    """
    values: dict[str, Any] = {}
    fields = msgspec.structs.fields(kind)
    for field in fields:
        if field.encode_name not in raw:
            continue
        try:
            values[field.name] = msgspec.json.decode(raw[field.encode_name], type=field.type)
        except DECODE_ERRORS as error:
            if len(odd) < MOST_ODD:
                odd.append(f"{name} {_label(raw)}: {field.encode_name}: {str(error)[:200]}")
    required = {field.name for field in fields if field.required}
    return kind(**values) if required <= set(values) else None


def _label(raw: Mapping[str, msgspec.Raw]) -> str:
    """The name or number of the object, as far as it has one."""
    for key in ("num", "name"):
        try:
            return msgspec.json.decode(raw[key], type=str)[:80]
        except (KeyError, *DECODE_ERRORS):
            continue
    return "without a name"
