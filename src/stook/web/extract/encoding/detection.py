"""A guess at the encoding of text that declares none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

__all__ = ["detect"]

_SAMPLE_BYTES = 64 * 1024
_FALLBACK = "cp1252"  # what browsers assume where nothing else is known

# Lead bytes of the characters that are common in running text. Korean stands before Chinese, because Korean
# syllables are valid and common in both.
_LEADS: dict[str, tuple[int, int]] = {
    "euc-jp": (0xA4, 0xA5),
    "cp932": (0x82, 0x83),
    "cp949": (0xB0, 0xC8),
    "gb18030": (0xB0, 0xD7),
    "big5hkscs": (0xA4, 0xC6),
}
# Letters of a script in small case; text in a wrong reading is mostly capitals, signs and rare letters.
_LETTERS: dict[str, str] = {
    "cp1252": "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšž‘’“”–—…©®°·«»¿¡€",
    "cp1250": "áâăäąćčçďđéęëěíîĺľłńňóôőöŕřśšşťţúůűüýźžż‘’“”„–—…",
    "cp1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґў«»–—№",
    "koi8-r": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "cp1253": "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋ«»–—",
    "cp1255": "אבגדהוזחטיךכלםמןנסעףפץצקרשת־–—",
    "cp1256": "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي،؛؟پچژگ",
    "cp874": "".join(map(chr, (*range(0xE01, 0xE3B), *range(0xE40, 0xE4F)))),
}


def detect(body: bytes) -> str:
    """Return the codec that makes the most of the bytes: UTF-8 if they are valid, else the likeliest legacy one."""
    sample = body[:_SAMPLE_BYTES]
    if _is_utf8(sample):
        return "utf-8"
    scores = {codec: _score(sample, codec, _is_common(codec)) for codec in (*_LEADS, *_LETTERS)}
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best] > 0 else _FALLBACK


def _is_utf8(sample: bytes) -> bool:
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        # The sample may end inside a character.
        return error.end == len(sample) == _SAMPLE_BYTES and error.reason == "unexpected end of data"
    return True


def _score(sample: bytes, codec: str, is_common: Callable[[str], bool]) -> float:
    """Return the share of common characters among those beyond ASCII, less the share of all others; -1 if invalid."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError as error:
        if error.end < len(sample) - 4:  # not the cut at the end of the sample
            return -1.0
        text = sample.decode(codec, "ignore")
    counts = Counter(character for character in text if character > "\x7f")
    common = sum(count for character, count in counts.items() if is_common(character))
    return (2 * common - counts.total()) / counts.total() if counts else -1.0


def _is_common(codec: str) -> Callable[[str], bool]:
    if codec in _LETTERS:
        return frozenset(_LETTERS[codec]).__contains__
    low, high = _LEADS[codec]

    def has_common_lead(character: str) -> bool:
        encoded = character.encode(codec, "ignore")
        return len(encoded) == 2 and low <= encoded[0] <= high

    return has_common_lead
