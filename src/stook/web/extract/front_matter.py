"""Front matter: the fields before a stored page, as YAML that reads back to the same strings."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["front_matter"]

_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
_WORDS = frozenset("y n yes no on off true false null".split())  # values of YAML 1.1, not names
# Everything but plain printable characters is escaped: YAML 1.2, section 5.7, within what YAML 1.1 readers accept.
_ESCAPED = re.compile("[^ !#-\\[\\]-~\xa1-\u02ff\u0370-\u1fff\u2c00-\ud7ff\U00010000-\U0001fffd]")
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def front_matter(fields: Mapping[str, str | int | None]) -> str:
    """Return the block with both its marker lines. Strings are quoted: no value can end the block or change its type.

    Raises ValueError for a key that is no simple name. Lone surrogates become U+FFFD.
    """
    lines = ["---"]
    for key, value in fields.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"Not a name for front matter: {key[:64]!r}")
        lines.append(f'"{key}": {_scalar(value)}' if key in _WORDS else f"{key}: {_scalar(value)}")
    return "\n".join((*lines, "---", ""))


def _scalar(value: str | int | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{_ESCAPED.sub(_escape, value)}"' if isinstance(value, str) else str(value)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if 0xD800 <= code <= 0xDFFF:
        return "\\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
