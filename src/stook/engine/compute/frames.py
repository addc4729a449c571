"""Messages between the pool and its child processes: a length, then a pickle."""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

__all__ = ["read_frame", "write_frame"]

_LENGTH = struct.Struct(">Q")


def write_frame(stream: BinaryIO, value: Any) -> None:
    """Write one value; OSError when the other side is gone."""
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def read_frame(stream: BinaryIO) -> Any:
    """Read one value; EOFError when the other side is gone. Both sides are this program, so a pickle is safe."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)  # noqa: S301  from our own child or parent
