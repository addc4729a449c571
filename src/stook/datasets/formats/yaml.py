"""YAML that every reader takes for the same values: an emitter of our own, and PyYAML's C loader."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from math import isfinite
from typing import Any

import yaml

from stook.engine.errors import Malformed

__all__ = ["dump_yaml", "load_yaml", "scalar"]

Collection = dict[str, Any] | list[Any] | tuple[Any, ...]

MAX_DEPTH = 100
MAX_SIMPLE_KEY = 1000  # a reader looks for the colon of a simple key in 1024 characters
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_/.@+-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_REWRITTEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@lru_cache(maxsize=4096)  # keys and words such as `en` come again with every record
def scalar(text: str) -> str:
    """The text as a YAML scalar: plain where no reader of YAML 1.1 or 1.2 sees anything else, else a JSON string.

    PyYAML alone would leave a hexadecimal digest like `12e45` plain, which YAML 1.2 reads as a number.
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return _REWRITTEN.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def dump_yaml(value: Collection) -> str:
    """A YAML document of maps with text keys, lists and scalars; raises ValueError for anything else or 100 levels."""
    lines = ["---"]
    if value:
        _emit(value, "", lines, 0)
    else:
        lines = [f"--- {_leaf(value)}"]
    lines.append("")
    return "\n".join(lines)


def _emit(value: Collection, indent: str, lines: list[str], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, inner in value.items():
            _emit_pair(key, inner, indent, lines, depth)
        return
    for inner in value:
        if _is_leaf(inner):
            lines.append(f"{indent}- {_leaf(inner)}")
            continue
        first = len(lines)
        _emit(inner, f"{indent}  ", lines, depth + 1)
        lines[first] = f"{indent}- {lines[first][len(indent) + 2 :]}"  # the first line stands beside the dash


def _emit_pair(key: object, value: Any, indent: str, lines: list[str], depth: int) -> None:
    if not isinstance(key, str):
        raise ValueError(f"a key must be text, not {type(key).__name__}")
    name = scalar(key)
    is_simple = len(name) <= MAX_SIMPLE_KEY
    if not is_simple:
        lines.append(f"{indent}? {name}")
    head = f"{indent}{name}:" if is_simple else f"{indent}:"
    if _is_leaf(value):
        lines.append(f"{head} {_leaf(value)}")
        return
    lines.append(head)
    is_map = isinstance(value, dict)
    _emit(value, f"{indent}  " if is_map or not is_simple else indent, lines, depth + 1)


def _is_leaf(value: object) -> bool:
    return isinstance(value, str) or not isinstance(value, (dict, list, tuple)) or not value


def _leaf(value: object) -> str:
    if isinstance(value, str):
        return scalar(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (dict, list, tuple)):
        return "{}" if isinstance(value, dict) else "[]"
    raise ValueError(f"YAML cannot hold {type(value).__name__}")


def _number(value: float) -> str:
    if not isfinite(value):
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
    digits, mark, exponent = repr(value).partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{mark}{exponent}"  # YAML 1.1 wants the point


_KEPT_TAGS = ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:null")


class _TextLoader(yaml.CSafeLoader):
    """Reads every scalar as text but true, false and null: a date or a number of a record is text."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The tag of a node; PyYAML asks its loader."""
        tag = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        if kind is not yaml.ScalarNode or tag in _KEPT_TAGS:
            return tag
        return "tag:yaml.org,2002:str"


def load_yaml(text: str | bytes) -> Any:
    """The values of one YAML document, numbers and dates as text; raises Malformed. Aliases are refused."""
    try:
        mark = b"*" if isinstance(text, bytes) else "*"
        if mark in text and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.CSafeLoader)):  # type: ignore[operator]
            raise Malformed("YAML with aliases is not read: a small file could stand for a huge one")
        return yaml.load(text, _TextLoader)  # noqa: S506  a safe loader, see its class
    except (yaml.YAMLError, UnicodeDecodeError, UnicodeEncodeError, ValueError) as error:
        raise Malformed(f"no YAML: {' '.join(str(error).split())[:200]}") from None
    except RecursionError:
        raise Malformed("no YAML: too deep") from None
