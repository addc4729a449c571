"""Layers: a text as it stands, and whatever is found below by decoding, a few layers deep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ahocorasick_rs import BytesAhoCorasick

from stook.web.scan.decode import (
    Encoding,
    cut_apart,
    decipher,
    decode_codes,
    decode_escapes,
    decode_runs,
    find_stretches,
    join_letters,
)
from stook.web.scan.normalise import CleanText, clean
from stook.web.scan.rules import Reading, Rulebook, read_text

__all__ = ["Layer", "LayersExhausted", "peel"]

_DEPTH = 3
_ALLOWANCE = 65_536  # characters that decoding may make of any text; beyond that, a few times its length
_TIMES = 4
_NEAR = 12  # words around an enciphered one that are read with it
_SHORTEST_TOKEN = 16
_LONGEST_TOKEN = 4_096  # characters before a mark in which its token begins
_TOKEN_ENCODINGS = (Encoding.BASE64, Encoding.BASE32, Encoding.HEX, Encoding.BINARY)
_BASE85_MARKS = "^~`{}"  # rare in prose, and every longer text in base85 has one
_MORSE_SIGNS = (" .- ", " -. ", "/.-/", "/-./")  # the letters A and N
_MORSE = re.compile("|".join(map(re.escape, _MORSE_SIGNS)))
_BLANK = re.compile(r"\s")
_MANY_LINES = 5
_EVEN_LINES = re.compile(rb"([\x04-\x18])\1{4,}", re.DOTALL)  # at least so many lines of the same 4 to 24 characters
_HYPHEN = re.compile("-\n")

# Spelled-out text in classes of characters: 'a' for letters, '0' for decimal and 'h' for other hexadecimal digits.
_LETTER_CLASSES = bytes(
    ord("a") if chr(code).isalpha() or code > 127 else ord("0") if chr(code).isdigit() else code for code in range(256)
)
_HEX_CLASSES = bytes(ord("h") if chr(code) in "0123456789abcdef" else code for code in range(256))
_RUN_CLASSES = bytes(
    ord("r") if (chr(code).isalnum() and code < 128) or chr(code) in "+/-_=" else code for code in range(256)
)
_RUN_END = re.compile(b"[^r]")
_LETTERS = b" a" * 6 + b" "
_CODE_SIGNS = (b" 00 00 00 ", b" 000 000 000 ", b" 00 000 ", b" 00000000 0", b" 0000000 0")
_SIGNS = BytesAhoCorasick([_LETTERS, *_CODE_SIGNS])
_HEX_SIGN = b" hh" * 8
_AROUND = 256
_CODES = re.compile(rb"(?: [01]{7,8}){6,} |(?: [0-9]{2,3}){8,} |(?: (?:0?x)?[0-9a-f]{2}){8,} ")


class LayersExhausted(Exception):
    """A text decodes to so much more text that the rest was not looked at."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The reading of one text; `depth` is 0 for the text itself."""

    plain: CleanText
    reading: Reading
    depth: int


def peel(text: str, book: Rulebook) -> Iterator[Layer]:
    """The text, what was smuggled in it, and all that these hold in disguise.

    Raises `LayersExhausted` after the layers that fit into the allowance.
    """
    allowance = _ALLOWANCE + _TIMES * len(text)
    seen: set[str] = set()
    waiting: list[tuple[str, int]] = [(text, 0)]
    while waiting:
        current, depth = waiting.pop()
        if not current or current in seen:
            continue
        seen.add(current)
        if depth:
            allowance -= len(current)
        if allowance < 0:
            raise LayersExhausted
        plain = clean(current)
        reading = read_text(plain.text, book.lexicon)
        yield Layer(plain, reading, depth)
        if depth < _DEPTH:
            waiting.extend((inner, depth + 1) for inner in plain.smuggled)
            waiting.extend((inner, depth + 1) for inner in _decoded(reading, book))


def _decoded(reading: Reading, book: Rulebook) -> Iterator[str]:
    text = reading.text
    yield from decode_escapes(text)
    yield "\n".join(decode_runs(_long_runs(text), _TOKEN_ENCODINGS))
    yield "\n".join(decode_runs(_tokens_with(text, _BASE85_MARKS), (Encoding.BASE85,)))
    if any(sign in text for sign in _MORSE_SIGNS):
        yield "\n".join(decode_runs(find_stretches(text, _MORSE), (Encoding.MORSE,)))
    yield from _deciphered(reading)
    signs = _SIGNS.find_matches_as_indexes(reading.words.translate(_LETTER_CLASSES), overlapping=True)
    yield "\n".join(_code_runs(reading.words, [start for number, start, _ in signs if number]))
    for start, end in _stretches(reading.words, [start for number, start, _ in signs if not number]):
        yield join_letters(reading.words[start:end].decode("utf-8", "replace").split(), book.lexicon.ciphers)
    if "-\n" in text:
        yield find_stretches(text, _HYPHEN).replace("-\n", "")
    for block in _cut_blocks(text):
        words = re.findall("[a-z]+|[^a-z]+", block.lower())
        yield " ".join(piece for word in words for piece in cut_apart(word, book.lexicon.ciphers))


def _long_runs(text: str) -> str:
    """Runs of letters, digits and the marks of base64 that are no plain words, one a line, in order."""
    data = text.encode("utf-8", "replace")
    classes = data.translate(_RUN_CLASSES)
    runs: list[str] = []
    position = classes.find(b"r" * _SHORTEST_TOKEN)
    while position >= 0:
        match = _RUN_END.search(classes, position)
        end = match.start() if match else len(classes)
        run = data[position:end].decode()
        if any(map(str.isdigit, run)) or not (run.islower() or run.istitle() or "-" in run or "_" in run):
            runs.append(run)
        position = classes.find(b"r" * _SHORTEST_TOKEN, end)
    return "\n".join(runs)


def _tokens_with(text: str, marks: Iterable[str]) -> str:
    """The stretches without blanks that hold one of these marks, one a line, in order; short ones are left out."""
    spans: dict[int, int] = {}
    for mark in marks:
        position = text.find(mark)
        while position >= 0:
            low = max(0, position - _LONGEST_TOKEN)
            start = max(low - 1, *(text.rfind(blank, low, position) for blank in " \n\t")) + 1
            match = _BLANK.search(text, position)
            end = match.start() if match else len(text)
            if end - start >= _SHORTEST_TOKEN:
                spans[start] = end
            position = text.find(mark, end)
    return "\n".join(text[start:end] for start, end in sorted(spans.items()))


def _code_runs(words: bytes, positions: Sequence[int]) -> Iterator[str]:
    """What runs of short words say that are codes of characters; numbers in a row stand at these positions."""
    stretches = [words[start:end] for start, end in _stretches(words, positions)]
    if _HEX_SIGN in words.translate(_HEX_CLASSES):
        stretches.append(words)
    for stretch in stretches:
        for match in _CODES.finditer(stretch):
            yield from decode_codes(match[0].decode().split())


def _stretches(data: bytes, positions: Iterable[int]) -> list[tuple[int, int]]:
    """Begin and end of what stands around some positions, without overlaps, from a blank on."""
    spans: list[tuple[int, int]] = []
    for position in sorted(positions):
        if spans and position <= spans[-1][1]:
            spans[-1] = spans[-1][0], position + _AROUND
        else:
            low = max(0, position - _AROUND)
            spans.append((max(low, data.find(b" ", low, position)), position + _AROUND))
    return spans


def _deciphered(reading: Reading) -> Iterator[str]:
    """What stands around words under the same key that are near each other; a single one says nothing."""
    last: dict[int, int] = {}
    spans: dict[int, list[list[int]]] = {}
    for place, key in reading.ciphers:
        before = last.get(key)
        last[key] = place
        if before is None or place - before > _NEAR:
            continue
        known = spans.setdefault(key, [])
        if known and before - _NEAR <= known[-1][1]:
            known[-1][1] = place + _NEAR
        else:
            known.append([max(0, before - _NEAR), place + _NEAR])
    words = reading.words.decode().split() if spans else []
    for key, stretches in spans.items():
        for start, end in stretches:
            yield from decipher(words[start:end], key)


def _cut_blocks(text: str) -> Iterator[str]:
    """Blocks of lines so short and even that line breaks may cut words, joined. The first and last line may differ."""
    if text.count("\n") < _MANY_LINES:
        return
    lines = text.split("\n")
    try:
        lengths = bytes(map(len, lines))
    except ValueError:  # a line of more than 255
        lengths = bytes([min(255, length) for length in map(len, lines)])
    for match in _EVEN_LINES.finditer(lengths):
        yield "".join(lines[max(0, match.start() - 1) : match.end() + 1])
