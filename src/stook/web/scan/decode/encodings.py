"""Encodings: runs of characters that stand for other text, and the text they stand for."""

from __future__ import annotations

import base64
import binascii
import html
import quopri
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from urllib.parse import unquote_plus

__all__ = ["Encoding", "decode_codes", "decode_escapes", "decode_runs", "find_stretches"]

_LONGEST = 65_536  # characters of one run that are decoded at once; a longer run is decoded in pieces
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/_-]{16})\r?\n[ \t]*(?=[A-Za-z0-9+/_-])")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(r"(?<![A-Za-z0-9])[A-Z2-7]{16,}={0,6}")
_BASE85 = re.compile(r"(?<!\S)(?:<~)?[!-~]{20,4096}(?!\S)")
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[:,;-]?){8,}")
_HEX_PAIR = re.compile(r"[0-9A-Fa-f]{2}(?![xX])")
_BINARY = re.compile(r"(?:[01]{8}){5,}|(?:[01]{7}){5,}")
_BITS = re.compile("[01]{8}|[01]{7}")
_MORSE = re.compile(r"(?:[.·•\-−–_]{1,6}(?:\s{1,3}|\s?[/|]\s?)){6,}(?:[.·•\-−–_]{1,6})?")
_UNICODE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|U([0-9A-Fa-f]{8}))")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_QUOTED = re.compile("=[0-9A-F]{2}[!-~]{0,3}=[0-9A-F]{2}")
_REFERENCE = re.compile("&(?:amp;)?#")
_AROUND = 240  # characters on both sides of an escape that are read with it
_PRINTABLE = bytes([9, 10, 13, *range(32, 127), *range(128, 256)])
_LETTERS = bytes([32, *range(65, 91), *range(97, 123), *range(128, 256)])

_MORSE_LETTERS = dict(
    zip(
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
        " ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- ..--..".split(),
        "abcdefghijklmnopqrstuvwxyz0123456789.,?",
        strict=True,
    )
)


class Encoding(StrEnum):
    """Ways of writing a text as a run of other characters."""

    BASE64 = "base64"
    BASE32 = "base32"
    BASE85 = "base85"
    HEX = "hex"
    BINARY = "binary"
    MORSE = "morse"


def decode_runs(text: str, encodings: Iterable[Encoding]) -> Iterator[str]:
    """What the runs of these encodings say. A run counts only if it decodes to something that reads like text."""
    joined = _WRAPPED.sub("", text)
    for encoding in encodings:
        pattern, decoder = _RUNS[encoding]
        for match in pattern.finditer(joined):
            run = match[0]
            for start in range(0, len(run), _LONGEST):
                yield from decoder(run[start : start + _LONGEST])


def decode_escapes(text: str) -> Iterator[str]:
    """The stretches with character references or escapes, read: HTML, percent, backslash, quoted-printable."""
    if "&#" in text or "&amp;#" in text:
        yield html.unescape(find_stretches(text, _REFERENCE))
    if "%" in text:
        yield unquote_plus(find_stretches(text, _PERCENT), errors="replace")
    if "\\" in text:
        yield _UNICODE.sub(_character, find_stretches(text, _UNICODE))
    if "=" in text:
        yield quopri.decodestring(find_stretches(text, _QUOTED).encode()).decode("utf-8", "replace")


def find_stretches(text: str, pattern: re.Pattern[str]) -> str:
    """What stands around the matches of a pattern, one stretch a line; empty without a match."""
    spans: list[list[int]] = []
    for match in pattern.finditer(text):
        start = max(0, match.start() - _AROUND)
        if spans and start <= spans[-1][1]:
            spans[-1][1] = match.end() + _AROUND
        else:
            spans.append([start, match.end() + _AROUND])
    return "\n".join(text[start:end] for start, end in spans)


def _character(match: re.Match[str]) -> str:
    point = int(next(filter(None, match.groups())), 16)
    return chr(point) if point < 0x110000 and not 0xD800 <= point < 0xE000 else " "


def _readable(data: bytes) -> str | None:
    """The text of some bytes, if nearly all are printable and most are letters or blanks."""
    if len(data) < 6:
        return None
    if data[1:8:2].count(0) >= 3:
        data = data.decode("utf-16-le", "replace").encode()
    if len(data.translate(None, _PRINTABLE)) * 20 > len(data):
        return None
    if len(data.translate(None, _LETTERS)) * 3 > len(data):
        return None
    text = data.decode("utf-8", "replace")
    return None if text.count("\ufffd") * 20 > len(text) else text


def _base64(run: str) -> Iterator[str]:
    """A run may begin with letters that do not belong to it, so each of the four alignments is tried."""
    plain = run.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    for skipped in range(min(4, len(plain) - 12)):
        body = plain[skipped:]
        usable = body[: len(body) - (len(body) % 4 == 1)]
        text = _readable(base64.b64decode(usable + "=" * (-len(usable) % 4)))
        if text is not None:
            yield text
            return


def _base32(run: str) -> Iterator[str]:
    body = run.rstrip("=")
    body = body[: len(body) - (len(body) % 8 in {1, 3, 6})]
    try:
        text = _readable(base64.b32decode(body + "=" * (-len(body) % 8)))
    except binascii.Error:
        return
    if text is not None:
        yield text


def _base85(run: str) -> Iterator[str]:
    if "://" in run or run.isalnum():
        return
    for decoder in (base64.b85decode, base64.a85decode):
        try:
            text = _readable(decoder(run.removeprefix("<~").removesuffix("~>")))
        except ValueError:
            continue
        if text is not None:
            yield text
            return


def _hex(run: str) -> Iterator[str]:
    yield from _codes(int(pair, 16) for pair in _HEX_PAIR.findall(run))


def _binary(run: str) -> Iterator[str]:
    yield from _codes(int(bits, 2) for bits in _BITS.findall(run))


def decode_codes(words: Sequence[str]) -> Iterator[str]:
    """What words say that are character codes: binary, octal, decimal or hexadecimal."""
    if all(not word.strip("01") for word in words):
        yield from _codes(int(word, 2) for word in words)
        return
    if all(word.isdigit() for word in words):
        yield from _codes(map(int, words))
        if not any("8" in word or "9" in word for word in words):
            yield from _codes(int(word, 8) for word in words)
    yield from _hex("".join(word.lower().removeprefix("0x").removeprefix("x") for word in words))


def _codes(codes: Iterable[int]) -> Iterator[str]:
    numbers = list(codes)
    if all(number < 256 for number in numbers):
        text = _readable(bytes(numbers))
        if text is not None:
            yield text


def _morse(run: str) -> Iterator[str]:
    plain = run.translate({ord(dot): "." for dot in "·•"} | {ord(dash): "-" for dash in "−–_"})
    words = re.split(r"\s*[/|]\s*|\s{3,}", plain.strip())
    text = " ".join("".join(_MORSE_LETTERS.get(letter, "") for letter in word.split()) for word in words)
    if sum(map(str.isalpha, text)) >= 6:
        yield text


_RUNS: Mapping[Encoding, tuple[re.Pattern[str], Callable[[str], Iterator[str]]]] = {
    Encoding.BASE64: (_BASE64, _base64),
    Encoding.BASE32: (_BASE32, _base32),
    Encoding.BASE85: (_BASE85, _base85),
    Encoding.HEX: (_HEX, _hex),
    Encoding.BINARY: (_BINARY, _binary),
    Encoding.MORSE: (_MORSE, _morse),
}
