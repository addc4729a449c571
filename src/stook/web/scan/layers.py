"""Layers: a text as it stands, and whatever is found below by decoding, a few layers deep."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from stook.web.scan.decode import Encoding, decipher, decode_codes, decode_escapes, decode_runs, find_stretches, join_letters
from stook.web.scan.rules import Look, Reading, Rulebook, read_text

__all__ = ["Layer", "LayersExhausted", "peel"]

_DEPTH = 3
_ALLOWANCE = 65_536  # characters that decoding may make of any text; beyond that, a few times its length
_TIMES = 4
_SHORT_LINE = 16  # characters of a line, on average, below which words may be cut by line breaks
_MANY_LINES = 4
_LONGEST_CUT = 4_096  # characters of a text that is looked at for cut words
_LEAST = {Look.LETTER: 6, Look.HEX: 8, Look.BITS: 6, Look.CODE: 8}  # words in a row
_NEAR = 12  # words around a disguised one that are read with it
_TOKEN = 65_536
_SHORTEST_TOKEN = 16
_BLANK = re.compile(r"\s")
_TOKEN_ENCODINGS = (Encoding.BASE64, Encoding.BASE32, Encoding.HEX, Encoding.BINARY)
_BASE85_MARKS = "^~`{}"  # rare in prose, and every longer text in base85 has one
_MORSE_SIGN = re.compile(r"[ /](?:\.-|-\.)[ /]")  # the letters A and N


class LayersExhausted(Exception):
    """A text decodes to so much more text that the rest was not looked at."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The reading of one text; `depth` is 0 for the text itself."""

    reading: Reading
    depth: int


def peel(text: str, smuggled: tuple[str, ...], book: Rulebook) -> Iterator[Layer]:
    """The text, what was smuggled in it, and all that these hold in disguise.

    Raises `LayersExhausted` after the layers that fit into the allowance.
    """
    allowance = _ALLOWANCE + _TIMES * len(text)
    seen: set[str] = set()
    waiting: list[tuple[str, int]] = [(text, 0), *((hidden, 1) for hidden in smuggled)]
    while waiting:
        current, depth = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        if depth:
            allowance -= len(current)
        if allowance < 0:
            raise LayersExhausted
        reading = read_text(current, book.lexicon, book.judge)
        yield Layer(reading, depth)
        if depth < _DEPTH:
            waiting.extend((inner, depth + 1) for inner in _decoded(reading, book) if inner)


def _decoded(reading: Reading, book: Rulebook) -> Iterator[str]:
    text = reading.text
    yield from decode_escapes(text)
    runs = (word for word, facts in reading.others.items() if facts.look is Look.RUN)
    yield "\n".join(decode_runs(_tokens_with(text, runs), _TOKEN_ENCODINGS))
    yield "\n".join(decode_runs(_tokens_with(text, _BASE85_MARKS), (Encoding.BASE85,)))
    yield "\n".join(decode_runs(find_stretches(text, _MORSE_SIGN), (Encoding.MORSE,)))
    yield from _deciphered(reading)
    yield _unglued(reading)
    runs = list(_find_runs(reading))
    yield "\n".join(text for look, words in runs if look is not Look.LETTER for text in decode_codes(words))
    if any(look is Look.LETTER for look, _ in runs):
        yield join_letters(text, book.ciphers)
    if _may_be_cut(text):
        yield book.ciphers.glued.sub(r" \g<0> ", "".join(text.split()).lower())


def _tokens_with(text: str, parts: Iterable[str]) -> str:
    """The stretches without blanks that hold one of these parts, one a line, in order; short ones are left out."""
    spans: dict[int, int] = {}
    for part in parts:
        position = text.find(part)
        while position >= 0:
            start = max(text.rfind(blank, max(0, position - _TOKEN), position) for blank in " \n\t") + 1
            match = _BLANK.search(text, position + len(part))
            end = match.start() if match else len(text)
            if end - start >= _SHORTEST_TOKEN:
                spans[start] = end
            position = text.find(part, max(end, position + 1))
    return "\n".join(text[start:end] for start, end in sorted(spans.items()))


def _deciphered(reading: Reading) -> Iterator[str]:
    """What stands around words under the same key that are near each other; a single one says nothing."""
    ciphers = {word: facts.cipher for word, facts in reading.others.items() if facts.cipher}
    last: dict[int, int] = {}
    spans: dict[int, list[list[int]]] = {}
    for place in _places(reading, ciphers) if len(ciphers) > 1 else ():
        key = ciphers[reading.words[place]]
        before = last.get(key)
        last[key] = place
        if before is None or place - before > _NEAR or reading.words[place] == reading.words[before]:
            continue
        start = max(0, before - _NEAR)
        known = spans.setdefault(key, [])
        if known and start <= known[-1][1]:
            known[-1][1] = place + _NEAR
        else:
            known.append([start, place + _NEAR])
    for key, stretches in spans.items():
        for start, end in stretches:
            yield from decipher(reading.words[start:end], key)


def _unglued(reading: Reading) -> str:
    """The words around each one that is glued from known words, with that one cut."""
    parts = {word: facts.parts for word, facts in reading.others.items() if facts.parts}
    places = _places(reading, parts) if parts else []
    stretches = (reading.words[max(0, place - _NEAR) : place + _NEAR] for place in places)
    return "\n".join(" ".join(parts.get(word, word) for word in words) for words in stretches)


def _places(reading: Reading, words: Container[str]) -> list[int]:
    return [place for place, word in enumerate(reading.words) if word in words]


def _find_runs(reading: Reading) -> Iterator[tuple[Look, Sequence[str]]]:
    """Stretches of words that all look like codes of characters, or are all single letters."""
    for look, least in _LEAST.items():
        words = {word for word, facts in reading.others.items() if facts.look is look}
        if len(words) < least // 2:
            continue
        places = _places(reading, words)
        start = 0
        for number in range(1, len(places) + 1):
            if number == len(places) or places[number] != places[number - 1] + 1:
                if number - start >= least:
                    yield look, reading.words[places[start] : places[number - 1] + 1]
                start = number


def _may_be_cut(text: str) -> bool:
    """Whether the lines of a text are so short that they may cut its words."""
    if len(text) > _LONGEST_CUT or text.count("\n") < _MANY_LINES:
        return False
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return len(lines) > _MANY_LINES and sum(map(len, lines)) < _SHORT_LINE * len(lines)
