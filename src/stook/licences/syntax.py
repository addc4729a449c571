"""The grammar of SPDX licence expressions (SPDX 3.0.1, annex B), without a list of ids."""

from __future__ import annotations

import re

from stook.licences.expression import BadExpression, Node, Term, Token, tree_of

__all__ = ["MAX_EXPRESSION", "parse_expression"]

MAX_EXPRESSION = 65536
"""Characters of an expression; a longer one is refused."""

_WORD = re.compile(r"[()]|[^\s()]+")
_NAME = r"[A-Za-z0-9.-]+"
_LICENCE = re.compile(rf"(?:DocumentRef-{_NAME}:)?LicenseRef-{_NAME}|{_NAME}\+?")
_EXCEPTION = re.compile(rf"(?:DocumentRef-{_NAME}:)?AdditionRef-{_NAME}|{_NAME}")
_OPERATORS = frozenset({"AND", "OR", "WITH", "and", "or", "with"})


def parse_expression(text: str) -> Node:
    """The tree of a valid expression; operators are all upper or all lower case. Ids stay as they are written.

    Raises BadExpression with the reason.
    """
    if len(text) > MAX_EXPRESSION:
        raise BadExpression(f"it has more than {MAX_EXPRESSION} characters")
    words = _WORD.findall(text)
    tokens: list[Token] = []
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word == "(" or word == ")":
            tokens.append(word)
        elif word == "AND" or word == "and":
            tokens.append("AND")
        elif word == "OR" or word == "or":
            tokens.append("OR")
        elif words[place : place + 1] in (["WITH"], ["with"]):
            tokens.append(Term(_checked(word, _LICENCE), _checked("".join(words[place + 1 : place + 2]), _EXCEPTION)))
            place += 2
        else:
            tokens.append(Term(_checked(word, _LICENCE)))
    return tree_of(tokens)


def _checked(word: str, grammar: re.Pattern[str]) -> str:
    if word in _OPERATORS or not grammar.fullmatch(word):
        raise BadExpression(f"{word[:50]!r} stands where a licence or an exception has to be")
    return word
