"""Encoded runs are decoded when they say something, and left alone when not."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.web.scan.decode import Encoding, decode_codes, decode_escapes, decode_runs

SECRET = "the quick brown fox jumps over it"


@pytest.mark.parametrize(
    ("encoding", "run"),
    [
        (Encoding.BASE64, base64.b64encode(SECRET.encode()).decode()),
        (Encoding.BASE64, base64.b64encode(SECRET.encode()).decode().rstrip("=")),
        (Encoding.BASE64, base64.b64encode(SECRET.encode("utf-16-le")).decode()),
        (Encoding.BASE64, "/x" + base64.b64encode(SECRET.encode()).decode()),
        (Encoding.BASE64, "\n".join([base64.b64encode(SECRET.encode()).decode()[:20], "IGp1bXBzIG92ZXIgaXQ="])),
        (Encoding.BASE32, base64.b32encode(SECRET.encode()).decode()),
        (Encoding.BASE85, base64.b85encode(SECRET.encode()).decode()),
        (Encoding.BASE85, base64.a85encode(SECRET.encode(), adobe=True).decode()),
        (Encoding.HEX, SECRET.encode().hex()),
        (Encoding.HEX, "".join(f"\\x{byte:02x}" for byte in SECRET.encode())),
        (Encoding.BINARY, "".join(f"{byte:08b}" for byte in SECRET.encode())),
        (
            Encoding.MORSE,
            "- .... . / --.- ..- .. -.-. -.- / -... .-. --- .-- -. / ..-. --- -..- / .--- ..- -- .--. ...",
        ),
    ],
)
def test_runs(encoding: Encoding, run: str) -> None:
    """Each encoding is read, in a text of other words."""
    assert any("quick brown" in text or "the quic" in text for text in decode_runs(f"see {run} here", [encoding]))


@pytest.mark.parametrize(
    "run",
    ["d41d8cd98f00b204e9800998ecf8427e", "abcdefghijklmnopqrstuvwxyz0123456789", "AAAAAAAAAAAAAAAAAAAAAAAA", "=" * 40],
)
def test_noise(run: str) -> None:
    """Digests and other long words say nothing, so nothing comes out."""
    assert list(decode_runs(run, list(Encoding))) == []


@pytest.mark.parametrize("form", ["{:08b}", "{:07b}", "{:03o}", "{}", "{:02x}", "0x{:02x}"])
def test_codes(form: str) -> None:
    """Words that are codes of characters are read, whatever the base."""
    assert SECRET in list(decode_codes([form.format(byte) for byte in SECRET.encode()]))


@pytest.mark.parametrize(
    "text",
    [
        "&#105;gnore",
        "&#x69;gnore",
        "&amp;#105;gnore",
        "%69gnore",
        "\\u0069gnore",
        "\\x69gnore",
        "\\u{69}gnore",
        "=69=67=6E=6F=72e",
    ],
)
def test_escapes(text: str) -> None:
    """References and escapes are read; a reference within a reference is one layer less."""
    assert any(found in {"ignore", "&#105;gnore"} for found in decode_escapes(text))


def test_plain_text_has_no_escapes() -> None:
    """A text without escapes yields nothing to scan again."""
    assert [text for text in decode_escapes("100 % of a & b, c = d") if text] == []


@given(st.text(max_size=300))
def test_never_fails(text: str) -> None:
    """Whatever the text, decoding ends without an error and makes at most a few times as much text."""
    decoded = [*decode_runs(text, list(Encoding)), *decode_escapes(text)]
    assert sum(map(len, decoded)) <= 64 + 8 * len(text)
