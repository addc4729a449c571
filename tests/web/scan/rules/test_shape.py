"""Shapes find classes of words in order and near each other."""

from __future__ import annotations

import pytest

from stook.web.scan.normalise import SENTENCE
from stook.web.scan.rules.shape import find_shape, index_hits, parse_shape

BITS = {"a": 1, "b": 2, "c": 4, "d": 8}


def matches(shape: str, text: str) -> list[tuple[int, int]]:
    """Words of `text` are names of classes (`a+b` for two at once), `-` for none and `.` for the end of a sentence."""
    words = f" {text} ".replace(".", SENTENCE.decode()).encode()
    places, offsets, classes = [], [], []
    offset = 0
    for place, word in enumerate(text.split()):
        if word not in {".", "-"}:
            places.append(place)
            offsets.append(offset)
            classes.append(sum(BITS[name] for name in word.split("+")))
        offset += len(word) + 1
    return list(find_shape(parse_shape(shape, BITS), index_hits(words, places, offsets, classes)))


@pytest.mark.parametrize(
    ("shape", "text", "expected"),
    [
        ("a > b ~ 2", "a b", [(0, 1)]),
        ("a > b ~ 2", "b a", []),
        ("a > b ~ 2", "a - b", [(0, 2)]),
        ("a > b ~ 2", "a - - b", []),
        ("a & b ~ 2", "b a", [(0, 1)]),
        ("a & b ~ 2", "b - - a", []),
        ("a > b ~ 9", "a . b", []),
        ("a > b ~ 9 across", "a . b", [(0, 2)]),
        ("a & b ~ 9", "b . a", []),
        ("a|c > b ~ 2", "c b", [(0, 1)]),
        ("a > b > c ~ 5", "a b a c", [(0, 3)]),
        ("a > a ~ 5", "a", []),
        ("a > a ~ 5", "a - a", [(0, 2)]),
        ("a & a ~ 5", "a - a", [(0, 2)]),
        ("a & b ~ 5", "a+b", []),
        ("a > b ~ 3 not d", "d a b", []),
        ("a > b ~ 3 not d", "a d b", []),
        ("a > b ~ 3 not d", "a b - - - - d", [(0, 1)]),
        ("a > b ~ 2", "a b - - a b", [(0, 1), (4, 5)]),
        ("a > b ~ 2", "a a a b", [(1, 3)]),
    ],
)
def test_find(shape: str, text: str, expected: list[tuple[int, int]]) -> None:
    """Order, distance, sentences, spoilers and words of two classes count as the shape says."""
    assert matches(shape, text) == expected


@pytest.mark.parametrize("text", ["a > b", "a > b ~ x", "~ 3", "a ~ 3 besides"])
def test_malformed(text: str) -> None:
    """A shape that cannot be read is an error."""
    with pytest.raises(ValueError, match="not a shape"):
        parse_shape(text, BITS)


def test_unknown_class() -> None:
    """A class that no language has is an error."""
    with pytest.raises(KeyError):
        parse_shape("a > nothing ~ 3", BITS)
