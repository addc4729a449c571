"""Layers are taken off one after the other, and not without end."""

from __future__ import annotations

import base64

import pytest

from stook.web.scan.layers import LayersExhausted, peel
from stook.web.scan.rules import load_rulebook

BOOK = load_rulebook()
TEXT = "the harbour was built long ago"


def layers(text: str) -> dict[str, int]:
    """The texts of all layers with their depth."""
    return {layer.plain.text.strip(): layer.depth for layer in peel(text, BOOK)}


def encode(text: str, times: int) -> str:
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


@pytest.mark.parametrize("times", [1, 2, 3])
def test_depth(times: int) -> None:
    """Three layers of base64 are taken off."""
    assert layers(encode(TEXT, times))[TEXT] == times


def test_deeper() -> None:
    """A fourth layer stays."""
    assert TEXT not in layers(encode(TEXT, 4))


def test_mixed() -> None:
    """Layers may be of different kinds."""
    percent = "".join(f"%{byte:02x}" for byte in encode(TEXT, 1).encode())
    assert layers(percent)[TEXT] == 2


def test_plain() -> None:
    """A plain text is one layer."""
    assert list(layers(TEXT)) == [TEXT]


def test_exhausted() -> None:
    """A text with escapes of many kinds, in which each order of reading is another text, ends in an error."""
    text = "".join(f"{'x' * 150} &#65;{number} %41 \\u0041 =41=41\n" for number in range(500))
    with pytest.raises(LayersExhausted):
        list(peel(text, BOOK))
