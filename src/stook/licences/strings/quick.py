"""The quick way of most strings: names that are known as they stand, with plain operators between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from stook.licences.expression import BadExpression, Term, Token, tree_of
from stook.licences.strings.answer import COMMA, LicenceAnswer, Method, ids_of
from stook.licences.strings.lookup import Leaf, Lookup
from stook.licences.strings.names import name_key

__all__ = ["QuickReader", "answer_of"]

# The ways to write one operator between all names; a name that holds another is not known as it stands.
_JOINTS = ((" OR ", "OR"), (" AND ", "AND"), (" or ", "OR"), (" and ", "AND"), ("/", "OR"))
_CUTS = re.compile(r"[()/|&;,+]|\b(?:and|or|with)\b", re.IGNORECASE)
_SIGNS: dict[str, _Sign] = {"and": "AND", "or": "OR", "(": "(", ")": ")"}
_CACHED = 65536

_Sign: TypeAlias = Literal["AND", "OR", "(", ")"]


class _Name(msgspec.Struct, frozen=True, gc=False):
    """A name as it was looked up, with the answer for it alone."""

    answer: LicenceAnswer
    term: Term | None  # None if it is unknown, or more than one term
    key: str
    is_head: bool  # longer names begin with it and an operator


class QuickReader:
    """Reads what needs no cutting; what it remembers of names makes most strings a few look-ups."""

    def __init__(self, lookup: Lookup, list_version: str) -> None:
        self._lookup = lookup
        self._index = lookup.index
        self._version = list_version
        self._ids = frozenset(self._index.ids.values()) - self._index.successors.keys()
        self._heads = frozenset(short for short in self._ids if name_key(short) in self._index.span_heads)
        self._name = lru_cache(_CACHED)(self._looked_up)
        self._word = lru_cache(_CACHED)(self._name_or_sign)

    def read(self, text: str) -> LicenceAnswer | None:
        """The answer, or None if the string has to be cut: a tidy string of moderate length is expected."""
        return self._of_ids(text) or self._of_words(text) or self._of_names(text)

    def _of_ids(self, text: str) -> LicenceAnswer | None:
        """Ids of the list with one operator between them."""
        for sign, operator in _JOINTS:
            if sign in text:
                ids = text.split(sign)
                if not self._ids.issuperset(ids):
                    return None
                if not self._heads.isdisjoint(ids) and self._has_span([self._name(short) for short in ids], sign):
                    return None
                unique = tuple(dict.fromkeys(ids))
                method = Method.SPLIT if sign == "/" else Method.EXACT
                return LicenceAnswer(f" {operator} ".join(unique), unique, (), method, (), (), self._version)
        return None

    def _of_words(self, text: str) -> LicenceAnswer | None:
        """SPDX expressions: ids, references, operators and parentheses. None if a word is none of them."""
        if "/" in text or "," in text:
            return None
        spaced = text.replace("(", " ( ").replace(")", " ) ") if "(" in text or ")" in text else text
        names: list[_Name] = []
        tokens: list[Token] = []
        for part in spaced.split():
            word = self._word(part)
            if word is None:
                return None
            if not isinstance(word, _Name):
                tokens.append(word)
            elif word.term is not None:
                names.append(word)
                tokens.append(word.term)
        if any(name.is_head for name in names) and self._has_span(names, "or"):
            return None
        operators = tokens[1::2]
        for operator in ("OR", "AND"):
            if len(names) == len(operators) + 1 and operators.count(operator) == len(operators):
                return self._joined(names, operator, is_standard=True)
        try:
            tree = tree_of(tokens)
        except BadExpression:
            return None
        return msgspec.structs.replace(self._joined(names, "OR", is_standard=True), expression=str(tree))

    def _of_names(self, text: str) -> LicenceAnswer | None:
        """One name of any words, or such names with one operator between them."""
        for sign, operator in _JOINTS:
            if sign in text and not text.startswith("http"):
                names = [self._name(name) for name in text.split(sign)]
                if any(name.is_head for name in names) and self._has_span(names, sign):
                    break
                if not all(name.term is not None for name in names):
                    return None
                return self._joined(names, operator, is_standard=sign != "/")
        if ", " in text and (listed := self._of_commas(text)) is not None:
            return listed
        answer = self._name(text).answer
        return answer if answer.expression is not None or not _CUTS.search(text) else None

    def _of_commas(self, text: str) -> LicenceAnswer | None:
        """Known names with nothing but commas between them."""
        names = [self._name(name) for name in text.split(", ")]
        if not all(name.term is not None for name in names) or self._has_span(names, ","):
            return None
        answer = self._joined(names, "OR", is_standard=False)
        return msgspec.structs.replace(answer, notes=(COMMA, *answer.notes))

    def _joined(self, names: Sequence[_Name], operator: str, is_standard: bool) -> LicenceAnswer:
        """Terms with one operator between them."""
        answers = [name.answer for name in names]
        is_exact = is_standard and all(answer.method is Method.EXACT for answer in answers)
        return LicenceAnswer(
            f" {operator} ".join(dict.fromkeys([answer.expression or "" for answer in answers])),
            tuple(dict.fromkeys([answer.ids[0] for answer in answers])),
            tuple(dict.fromkeys([short for answer in answers for short in answer.exceptions])),
            Method.EXACT if is_exact else Method.SPLIT,
            tuple(dict.fromkeys([note for answer in answers for note in answer.notes])),
            (),
            self._version,
        )

    def _has_span(self, names: Sequence[_Name], sign: str) -> bool:
        """Whether some names with the sign between them are one name, such as "zlib/libpng"."""
        joint = f" {sign.strip().lower()} "
        heads = [place for place, name in enumerate(names) if name.is_head]
        sizes = range(2, min(self._index.longest_span, len(names)) + 1)
        keys = [name.key for name in names]
        return any(joint.join(keys[place : place + size]) in self._index.spans for place in heads for size in sizes)

    def _name_or_sign(self, word: str) -> _Name | _Sign | None:
        sign = _SIGNS.get(word.lower())
        if sign is not None:
            return sign
        name = self._name(word) if self._lookup.by_id(word) is not None else None
        return name if name is not None and name.term is not None else None

    def _looked_up(self, text: str) -> _Name:
        text = text.strip()
        short = self._index.ids.get(text.lower())
        if short is not None and short != text:
            return self._name(short)  # the same in any case
        leaf = self._lookup.find(text)
        answer = answer_of(leaf, self._version)
        key = name_key(text)
        term = leaf.node if isinstance(leaf.node, Term) else None
        return _Name(answer, term, key, key in self._index.span_heads)


def answer_of(leaf: Leaf, list_version: str) -> LicenceAnswer:
    """The answer for a string that is one name."""
    ids, exceptions = ids_of(leaf.pieces if leaf.node is None else (leaf.node,))
    if leaf.node is None:
        unknown = () if leaf.unknown is None else (leaf.unknown,)
        return LicenceAnswer(None, ids, exceptions, Method.UNKNOWN, (), unknown, list_version)
    return LicenceAnswer(str(leaf.node), ids, exceptions, leaf.method, leaf.notes, (), list_version)
