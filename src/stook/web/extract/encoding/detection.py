"""A guess at the encoding of text that declares none."""

from __future__ import annotations

import codecs
from collections import Counter

__all__ = ["detect"]

_SAMPLE_BYTES = 64 * 1024
_FALLBACK = "cp1252"  # what browsers assume where nothing else is known

# Lead bytes of the characters that are common in running text. Korean stands before Chinese, because Korean
# syllables are valid and common in both.
_LEADS: dict[str, tuple[int, int]] = {
    "euc-jp": (0xA4, 0xA5),  # kana
    "cp932": (0x82, 0x83),  # kana
    "cp949": (0xB0, 0xC8),
    "gb18030": (0xB0, 0xD7),
    "big5hkscs": (0xA4, 0xC6),
}
_KANA_SHARE = 0.4  # of Japanese text; the rest is Chinese characters
# Small letters of a script, the most frequent first. A wrong reading has mostly capitals, signs and rare letters.
_LETTERS: dict[str, str] = {
    "cp1252": "éèàáíóñçãõüöäêâîôûëïœæøåßúìòùýÿšž‘’“”–—…©®°·«»¿¡€",
    "cp1250": "ąęśćłżóźńáíéčřšžěůúýťďňăâîşţőűôöüäëĺľŕđ‘’“”„–—…",
    "cp1251": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґў«»–—№",
    "koi8-r": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "cp1253": "αοιετσνηυρπκλμςέάήίόύώδγχθφβξζψϊϋ«»–—",
    "cp1255": "יוהלאמתרבנשעחדקםפטגכצזסןךףץ־–—",
    "cp1256": "ايلمنوترهبعدةسفقكحجشصضطظغخذزثءآأؤإئى،؛؟پچژگ",
    "cp874": "ารนกเองมยลวดทส" + "".join(map(chr, (*range(0xE01, 0xE3B), *range(0xE40, 0xE5A)))),
}
_FREQUENT = 8  # letters of which one is the most frequent in any text
_BONUS = 0.2


def detect(body: bytes) -> str:
    """Return the codec that makes the most of the bytes: UTF-8 if they are valid, else the likeliest legacy one."""
    sample = body[:_SAMPLE_BYTES]
    if _is_utf8(sample):
        return "utf-8"
    scores = {codec: _score(sample, codec) for codec in (*_LEADS, *_LETTERS)}
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best] > 0 else _FALLBACK


def _is_utf8(sample: bytes) -> bool:
    is_whole = len(sample) < _SAMPLE_BYTES  # else it may end inside a character
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=is_whole)
    except UnicodeDecodeError:
        return False
    return True


def _score(sample: bytes, codec: str) -> float:
    """Judge a reading from -1, which is invalid, to about 1."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError as error:
        if error.end < len(sample) - 4:  # not the cut at the end of the sample
            return -1.0
        text = sample.decode(codec, "ignore")
    counts = Counter(character for character in text if character > "\x7f")
    if not counts:
        return -1.0
    return _score_letters(counts, _LETTERS[codec]) if codec in _LETTERS else _score_wide(counts, codec)


def _score_letters(counts: Counter[str], letters: str) -> float:
    """Common letters count for a reading, capitals neither for nor against, all others against it."""
    common = sum(count for character, count in counts.items() if character in letters)
    neutral = sum(count for character, count in counts.items() if character.lower() in letters) - common
    bonus = _BONUS if counts.most_common(1)[0][0] in letters[:_FREQUENT] else 0.0
    return (2 * common + neutral - counts.total()) / counts.total() + bonus


def _score_wide(counts: Counter[str], codec: str) -> float:
    low, high = _LEADS[codec]
    leads = [(character.encode(codec, "ignore"), count) for character, count in counts.items()]
    common = sum(count for encoded, count in leads if len(encoded) == 2 and low <= encoded[0] <= high)
    narrow = sum(count for encoded, count in leads if len(encoded) != 2)
    share = (common - narrow) / counts.total()
    return min(1.0, share / _KANA_SHARE) if codec in ("euc-jp", "cp932") else 2 * share - 1
